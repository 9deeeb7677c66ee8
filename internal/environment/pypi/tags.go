package pypi

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
)

// wheelName is a wheel's file name, taken apart (the binary distribution
// format: name-version[-build]-python-abi-platform.whl).
type wheelName struct {
	name, version          string
	pythons, abis, systems []string
}

// parseWheel reads a wheel's file name; ok is false for anything else.
func parseWheel(filename string) (w wheelName, ok bool) {
	stem, isWheel := strings.CutSuffix(filename, ".whl")
	parts := strings.Split(stem, "-")
	if !isWheel || len(parts) < 5 || len(parts) > 6 {
		return wheelName{}, false
	}
	n := len(parts)
	w = wheelName{
		name:    parts[0],
		version: parts[1],
		pythons: strings.Split(parts[n-3], "."),
		abis:    strings.Split(parts[n-2], "."),
		systems: strings.Split(parts[n-1], "."),
	}
	return w, w.name != "" && w.version != ""
}

// sdistExtensions as the index accepted them over the years.
var sdistExtensions = []string{".tar.gz", ".zip", ".tar.bz2", ".tar.xz", ".tgz"}

// parseSdist reads the version out of a source package's file name. The name
// may hold dashes itself, so the project's name says where it ends.
func parseSdist(project, filename string) (version string, ok bool) {
	stem := ""
	for _, ext := range sdistExtensions {
		if s, found := strings.CutSuffix(filename, ext); found {
			stem = s
			break
		}
	}
	for i := 0; i < len(stem); i++ {
		if stem[i] == '-' && pydist.Normalize(stem[:i]) == project {
			// "foo-bar-1.0" of project foo has "bar-1.0" here: no version.
			if _, err := pydist.ParseVersion(stem[i+1:]); err == nil {
				return stem[i+1:], true
			}
		}
	}
	return "", false
}

// target is what wheels have to fit.
type target struct {
	minor      int    // of Python 3
	arch       string // "x86_64", "aarch64"
	glibcMinor int    // of glibc 2; 0 does not filter
}

// newTarget reads "3.11" or "3.11.7" and "2.36".
func newTarget(python, glibc string) (t target, ok bool) {
	parts := strings.Split(python, ".")
	if len(parts) < 2 || parts[0] != "3" {
		return target{}, false
	}
	minor, err := strconv.Atoi(parts[1])
	if err != nil {
		return target{}, false
	}
	t = target{minor: minor, arch: machine()}
	if rest, found := strings.CutPrefix(glibc, "2."); found {
		rest, _, _ = strings.Cut(rest, ".")
		if n, err := strconv.Atoi(rest); err == nil {
			t.glibcMinor = n
		}
	}
	return t, true
}

// machine is the wheel platform's word for this processor.
func machine() string {
	if runtime.GOARCH == "arm64" {
		return "aarch64"
	}
	return "x86_64"
}

// fits says whether one of the wheel's tags is usable.
func (t target) fits(w wheelName) bool {
	system := false
	for _, s := range w.systems {
		system = system || t.fitsSystem(s)
	}
	if !system {
		return false
	}
	for _, py := range w.pythons {
		for _, abi := range w.abis {
			if t.fitsPython(py, abi) {
				return true
			}
		}
	}
	return false
}

func (t target) fitsSystem(s string) bool {
	if s == "any" {
		return true
	}
	arch, found := strings.CutSuffix(s, "_"+t.arch)
	if !found {
		return false
	}
	need := 0
	switch arch {
	case "linux":
	case "manylinux1":
		need = 5
	case "manylinux2010":
		need = 12
	case "manylinux2014":
		need = 17
	default:
		// PEP 600: manylinux_2_N. musllinux and others never fit here.
		digits, perennial := strings.CutPrefix(arch, "manylinux_2_")
		n, err := strconv.Atoi(digits)
		if !perennial || err != nil {
			return false
		}
		need = n
	}
	return t.glibcMinor == 0 || need <= t.glibcMinor
}

func (t target) fitsPython(py, abi string) bool {
	exact := "cp3" + strconv.Itoa(t.minor)
	own := exact
	if t.minor < 8 {
		own += "m" // pymalloc was part of the ABI tag up to 3.7
	}
	switch {
	case abi == own:
		return py == exact
	case abi == "abi3":
		n, ok := minorOf(py, "cp3")
		return ok && n >= 2 && n <= t.minor
	case abi == "none":
		if py == "py3" || py == exact {
			return true
		}
		n, ok := minorOf(py, "py3")
		return ok && n <= t.minor
	}
	return false
}

// minorOf reads 11 out of "cp311" with prefix "cp3".
func minorOf(tag, prefix string) (int, bool) {
	digits, found := strings.CutPrefix(tag, prefix)
	if !found {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0
}

// fullVersion gives a minor version a patch release, against which
// Requires-Python is judged: "!=3.9.7" or ">=3.8.1" should not exclude it. 18
// is a guess, late enough for every bound seen.
func fullVersion(python string) string {
	if strings.Count(python, ".") >= 2 {
		return python
	}
	return python + ".18"
}

// allows evaluates a Requires-Python. What cannot be understood excludes
// nothing, as in the installers.
func allows(spec, python string) bool {
	if strings.TrimSpace(spec) == "" {
		return true
	}
	clean := cleanSpec(spec)
	version := fullVersion(python)
	if pydist.Match(clean, version) {
		return true
	}
	// No match because it does not parse, or because it excludes? Any version
	// at all is outside a specifier that does not parse.
	for _, probe := range []string{"1.5", "2.7.18", "3.0", "3.5.10", "3.8.18", "3.12.5", "4.0"} {
		if pydist.Match(clean, probe) {
			return false
		}
	}
	return !parses(clean)
}

// parses is true when each clause of a specifier is understood: a clause or
// its opposite matches any one version.
func parses(spec string) bool {
	opposite := map[string]string{">=": "<", "<=": ">", "==": "!=", "!=": "==", ">": "<=", "<": ">="}
	for clause := range strings.SplitSeq(spec, ",") {
		clause = strings.TrimSpace(clause)
		understood := strings.HasPrefix(clause, "~=") || strings.HasPrefix(clause, "===")
		for _, op := range []string{">=", "<=", "==", "!=", ">", "<"} {
			if rest, found := strings.CutPrefix(clause, op); found && !understood {
				understood = pydist.Match(clause, "3.5") || pydist.Match(opposite[op]+rest, "3.5")
				break
			}
		}
		if !understood {
			return false
		}
	}
	return true
}

// cleanSpec repairs what old uploads hold: ">=3.6.*" and stray commas.
func cleanSpec(spec string) string {
	var out []string
	for clause := range strings.SplitSeq(spec, ",") {
		clause = strings.TrimSpace(clause)
		if clause == "" {
			continue
		}
		if strings.HasPrefix(clause, "<") || strings.HasPrefix(clause, ">") {
			clause = strings.TrimSuffix(clause, ".*")
		}
		out = append(out, clause)
	}
	return strings.Join(out, ",")
}

// WheelVersion reads normalised name and version from a wheel's file name.
func WheelVersion(filename string) (name, version string, ok bool) {
	w, ok := parseWheel(filename)
	if !ok {
		return "", "", false
	}
	v, err := pydist.ParseVersion(strings.ReplaceAll(w.version, "_", "-"))
	if err != nil {
		return "", "", false
	}
	return pydist.Normalize(w.name), v.String(), true
}
