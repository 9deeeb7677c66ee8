package pydist

import "strings"

// operators, longest first, so that "===" is not read as "==".
var operators = []string{"===", "==", "!=", "<=", ">=", "~=", "<", ">"}

// Match says whether version satisfies every comma-separated clause of spec
// (PEP 440: ==, !=, <, <=, >, >=, ~=, === and the wildcards ==1.2.*, !=1.2.*).
// Both are untrusted: what does not parse matches nothing. An empty spec
// matches every valid version. Pre-releases are compared like any other: who
// chooses a version decides whether it wants them.
//
// The clauses are evaluated here and not by the version library, whose prefix
// match is wrong for versions shorter than the prefix (2 against ==2.0.*).
func Match(spec, version string) bool {
	v, err := ParseVersion(version)
	if err != nil {
		return false
	}
	for clause := range strings.SplitSeq(spec, ",") {
		if clause = strings.TrimSpace(clause); clause != "" && !matchClause(clause, v) {
			return false
		}
	}
	return true
}

func matchClause(clause string, v Version) bool {
	for _, op := range operators {
		if rest, ok := strings.CutPrefix(clause, op); ok {
			return matchOperator(op, strings.TrimSpace(rest), v)
		}
	}
	return false
}

func matchOperator(op, text string, v Version) bool {
	if op == "===" {
		return strings.EqualFold(text, v.original)
	}
	if prefix, ok := strings.CutSuffix(text, ".*"); ok {
		p, err := ParseVersion(prefix)
		if err != nil || p.IsLocal() || strings.Contains(p.String(), ".dev") || (op != "==" && op != "!=") {
			return false
		}
		return hasPrefix(v, p) == (op == "==")
	}
	w, err := ParseVersion(text)
	if err != nil || (w.IsLocal() && op != "==" && op != "!=") {
		return false
	}
	public := v.public()
	switch op {
	case "==", "!=":
		if w.IsLocal() {
			public = v
		}
		return (public.Compare(w) == 0) == (op == "==")
	case "<=":
		return public.Compare(w) <= 0
	case ">=":
		return public.Compare(w) >= 0
	case "<":
		// PEP 440: <1.0 leaves out the pre-releases of 1.0 itself.
		return v.Compare(w) < 0 && (w.IsPre() || !v.IsPre() || v.base().Compare(w.base()) != 0)
	case ">":
		// PEP 440: >1.0 leaves out 1.0.post1 and 1.0+local.
		return v.Compare(w) > 0 && (w.isPost() || !v.isPost() || v.base().Compare(w.base()) != 0) &&
			(!v.IsLocal() || v.base().Compare(w.base()) != 0)
	}
	return matchCompatible(w, public)
}

// matchCompatible is ~=W: at least W, and equal in all but W's last number.
func matchCompatible(w, v Version) bool {
	release := w.releaseTexts()
	if len(release) < 2 {
		return false
	}
	prefix, err := ParseVersion(w.epoch() + strings.Join(release[:len(release)-1], "."))
	return err == nil && v.Compare(w) >= 0 && hasPrefix(v, prefix)
}

// hasPrefix compares as ==P.* does: the release segment number by number with
// missing ones zero, then, where P goes on with a pre- or post-release, that.
func hasPrefix(v, p Version) bool {
	if v.epoch() != p.epoch() {
		return false
	}
	have, want := v.releaseTexts(), p.releaseTexts()
	suffix := p.suffix()
	for i := 0; i < len(want) || (suffix != "" && i < len(have)); i++ {
		if number(have, i) != number(want, i) {
			return false
		}
	}
	rest, ok := strings.CutPrefix(v.suffix(), suffix)
	return ok && (suffix == "" || rest == "" || rest[0] < '0' || rest[0] > '9')
}

func number(release []string, i int) string {
	if i < len(release) {
		return release[i]
	}
	return "0"
}

// base is the epoch and the release segment alone.
func (v Version) base() Version { return v.derive(v.v.BaseVersion()) }

// public is the version without its local label.
func (v Version) public() Version { return v.derive(v.publicText()) }

// derive parses a part of a normalised version, which is a version itself.
func (v Version) derive(text string) Version {
	w, err := ParseVersion(text)
	if err != nil {
		return v
	}
	return w
}

func (v Version) isPost() bool { return strings.Contains(v.publicText(), ".post") }

// publicText is the normal form without the local label.
func (v Version) publicText() string {
	text, _, _ := strings.Cut(v.String(), "+")
	return text
}

// epoch is "1!" or "".
func (v Version) epoch() string {
	if i := strings.IndexByte(v.String(), '!'); i >= 0 {
		return v.String()[:i+1]
	}
	return ""
}

// suffix is what follows the release segment: "rc1", ".post1.dev2".
func (v Version) suffix() string { return strings.TrimPrefix(v.publicText(), v.v.BaseVersion()) }

// releaseTexts are the numbers of the release segment as digits: they may be
// larger than any integer.
func (v Version) releaseTexts() []string {
	return strings.Split(strings.TrimPrefix(v.v.BaseVersion(), v.epoch()), ".")
}
