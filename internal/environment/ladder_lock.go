package environment

import (
	"context"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment/pypi"
	"github.com/repgen/repgen/internal/environment/uv"
)

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
		for plain, builds := range cpuBuild {
			cpu := builds[0]
			if r.Name != cpu || !slices.ContainsFunc(res.Packages, func(p uv.Pinned) bool { return p.Name == plain }) {
				continue
			}
			l.record("two builds of the same code", plain+" and "+cpu)
			l.step(rungPreflight, plain, "%s -> %s: another package needs %s itself", cpu, plain, plain)
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
func (l *ladder) lock(res uv.CompileResult) (*Lock, error) {
	lock := &Lock{
		Python: l.python.Version, AsOf: l.cutoff, Rung: l.rung, Rungs: l.rungs, Index: res.Index, Text: res.Text,
		Requirements: l.reqs, Constraints: l.cons, Exempt: l.exempt, Env: l.spec.Env, StandIns: l.standIns, Edits: l.edits,
		Changes: l.changes,
	}
	for i, p := range res.Packages {
		if own, ok := l.own[p.Name]; ok && own.Version == p.Version {
			res.Packages[i].Hashes = own.Hashes // not those of a release of the same version
		}
		lock.Packages = append(lock.Packages, l.word(res.Packages[i]))
	}
	if len(l.own) > 0 {
		text, err := uv.FormatLock(res.Packages)
		if err != nil {
			return nil, err
		}
		lock.Text = text
	}
	slices.SortFunc(lock.Packages, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	lock.Hash = lockHash(lock, l.python)
	lock.Asked = lock.askedFor(l.spec)
	return lock, nil
}

func (l *ladder) word(p uv.Pinned) Package {
	out := Package{Name: p.Name, Version: p.Version, Hashes: p.Hashes, Word: WordResolver}
	if h, ok := l.built[p.Name+"=="+p.Version]; ok {
		out.Sdist, out.Repaired = !h.fromIndex, len(h.repaired) > 0
		out.Built, out.BuiltAsOf = h.hash, h.builtAsOf
	}
	if own, ok := l.own[p.Name]; ok && own.Version == p.Version {
		out.Wheel = own.Wheel
	}
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

// after puts what was done for the base before what was done for its control.
func (l *Lock) after(base *Lock, s Spec) {
	l.StandIns = slices.Concat(base.StandIns, l.StandIns)
	l.Edits = slices.Concat(base.Edits, l.Edits)
	l.Changes = slices.Concat(base.Changes, l.Changes)
	l.Asked = l.askedFor(s)
}
