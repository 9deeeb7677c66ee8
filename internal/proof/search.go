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

// search tries other releases of a distribution outward from the one in the
// lock, until one is a control that can give grade B.
func (p *proof) search(ctx context.Context, name string, withNewest bool) (bool, error) {
	var plans []plan
	if v := p.newest(ctx, name); withNewest && v != "" {
		plans = append(plans, plan{oracle.SideRelease, name, v})
	}
	for _, v := range outward(p.list(ctx, name), p.reported.lock.Version(name)) {
		plans = append(plans, plan{oracle.SideRelease, name, v})
	}
	probes := 0
	for _, pl := range plans {
		if p.known(pl) {
			continue
		}
		if probes++; probes > searchProbes {
			break
		}
		if p.late() {
			p.out.Evidence.BudgetEnded = true
			p.note("the time budget ended the search for a control before %s %s", pl.name, pl.version)
			return false, nil
		}
		s, err := p.build(ctx, pl, p.reported.spec, p.reported.lock)
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

// known says that a release has been tried already.
func (p *proof) known(pl plan) bool {
	if p.reported.lock.Version(pl.name) == pl.version {
		return true
	}
	for _, g := range p.out.Evidence.Groups {
		if g.Subject == pl.name && g.Version == pl.version {
			return true
		}
	}
	return false
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
