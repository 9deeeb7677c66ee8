package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
)

// A manifest only shows that a folder is as its last writer left it. What a
// forger may write into it must therefore follow from something that is looked
// at again: the script is read anew, a group's labels must fit its lock.

// reread puts into the evidence what the script is really refused for, and what
// of the claim does not rest on the report.
func (b *Bundle) reread() {
	fresh := candidate.Reread(b.Candidate)
	b.Candidate.HasControl = fresh.HasControl
	proof.Ground(b.Report, fresh, b.Outcome.Expectation, &b.Outcome.Evidence)
	for _, why := range proof.Refusals(fresh, b.Outcome.Expectation) {
		if !slices.Contains(b.Outcome.Evidence.Refused, why) {
			b.Outcome.Evidence.Refused = append(b.Outcome.Evidence.Refused, why)
		}
	}
}

// unfounded lists claims of the evidence that its own locks and variables
// contradict.
func (b *Bundle) unfounded() []string {
	out := append(b.forbiddenEnv(), b.oddControls()...)
	if e := b.Outcome.Expectation; e.ReporterScript && candidate.Reread(b.Candidate).Origin != "reporter" {
		out = append(out, fileOracle+": judges the script as the reporter's own, which it is not")
	}
	base := b.Outcome.Lock
	for i, g := range b.Outcome.Evidence.Groups {
		if i >= len(b.Outcome.Locks) || b.Outcome.Locks[i] == nil {
			continue
		}
		lock := b.Outcome.Locks[i]
		name := fmt.Sprintf("%s: the group %s %s %s", fileEvidence, g.Side, g.Subject, g.Version)
		if why := mispinned(lock); why != "" {
			out = append(out, name+" "+why)
		}
		version, _, _ := strings.Cut(g.Version, "@")
		if have := lock.Version(g.Subject); g.Subject != "" && version != "" && have != version {
			out = append(out, fmt.Sprintf("%s ran with %s %s", name, g.Subject, have))
		}
		if moved := unsaid(base, lock, g); len(moved) > 0 {
			out = append(out, fmt.Sprintf("%s also moved %s", name, strings.Join(moved, ", ")))
		}
	}
	return out
}

// mispinned says where the list of packages and the text that is installed
// differ.
func mispinned(l *environment.Lock) string {
	pins := map[string]bool{}
	for line := range strings.Lines(l.Text) {
		pin, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.Contains(pin, "==") {
			pins[pin] = true
		}
	}
	for _, p := range l.Packages {
		if pin := p.Name + "==" + p.Version; !pins[pin] && p.Wheel == "" {
			return "lists " + pin + ", which is not what its lock installs"
		}
		delete(pins, p.Name+"=="+p.Version)
	}
	for _, pin := range slices.Sorted(maps.Keys(pins)) {
		return "installs " + pin + ", which it does not list"
	}
	return ""
}

// unsaid are packages beside the subject that differ from the reported side and
// are not listed as moved.
func unsaid(base, lock *environment.Lock, g oracle.Group) []string {
	var out []string
	if base == nil {
		return nil
	}
	said := func(name string) bool {
		return name == g.Subject || slices.ContainsFunc(g.Moved, func(m string) bool { return strings.HasPrefix(m, name+" ") })
	}
	for _, p := range append(slices.Clone(base.Packages), lock.Packages...) {
		if base.Version(p.Name) != lock.Version(p.Name) && !said(p.Name) && !slices.Contains(out, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}

// forbiddenEnv are variables that no report may set, and no bundle either.
func (b *Bundle) forbiddenEnv() []string {
	var out []string
	sets := map[string]map[string]string{fileCandidate: b.Candidate.Env, fileEvidence: maps.Clone(b.Outcome.Spec.Env)}
	if sets[fileEvidence] == nil {
		sets[fileEvidence] = map[string]string{}
	}
	for _, l := range append([]*environment.Lock{b.Outcome.Lock}, b.Outcome.Locks...) {
		if l != nil {
			maps.Copy(sets[fileEvidence], l.Env)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(sets)) {
		for _, name := range slices.Sorted(maps.Keys(sets[file])) {
			if candidate.ForbiddenEnv(name) {
				out = append(out, fmt.Sprintf("%s: sets %q, which no report may set", file, name))
			}
		}
	}
	return out
}
