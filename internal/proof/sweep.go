package proof

import (
	"context"
	"strings"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
)

// sweepProbes bounds how many releases a forward sweep tries.
const sweepProbes = 8

// sweep is for a report without a date whose symptom did not come: it may be
// the work of a release that came out after the day we assumed. Packages in
// the reporter's traceback that nobody pinned are moved forward, one at a
// time, series by series, until the symptom comes. The runs so far then are
// the older control.
func (p *proof) sweep(ctx context.Context) error {
	if found, err := p.preview(ctx); err != nil || found || !p.mayDrift() {
		return err
	}
	for _, name := range p.drifters() {
		found, err := p.sweepOne(ctx, name)
		if err != nil || found {
			return err
		}
	}
	return nil
}

// mayDrift says that the day of the environment was inferred, and that the
// expected symptom is a crash whose frames say which packages took part.
func (p *proof) mayDrift() bool {
	src := p.spec.AsOfSource
	inferred := strings.HasPrefix(src, "release") || src == "now"
	return inferred && len(p.exp.Symptom.Frames) > 0 && p.reported.cert.OK
}

// drifters are the distributions of the traceback's frames whose version is
// nobody's word but the resolver's, innermost first.
func (p *proof) drifters() []string {
	var names []string
	seen := map[string]bool{}
	frames := p.exp.Symptom.Frames
	for i := len(frames) - 1; i >= 0; i-- {
		name := lockName(p.reported.lock, distOfFile(frames[i].File, frames[i].Package))
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		for _, pk := range p.reported.lock.Packages {
			if pk.Name == name && (pk.Word == environment.WordResolver || pk.Word == environment.WordImport) {
				names = append(names, name)
			}
		}
	}
	return names
}

// distOfFile maps a frame to its distribution by its whole path, since a
// namespace package ("google") belongs to many.
func distOfFile(file, pkg string) string {
	module := pkg
	parts := strings.Split(strings.TrimSuffix(file, ".py"), "/")
	for i, part := range parts {
		if part == pkg && i+1 < len(parts) {
			module = strings.Join(parts[i:], ".")
			break
		}
	}
	dist, _ := pydist.FromModule(module)
	return dist
}

// sweepOne moves one distribution forward until the symptom comes.
func (p *proof) sweepOne(ctx context.Context, name string) (bool, error) {
	p.progress("run", "the symptom did not come as of %s: sweeping %s forward", p.spec.AsOf.Format("2006-01-02"), name)
	baseline := p.reported
	probes := 0
	for _, v := range forward(p.list(ctx, name), baseline.lock.Version(name)) {
		if probes++; probes > sweepProbes || p.late() {
			break
		}
		s, err := p.build(ctx, plan{oracle.SideReported, name, v}, baseline.spec, baseline.lock)
		if err != nil {
			return false, err
		}
		if s.env == nil {
			continue
		}
		if err := p.repeat(ctx, s, 1); err != nil {
			return false, err
		}
		if p.countHits(s) == 0 {
			if p.absent(s) && older(baseline.lock.Version(name), v) {
				baseline = &side{group: s.group, lock: s.lock, env: s.env, spec: s.spec, cert: s.cert}
			}
			continue
		}
		return true, p.adoptSweep(ctx, s, baseline, name)
	}
	return false, nil
}

// adoptSweep makes a swept release the reported side and the last one before
// it the older control.
func (p *proof) adoptSweep(ctx context.Context, s, before *side, name string) error {
	p.note("nothing in the report pins %s; the symptom comes with %s %s, the first tried release after %s that shows it",
		name, name, s.lock.Version(name), before.lock.Version(name))
	return p.takeOver(ctx, s, before, name)
}

// takeOver makes another release the reported side, what was it an older release,
// and looks for controls from there.
func (p *proof) takeOver(ctx context.Context, s, before *side, name string) error {
	version := s.lock.Version(name)
	s.group.Side = oracle.SideReported
	s.group.Older, s.group.Moved, s.group.MovedNamed = false, nil, nil
	s.spec.AsOf, s.spec.AsOfSource = s.lock.AsOf, "sweep: "+name+" "+version
	if !s.cert.OK && p.judgeAny(s.cert.Execution).Finding == oracle.Hit {
		p.out.Evidence.CertificateHit = true
	}
	p.subject, p.reported = name, s
	before.group.Side, before.group.Subject = oracle.SideRelease, name
	before.group.Version, before.group.Older = before.lock.Version(name), true
	if err := p.repeat(ctx, s, p.in.Runs); err != nil {
		return err
	}
	if err := p.repeat(ctx, before, controlRuns); err != nil {
		return err
	}
	p.out.Evidence.Groups = append(p.out.Evidence.Groups, before.group)
	p.out.Locks = append(p.out.Locks, before.lock)
	p.openYard(ctx, s.spec, s.lock)
	return p.controls(ctx, p.yard, p.expectControls(ctx))
}

// forward lists the first release of each series after the given one, then the
// newest.
func forward(rs []environment.Release, from string) []string {
	var out []string
	last, newest := series(from), ""
	for _, r := range rs {
		if !usable(r) || !r.Wheel || r.Version == from || older(r.Version, from) {
			continue
		}
		newest = r.Version
		if s := series(r.Version); s != last {
			last = s
			out = append(out, r.Version)
		}
	}
	if newest != "" && (len(out) == 0 || out[len(out)-1] != newest) {
		if len(out) >= sweepProbes {
			out = out[:sweepProbes-1]
		}
		out = append(out, newest)
	}
	return out
}
