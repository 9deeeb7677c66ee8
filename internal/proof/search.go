package proof

import (
	"context"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
)

// search tries other releases of a distribution, until one is a control that
// can give grade B. extra is for a second suspect: fewer probes, its newest
// release first.
func (p *proof) search(ctx context.Context, name string, extra bool) (bool, error) {
	probes := searchProbes
	if extra {
		probes = extraProbes
	}
	for range probes {
		version := nextProbe(p.list(ctx, name), p.reported.lock.Version(name), p.seen(name))
		if v := p.newest(ctx, name); extra && v != "" && p.seen(name)[v] == untried {
			version = v
		}
		if version == "" {
			return false, nil
		}
		if p.late() {
			p.out.Evidence.BudgetEnded = true
			p.note("the time budget ended the search for a control before %s %s", name, version)
			return false, nil
		}
		s, err := p.build(ctx, plan{oracle.SideRelease, name, version}, p.reported.spec, p.reported.lock)
		if err != nil {
			return false, err
		}
		good, err := p.tryControl(ctx, s)
		if err != nil || good {
			return good, err
		}
	}
	return false, nil
}

// probed is what a release has shown so far.
type probed int

const (
	untried probed = iota
	shows          // the symptom came
	without        // it ran through without it
	silent         // it says nothing: not built, failed otherwise
)

// seen is what each tried release of a distribution has shown.
func (p *proof) seen(name string) map[string]probed {
	m := map[string]probed{}
	for _, g := range p.out.Evidence.Groups {
		if g.Subject != name {
			continue
		}
		s := &side{group: g}
		switch {
		case p.countHits(s) > 0:
			m[g.Version] = shows
		case p.absent(s):
			m[g.Version] = without
		default:
			m[g.Version] = silent
		}
	}
	return m
}

// nextProbe chooses the release to try next; "" when none is left. Once a newer
// one is without the symptom (but moved too much to be a control), the fix
// lies between it and the reported one: first the very next release, whose
// requirements are the closest, then the middle of what is left. Otherwise it
// goes outward.
func nextProbe(rs []environment.Release, from string, seen map[string]probed) string {
	var between []string
	bounded, first := false, true
	for _, r := range rs {
		if !usable(r) || !r.Wheel || r.Version == from || older(r.Version, from) {
			continue
		}
		switch seen[r.Version] {
		case without:
			bounded = true
		case shows:
			between, first = nil, false // the fix is later
		case silent:
			first = false
		case untried:
			between = append(between, r.Version)
		}
		if bounded {
			break
		}
	}
	if bounded && len(between) > 0 {
		if first {
			return between[0]
		}
		return between[len(between)/2]
	}
	if v := nearestNewer(rs, from); v != "" && seen[v] == untried && failedFarther(rs, from, seen) {
		return v
	}
	for _, v := range outward(rs, from) {
		if seen[v] == untried && (!bounded || older(v, from)) {
			return v // beyond the bound even more would move
		}
	}
	return ""
}

// nearestNewer is the release right after from.
func nearestNewer(rs []environment.Release, from string) string {
	for _, r := range rs {
		if usable(r) && r.Wheel && r.Version != from && !older(r.Version, from) {
			return r.Version
		}
	}
	return ""
}

// failedFarther: a newer release failed for reasons of its own, and none shows
// the symptom or is without it. What is released later has moved too far from the
// rest of the lock; the very next release has moved least.
func failedFarther(rs []environment.Release, from string, seen map[string]probed) bool {
	failed := false
	for _, r := range rs {
		if older(r.Version, from) || r.Version == from {
			continue
		}
		switch seen[r.Version] {
		case shows, without:
			return false
		case silent:
			failed = true
		}
	}
	return failed
}

// outward orders releases by how likely they are to tell the bug's age: the
// last patch of the same series, the first of the next ones, and downward the
// last of each series, taken in turn. Neighbouring patches alone are a poor
// search: the next patch is often not the fix.
func outward(rs []environment.Release, from string) []string {
	var newer, before, up, down []string
	for _, r := range rs {
		switch {
		case !usable(r) || !r.Wheel || r.Version == from:
		case older(r.Version, from):
			before = append(before, r.Version)
		default:
			newer = append(newer, r.Version)
		}
	}
	for i, v := range newer {
		own := series(v) == series(from)
		lastOfOwn := own && (i+1 == len(newer) || series(newer[i+1]) != series(v))
		firstOfNext := !own && (i == 0 || series(newer[i-1]) != series(v))
		if lastOfOwn || firstOfNext {
			up = append(up, v)
		}
	}
	for i := len(before) - 1; i >= 0; i-- {
		if i == len(before)-1 || series(before[i+1]) != series(before[i]) {
			down = append(down, before[i])
		}
	}
	return interleave(up, down)
}

// series is the first two numbers of a version: releases within one differ by
// patches.
func series(v string) string {
	parts := strings.SplitN(v, ".", 3)
	if len(parts) < 2 {
		return v
	}
	return parts[0] + "." + parts[1]
}

func interleave(a, b []string) []string {
	var out []string
	for i := 0; i < max(len(a), len(b)); i++ {
		if i < len(a) {
			out = append(out, a[i])
		}
		if i < len(b) {
			out = append(out, b[i])
		}
	}
	return out
}

func older(a, b string) bool {
	va, errA := pydist.ParseVersion(a)
	vb, errB := pydist.ParseVersion(b)
	return errA == nil && errB == nil && va.Compare(vb) < 0
}

// matcher turns a version as written into a PEP 440 specifier.
func matcher(v report.Version) string {
	spec := strings.TrimSpace(v.Spec)
	switch {
	case v.Kind == report.VersionRange:
		return spec
	case v.Kind == report.VersionPartial:
		return "==" + strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(spec, ".x"), ".*"), ".") + ".*"
	}
	return "==" + spec
}

// adjacent says whether the reported release and the nearest older control
// without the symptom are neighbours on the index.
func (p *proof) adjacent() bool {
	for _, g := range p.out.Evidence.Groups {
		if !g.Older || g.Unavailable != "" || len(g.Executions) == 0 {
			continue
		}
		s := &side{group: g}
		if p.absent(s) && p.neighbours(g.Subject, g.Version) {
			return true
		}
	}
	return false
}

func (p *proof) neighbours(name, version string) bool {
	var stable []string
	for _, r := range p.releases[name] {
		if usable(r) {
			stable = append(stable, r.Version)
		}
	}
	for i, v := range stable {
		if v == version && i+1 < len(stable) {
			return stable[i+1] == p.reported.lock.Version(name)
		}
	}
	return false
}

// minor is "3.11" of "3.11.7".
func minor(python string) string {
	parts := strings.SplitN(python, ".", 3)
	if len(parts) < 2 {
		return python
	}
	if _, err := strconv.Atoi(parts[1]); err != nil {
		return python
	}
	return parts[0] + "." + parts[1]
}
