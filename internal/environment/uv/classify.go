package uv

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Class is the kind of a failure.
type Class string

// The classes. Infrastructure ones are told by Failure.Infrastructure.
const (
	Conflict       Class = "conflict"
	WrongPython    Class = "wrong python" // no wheel for this interpreter; Pythons lists those that have one
	RequiresPython Class = "requires python"
	OnlySdist      Class = "only sdist" // also: wheels for other Pythons only, and a source package
	VersionMissing Class = "version missing"
	AfterDate      Class = "after the date" // Published holds the instant
	PackageMissing Class = "package missing"
	Yanked         Class = "yanked"
	BadMetadata    Class = "bad metadata"
	BuildFailed    Class = "build failed"
	ParseError     Class = "parse"
	Unreachable    Class = "unreachable"
	TimedOut       Class = "timeout"
	DiskFull       Class = "disk full"
	FileLimit      Class = "file size limit" // RLIMIT_FSIZE of the caller, or the file system's own
	Killed         Class = "killed"          // uv itself died of a signal
	CacheLocked    Class = "cache unusable"
	NotCached      Class = "offline"
	HashMismatch   Class = "hash"
	Other          Class = "other"
)

// Failure is an error text of uv, understood.
type Failure struct {
	Class Class
	// Name and Version of the distribution at fault, where the text names one.
	Name    string
	Version string
	// Names are all distributions that the text names as required, in order.
	Names []string
	// Sdists are all that lack a wheel, where the text names several.
	Sdists []string
	// Pythons are minor versions ("3.8") for which wheels exist, ascending.
	Pythons []string
	// Latest: Version is only the newest of those that would do.
	Latest bool
	// Published is when a version hidden by the cutoff appeared.
	Published time.Time
	// Detail is the text, one line, without credentials, at most 500 bytes.
	Detail string
	Code   int
}

// Infrastructure is true when the failure says nothing about the request:
// index, disk, cache.
func (f Failure) Infrastructure() bool {
	switch f.Class {
	case Unreachable, TimedOut, DiskFull, FileLimit, Killed, CacheLocked, NotCached:
		return true
	}
	return false
}

const (
	namePart    = `([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[^\]]*\])?`
	versionPart = `([0-9A-Za-z!][0-9A-Za-z.!+*_-]*)`
)

// rule is one row of the table: the first whose text is found decides, rows of
// the same rank by who comes first in the text. Source: uv 0.13.9, each text
// seen in a run (testdata) or in the measured table of failures.
type rule struct {
	class Class
	rank  int
	form  *lazyre.Regexp // submatch 1: name, 2: version, where there are
}

var rules = []rule{
	{DiskFull, 0, lazyre.New(`No space left on device|os error 28\b|Disk quota exceeded`)},
	{FileLimit, 0, lazyre.New(`File too large|os error 27\b`)},
	{TimedOut, 1, lazyre.New(`operation timed out|Failed to download distribution due to network timeout`)},
	{CacheLocked, 1, lazyre.New(`Could not acquire lock|Read-only file system|os error 30\b|Permission denied \(os error 13\)`)},
	{NotCached, 2, lazyre.New(`(?:` + namePart + `(?:==` + versionPart + `)? )?(?:was not found in the cache|needs to be downloaded from a registry|[Nn]etwork connectivity is disabled)`)},
	{HashMismatch, 2, lazyre.New("Hash mismatch for `" + namePart + `(?:==` + versionPart + ")?`|all requirements must have a hash")},
	{Unreachable, 3, lazyre.New(`Failed to fetch|Failed to download|Request failed after|error sending request|dns error|Connection refused|Could not connect`)},
	{BadMetadata, 3, lazyre.New(namePart + `==` + versionPart + ` has (?:invalid metadata|an invalid package format)|Failed to parse metadata from built wheel`)},
	// All releases of a range: "pandas>=0.20.1 have invalid metadata", beside which
	// older ones without a wheel are named first.
	{BadMetadata, 5, lazyre.New(namePart + `[<>=!~][^ ]* (?:has|have) invalid metadata`)},
	{BuildFailed, 4, lazyre.New("Failed to build `" + namePart + `(?:==` + versionPart + ")?`|The build backend returned an error")},
	{ParseError, 4, lazyre.New("Couldn't parse requirement|Failed to parse|Git sources cannot be editable|Distribution not found at")},
	{PackageMissing, 5, lazyre.New(namePart + ` was not found in the package registry`)},
	{WrongPython, 6, lazyre.New(namePart + `(?:==` + versionPart + `)?[^ ]* (?:has|have) no wheels with a matching`)},
	{WrongPython, 7, lazyre.New(`have no wheels with a matching`)},
	{RequiresPython, 6, lazyre.New(`does not satisfy Python[^ ]* and ` + namePart + `(?:==` + versionPart + `)? depends on`)},
	{RequiresPython, 7, lazyre.New(`does not satisfy Python`)},
	{OnlySdist, 6, lazyre.New(namePart + `(?:==` + versionPart + `)?[^ ]* (?:has|have) no usable wheels`)},
	{OnlySdist, 7, lazyre.New(`have no usable wheels`)},
	{VersionMissing, 6, lazyre.New(`there (?:is no version|are no versions) of ` + namePart + `(?:==` + versionPart + `)?`)},
	{Yanked, 6, lazyre.New(namePart + `==` + versionPart + ` was yanked`)},
	{Conflict, 8, lazyre.New(namePart + `(?:==` + versionPart + `)?[^ ]* depends on|are incompatible|you require`)},
}

