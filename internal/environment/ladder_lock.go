package environment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/pypi"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/pydist"
)

// lockVersion changes when equal texts are to be built differently from now on.
const lockVersion = "1"

// review looks at a solution for what a resolver does not know. Again is true
// when something was changed and it has to solve once more.
func (l *ladder) review(_ context.Context, res uv.CompileResult) (again bool, u *Unavailable, err error) {
	for _, p := range res.Packages {
		reason, bad := pypi.Denied(p.Name, p.Version)
		if !bad {
			continue
		}
		l.record("poisoned release", p.Name+" "+p.Version+": "+reason)
		if u := l.denied(p.Name, p.Version, reason); u != nil {
			return false, u, nil
		}
		again = true
	}
	if again {
		return true, nil, nil
	}
	return l.twins(res), nil, nil
}

// twins undoes a CPU build when something else brings the full one: both hold
// the same files, and which would win is chance.
func (l *ladder) twins(res uv.CompileResult) bool {
	for i := range l.reqs {
		r := &l.reqs[i]
		for plain, cpu := range cpuBuild {
			if r.Name != cpu || !slices.ContainsFunc(res.Packages, func(p uv.Pinned) bool { return p.Name == plain }) {
				continue
			}
			l.record("two builds of the same code", plain+" and "+cpu)
			l.step(rungPreflight, "%s -> %s: another package needs %s itself", cpu, plain, plain)
			if l.spec.Subject == cpu {
				l.spec.Subject = plain
				l.protected = append(l.protected, plain)
			}
			r.Name = plain
			return true
		}
	}
	return false
}

// lock is the solution with each package's word.
func (l *ladder) lock(res uv.CompileResult) *Lock {
	lock := &Lock{
		Python: l.python.Version, AsOf: l.cutoff, Rung: l.rung, Rungs: l.rungs, Text: res.Text,
		Requirements: l.reqs, Constraints: l.cons, Exempt: l.exempt, StandIns: l.standIns, Edits: l.edits,
	}
	for _, p := range res.Packages {
		lock.Packages = append(lock.Packages, l.word(p))
	}
	slices.SortFunc(lock.Packages, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	lock.Hash = lockHash(l.python, res.Text)
	return lock
}

func (l *ladder) word(p uv.Pinned) Package {
	out := Package{Name: p.Name, Version: p.Version, Hashes: p.Hashes, Word: WordResolver, Sdist: l.built[p.Name+"=="+p.Version]}
	if r, constraint := l.pinOf(p.Name); r != nil {
		out.Word, out.Why = r.Word, r.Why
		if constraint && out.Why == "" {
			out.Why = "named in the report"
		}
		return out
	}
	var via []string
	for _, v := range p.Via {
		if v != "requirement" {
			via = append(via, v)
		}
	}
	if len(via) > 0 {
		out.Why = "needed by " + clip(strings.Join(via, ", "), 80)
	}
	return out
}

// lockHash is the key of the environment: what is installed and by which
// interpreter. The interpreter's path is part of it because an environment
// points at its interpreter.
func lockHash(python interp.Interpreter, text string) string {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%s\x00%s\x00%s\x00%s\x00%s", lockVersion, python.Version, python.ABI, python.Path, text)
	return hex.EncodeToString(sum.Sum(nil))
}

// requirementsOf are a lock's packages as exact pins, for a resolver that is
// to keep them.
func requirementsOf(base *Lock) []Requirement {
	out := make([]Requirement, 0, len(base.Packages))
	for _, p := range base.Packages {
		if _, err := pydist.ParseVersion(p.Version); err == nil {
			out = append(out, Requirement{Name: p.Name, Spec: "==" + p.Version, Word: p.Word, Why: p.Why})
		}
	}
	return out
}
