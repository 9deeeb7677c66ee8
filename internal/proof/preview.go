package proof

import (
	"context"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// absentName is a name or a submodule that a module has not. What is missing
// from an instance may be the bug itself.
var absentName = lazyre.New(`^(?:module '([\w.]+)' has no attribute '\w+'|cannot import name '\w+' from '([\w.]+)'|No module named '([\w.]+)\.\w+')`)

// absentClass are the classes of such a failure.
var absentClass = map[string]bool{"AttributeError": true, "ImportError": true, "ModuleNotFoundError": true}

// preview is for a script that uses what the subject's newest release of the day
// has not yet, where nobody stated one: its author had a pre-release of that day,
// or the state that the next release was made from. One of them is made the
// reported side if the symptom comes there; if it does not, nothing was learnt.
func (p *proof) preview(ctx context.Context) (bool, error) {
	before := p.reported
	if !p.lacksName(before) {
		return false, nil
	}
	from := before.lock.Version(p.subject)
	var without []string
	for _, v := range p.previews(ctx, before) {
		if p.late() {
			return false, nil
		}
		p.progress("run", "%s %s lacks what the script uses: trying %s", p.subject, from, v)
		s, err := p.build(ctx, plan{oracle.SideReported, p.subject, v}, before.spec, before.lock)
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
			without = append(without, v)
			continue
		}
		p.note("%s %s, the newest release of the day, lacks what the script uses, and the report states none: %s %s has it and is taken for the reporter's",
			p.subject, from, p.subject, v)
		return true, p.takeOver(ctx, s, before, p.subject)
	}
	if len(without) > 0 {
		p.note("%s %s, the newest release of the day, lacks what the script uses, and the report states none; tried without the symptom: %s",
			p.subject, from, strings.Join(without, ", "))
	}
	return false, nil
}

// lacksName says that a line of the script itself fails since a module of the
// subject has not what it names, and that this is not what was reported.
func (p *proof) lacksName(s *side) bool {
	if len(s.group.Executions) == 0 || p.exp.Oracle == oracle.OracleNone || p.exp.Symptom.Kind == symptom.ImportError ||
		absentClass[p.exp.Symptom.Exception] || !p.nobodysRelease(s.lock) {
		return false
	}
	all := s.group.Executions[0].Record.Exceptions
	if len(all) == 0 || len(all[len(all)-1].Frames) == 0 {
		return false
	}
	e := all[len(all)-1]
	m := absentName.FindStringSubmatch(e.Message)
	return m != nil && absentClass[e.Type] && e.Frames[len(e.Frames)-1].Module == "__main__" &&
		lockedDist(s.lock, m[1]+m[2]+m[3]) == p.subject
}

// nobodysRelease: the subject's version is the day's alone.
func (p *proof) nobodysRelease(lock *environment.Lock) bool {
	i := slices.IndexFunc(lock.Packages, func(pk environment.Package) bool { return pk.Name == p.subject })
	return i >= 0 && (lock.Packages[i].Word == environment.WordResolver || lock.Packages[i].Word == environment.WordImport)
}

// previews are the releases above the subject's one that the author may have had
// or had in the making: the newest pre-release of the day, and the first
// pre-release and the first release after it.
func (p *proof) previews(ctx context.Context, s *side) []string {
	day, from := s.spec.AsOf, s.lock.Version(p.subject)
	if day.IsZero() {
		return nil
	}
	had, made, out := "", "", ""
	for _, r := range p.list(ctx, p.subject) {
		if r.Yanked != "" || !r.Wheel || r.Uploaded.IsZero() || !older(from, r.Version) {
			continue
		}
		later := r.Uploaded.After(day)
		switch {
		case r.Pre && !later && (had == "" || older(had, r.Version)):
			had = r.Version
		case r.Pre && later && (made == "" || older(r.Version, made)):
			made = r.Version
		case !r.Pre && later && (out == "" || older(r.Version, out)):
			out = r.Version
		}
	}
	if made != "" && out != "" && older(out, made) {
		made = "" // of a later series
	}
	return slices.DeleteFunc([]string{had, made, out}, func(v string) bool { return v == "" })
}