// Classify reads the standard error of uv and its exit code. It looks at the
// cause before any hint: the hint about the cutoff also stands beside causes
// that have nothing to do with it.
func Classify(stderr string, code int) Failure {
	text := oneLine(Redact(stderr))
	cause, hints, _ := strings.Cut(text, " hint: ")
	f := Failure{Class: Other, Code: code, Detail: cut(text, 500)}
	rank, at := len(rules), -1
	for _, r := range rules {
		m := r.form.FindStringSubmatchIndex(cause)
		if m == nil || r.rank > rank || r.rank == rank && at <= m[0] {
			continue
		}
		rank, at = r.rank, m[0]
		f.Class, f.Name, f.Version = r.class, "", ""
		if len(m) >= 4 && m[2] >= 0 {
			f.Name = pydist.Normalize(cause[m[2]:m[3]])
		}
		if len(m) >= 6 && m[4] >= 0 {
			f.Version = strings.TrimRight(cause[m[4]:m[5]], ".,")
		}
	}
	f.Names = requiredNames(cause)
	f.readHints(hints)
	return f
}

var (
	hiddenForm = lazyre.New("`" + namePart + "` was filtered by `exclude-newer`.*?(The requested version|The latest version satisfying the requirement is|)[, ]*v" + versionPart + `, ?(?:was )?published at ([0-9TZ:.-]+)`)
	wheelsForm = lazyre.New("Wheels are required for `" + namePart + "` because building from source is disabled")
	tagsForm   = lazyre.New("we only found wheels for `" + namePart + "` \\([^)]*\\) with the following Python (?:ABI |version |implementation )?tags?: ((?:`[a-z0-9_]+`,? ?)+)")
	tagForm    = lazyre.New("`cp3([0-9]+)[a-z]*`")
	needForm   = lazyre.New(`(?:you require |and )?` + namePart + `(?:[=<>!~]=?[^ ]*)? depends on ` + namePart + `|you require ` + namePart)
)

// readHints takes from the hints what is about the distribution at fault.
func (f *Failure) readHints(hints string) {
	if f.Class == OnlySdist {
		f.Sdists = sdistsIn(hints)
	}
	for _, m := range tagsForm.FindAllStringSubmatch(hints, -1) {
		if f.Class != WrongPython || f.Name != "" && pydist.Normalize(m[1]) != f.Name {
			continue
		}
		f.Name = pydist.Normalize(m[1])
		f.Pythons = pythonsOf(m[2])
	}
	if f.Class != VersionMissing {
		return
	}
	for one := range strings.SplitSeq(hints, "hint: ") {
		m := hiddenForm.FindStringSubmatch(one)
		if m == nil || pydist.Normalize(m[1]) != f.Name {
			continue
		}
		if at, err := time.Parse(time.RFC3339, strings.TrimRight(m[4], ".")); err == nil {
			f.Class, f.Published = AfterDate, at
			if f.Version == "" {
				f.Version, f.Latest = m[3], strings.HasPrefix(m[2], "The latest")
			}
		}
	}
}

// sdistsIn lists, sorted, the packages that have no wheel where the resolver
// looked; nil for one alone, which is the failure's own name.
func sdistsIn(hints string) []string {
	var names []string
	for _, m := range wheelsForm.FindAllStringSubmatch(hints, -1) {
		if name := pydist.Normalize(m[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		return nil
	}
	slices.Sort(names)
	return names
}

// pythonsOf reads minor versions out of a list of ABI tags; abi3 and Python 2
// are left out.
func pythonsOf(tags string) []string {
	var minors []int
	for _, m := range tagForm.FindAllStringSubmatch(tags, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && !slices.Contains(minors, n) {
			minors = append(minors, n)
		}
	}
	slices.Sort(minors)
	out := make([]string, 0, len(minors))
	for _, n := range minors {
		out = append(out, "3."+strconv.Itoa(n))
	}
	return out
}

// requiredNames lists who is required or depends, in the order of the text.
func requiredNames(cause string) []string {
	var names []string
	add := func(name string) {
		name = pydist.Normalize(name)
		if name != "" && name != "python" && name != "your" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, m := range needForm.FindAllStringSubmatch(cause, -1) {
		for _, name := range m[1:] {
			add(name)
		}
	}
	return names
}

// oneLine joins lines and collapses spaces: uv wraps and indents at will.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// cut shortens at a rune's edge.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}
