package proof

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
)

// search tries other releases of a distribution, until one is a control that
// can give grade B. extra is for a second suspect: fewer probes.
func (p *proof) search(ctx context.Context, y *yard, name string, extra bool) (bool, error) {
	left := p.probesFor(name)
	if extra {
		left = extraProbes
	}
	for ; left > 0; left-- {
		rs, from, seen := p.list(ctx, name), p.reported.lock.Version(name), p.seen(name)
		version := nextProbe(rs, from, seen)
		if version == "" {
			return false, nil
		}
		if p.late() {
			p.out.Evidence.BudgetEnded = true
			p.note("the time budget ended the search for a control before %s %s", name, version)
			return false, nil
		}
		if time.Since(p.began) > searchPatience && p.provisional() < "D" {
			p.note("grade C stands, and %v were enough to look for a release pair: the next one would have been %s %s", searchPatience, name, version)
			return false, nil
		}
		good, err := p.probe(ctx, y, plan{oracle.SideRelease, name, version}, nextProbe)
		if err != nil || good {
			return good, err
		}
	}
	return false, nil
}

// probesFor bounds the search over the releases of the subject. Once the
// evidence carries a grade a better one is worth a few probes, else as many as
// a bisection needs, and some more for releases that say nothing. Where no
// release could be called good, a few only show how far the symptom reaches.
func (p *proof) probesFor(name string) int {
	if p.provisional() < "D" {
		return searchProbes
	}
	up, down := around(p.releases[name], p.reported.lock.Version(name))
	probes := bound(max(len(up), len(down))) + silentProbes
	if !p.exp.Satisfiable() {
		return min(probes, extraProbes) // to be told, not to decide
	}
	return probes
}

// probe builds one release and runs it. Meanwhile the releases that would come
// next, whatever this one shows, are built in the background.
func (p *proof) probe(ctx context.Context, y *yard, pl plan, next chooser) (good bool, err error) {
	y.only(pl)
	s, err := y.take(ctx, pl)
	if err != nil {
		return false, err
	}
	rs, from := p.list(ctx, pl.name), p.reported.lock.Version(pl.name)
	for _, outcome := range []probed{shows, without} {
		seen := p.seen(pl.name)
		seen[pl.version] = outcome
		if v := next(rs, from, seen); v != "" && !measured(p.exp.Oracle) && !heavy[pl.name] {
			y.want(plan{oracle.SideRelease, pl.name, v})
		}
	}
	return p.tryControl(ctx, s)
}

// heavy are distributions of which each release is a download of hundreds of
// megabytes: none is fetched on a guess. Sizes of the wheels for Linux, 2024.
var heavy = map[string]bool{
	"torch": true, "tensorflow": true, "tensorflow-cpu": true, "jaxlib": true, "paddlepaddle": true,
	"mxnet": true, "vllm": true, "xformers": true, "onnxruntime-gpu": true, "pyspark": true,
}

// narrow goes on from a release without the symptom towards the two neighbours
// between which it came or went, while there is patience for it: the grade does
// not depend on it. cost is what the last control took: the next one will take
// about as long.
func (p *proof) narrow(ctx context.Context, y *yard, cost time.Duration) error {
	if heavy[p.subject] {
		return nil
	}
	p.narrowing = true
	until := p.began.Add(max(patience, time.Since(p.began)*5/4))
	for {
		v := nextOfPair(p.list(ctx, p.subject), p.reported.lock.Version(p.subject), p.seen(p.subject))
		began := time.Now()
		if v == "" || p.late() || began.Add(cost).After(until) {
			return nil
		}
		if _, err := p.probe(ctx, y, plan{oracle.SideRelease, p.subject, v}, nextOfPair); err != nil {
			return err
		}
		cost = time.Since(began)
	}
}

// sayPairs names the neighbouring releases between which the symptom came or
// went, where both were run. A release that moved more than itself is no end of
// a pair.
func (p *proof) sayPairs() {
	from, seen := p.reported.lock.Version(p.subject), p.seen(p.subject)
	for _, g := range p.out.Evidence.Groups {
		if g.Subject == p.subject && (len(g.MovedNamed) > 0 || g.StandIn) {
			seen[g.Version] = silent
		}
	}
	up, down := around(p.releases[p.subject], from)
	if bad, good, ok := neighbours(up, from, seen); ok {
		p.note("it went with %s %s: the release before it, %s, still shows it", p.subject, good, bad)
	}
	if bad, good, ok := neighbours(down, from, seen); ok && bad != from {
		p.note("it came with %s %s: the release before it, %s, is without it", p.subject, bad, good)
	}
}

// neighbours are the ends of a side's bracket, ok when nothing lies between.
func neighbours(side []string, from string, seen map[string]probed) (bad, good string, ok bool) {
	last, first := bracket(side, seen)
	if first == len(side) || first != last+1 {
		return "", "", false
	}
	if bad = from; last >= 0 {
		bad = side[last]
	}
	return bad, side[first], true
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
		if g.Subject != name || ownScript(g.Side) {
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

// ownScript says that a group ran in the reported environment with a change of
// the script: it says nothing of a release.
func ownScript(side oracle.Side) bool {
	return side == oracle.SideAuthored || side == oracle.SideContrast || side == oracle.SideRemoval || side == oracle.SidePinned || side == oracle.SideReseeded
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
		if p.absent(s) && p.beforeReported(g.Subject, g.Version) {
			return true
		}
	}
	return false
}

func (p *proof) beforeReported(name, version string) bool {
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
