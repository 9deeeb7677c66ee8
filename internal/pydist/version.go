package pydist

import (
	"fmt"
	"math"
	"sort"
	"strings"

	pep440 "github.com/aquasecurity/go-pep440-version"
)

// Version is a parsed PEP 440 version. The zero Version is not valid.
type Version struct {
	v        pep440.Version
	original string
}

// ParseVersion reads a PEP 440 version ("2.15.0rc1", "1.0+cpu"). Surrounding
// space and a leading v are allowed, as the standard says.
func ParseVersion(s string) (Version, error) {
	s = strings.TrimSpace(s)
	text := s
	if public, local, ok := strings.Cut(s, "+"); ok {
		// The library compares local labels by their dots only.
		text = public + "+" + strings.NewReplacer("-", ".", "_", ".").Replace(local)
	}
	v, err := pep440.Parse(text)
	if err != nil {
		return Version{}, fmt.Errorf("parse version %q: %w", s, err)
	}
	return Version{v: v, original: s}, nil
}

// Compare is -1 when v is older than o, 0 when equal, 1 when newer.
func (v Version) Compare(o Version) int { return v.v.Compare(o.v) }

// IsPre is true for alpha, beta, rc and dev releases.
func (v Version) IsPre() bool { return v.v.IsPreRelease() }

// IsLocal is true when the version has a local label, as "2.1.0+cu118".
func (v Version) IsLocal() bool { return v.v.Local() != "" }

// Release is the release segment as numbers: 2.15.0rc1 is [2 15 0].
func (v Version) Release() []int {
	base := v.v.BaseVersion()
	if i := strings.IndexByte(base, '!'); i >= 0 {
		base = base[i+1:]
	}
	fields := strings.Split(base, ".")
	numbers := make([]int, 0, len(fields))
	for _, f := range fields {
		numbers = append(numbers, atoi(f))
	}
	return numbers
}

// atoi saturates: a version written by a stranger may hold any number.
func atoi(digits string) int {
	n := 0
	for _, c := range digits {
		if n > (math.MaxInt-9)/10 {
			return math.MaxInt
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// String is the normalised form: "v1.0-RC1" is "1.0rc1".
func (v Version) String() string { return v.v.String() }

// Sort orders versions ascending, in place and stable. Those that do not parse
// come first, in byte order.
func Sort(versions []string) {
	parsed := make(map[string]*Version, len(versions))
	for _, s := range versions {
		if v, err := ParseVersion(s); err == nil {
			parsed[s] = &v
		}
	}
	sort.SliceStable(versions, func(i, j int) bool {
		a, b := parsed[versions[i]], parsed[versions[j]]
		switch {
		case a == nil && b == nil:
			return versions[i] < versions[j]
		case a == nil || b == nil:
			return a == nil
		}
		return a.Compare(*b) < 0
	})
}
