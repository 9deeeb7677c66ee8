package environment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
	"github.com/repgen/repgen/internal/environment/uv"
	"github.com/repgen/repgen/internal/pydist"
)

// The rungs, as they are numbered in a Lock. A lock's rung is the highest one
// that was needed.
const (
	rungExact     = 1 // exact pins as of the date
	rungPreflight = 2 // repaired from the index listings before resolving
	rungSource    = 3 // a source package built in the sandbox
	rungDate      = 4 // a pinned release is newer than the date
	rungPython    = 5 // another interpreter
	rungStandIn   = 6 // the nearest release in place of one that is gone
	rungConflict  = 7 // a pin that contradicts the others loosened
	rungSubject   = 8 // only the subject pinned
	rungMetadata  = 9 // a wheel whose metadata no resolver reads, repaired
	// Rungs is how many there are.
	Rungs = 9
)

var rungNames = map[int]string{
	rungExact:     "exact pins as of the date",
	rungPreflight: "pins repaired from the index listings",
	rungSource:    "source package built in the sandbox",
	rungDate:      "date moved for a newer pin",
	rungPython:    "another interpreter",
	rungStandIn:   "nearest release as a stand-in",
	rungConflict:  "contradicting pin loosened",
	rungSubject:   "only the subject pinned",
	rungMetadata:  "wheel with its metadata repaired",
}

// maxCalls bounds the resolver calls of one solve. The messiest measured
// report (a freeze of 197 lines) needed 4; every repair but the last of them
// removes a pin, so a solve ends without the bound too.
const maxCalls = 40

// surroundings are what a ladder stands on: the Manager, or a table in tests.
type surroundings interface {
	listings
	interpreters(ctx context.Context) ([]interp.Interpreter, error)
	compile(ctx context.Context, in uv.CompileInput) (uv.CompileResult, error)
	house(ctx context.Context, in houseInput) (house, *Unavailable, error)
}

// ladder is the state of one solve: what is asked for now, and what was tried.
type ladder struct {
	on      surroundings
	spec    Spec
	pythons []interp.Interpreter
	python  interp.Interpreter

	reqs, cons []Requirement
	cutoff     time.Time
	exempt     []string
	links      []string
	own        map[string]Package // wheels of a project, by name
	existing   string             // a lock whose versions are preferred
	keepPython bool               // a control: the interpreter may not change
	protected  []string
	extra      []string // further constraints: "name!=version"

	rung     int
	detail   []string // what was repaired since the last resolver call
	rungs    []Rung
	tried    map[string]int   // failures by signature
	left     []string         // minor versions that had no wheels
	built    map[string]house // by "name==version"
	edits    []string
	changes  []Change
	standIns []string
	reason   string // the best explanation so far, should it fail for good
	calls    int
}

func newLadder(on surroundings, s Spec) *ladder {
	return &ladder{
		on: on, spec: s,
		reqs: slices.Clone(s.Requirements), cons: slices.Clone(s.Constraints),
		cutoff: s.AsOf, protected: protectedBy(s),
		rung: rungExact, tried: map[string]int{}, built: map[string]house{},
	}
}

// protectedBy is the subject. One that the script does not import (protobuf
// under tensorflow) is nothing without the package that brings it, so the
// first pinned requirement is protected with it.
func protectedBy(s Spec) []string {
	names := []string{s.Subject}
	if indexOf(s.Requirements, s.Subject) >= 0 {
		return names
	}
	for _, r := range s.Requirements {
		if r.Spec != "" {
			return append(names, r.Name)
		}
	}
	return names
}

// climb solves the Spec: interpreter and pins from the index listings, then
// one repair for each failure of the resolver.
func (l *ladder) climb(ctx context.Context) (*Lock, *Unavailable, error) {
	l.withoutNightlies()
	if err := l.prefetch(ctx); err != nil {
		return nil, nil, err
	}
	if u, err := l.choosePython(ctx); u != nil || err != nil {
		return nil, u, err
	}
	if u, err := l.preflight(ctx); u != nil || err != nil {
		return nil, u, err
	}
	return l.resolve(ctx)
}

// resolve calls the resolver until it solves or no repair is left.
func (l *ladder) resolve(ctx context.Context) (*Lock, *Unavailable, error) {
	if len(l.reqs) == 0 { // a script of the standard library alone
		l.record("solved", "")
		lock, err := l.lock(uv.CompileResult{OK: true})
		return lock, nil, err
	}
	for l.calls < maxCalls {
		l.calls++
		res, err := l.on.compile(ctx, l.input())
		if err != nil {
			return nil, nil, fmt.Errorf("resolve: %w", err)
		}
		if res.OK {
			again, u, err := l.review(ctx, res)
			if u != nil || err != nil {
				return nil, u, err
			}
			if again {
				continue
			}
			l.record("solved", "")
			lock, err := l.lock(res)
			return lock, nil, err
		}
		if res.Failure.Infrastructure() {
			return nil, nil, infrastructure(res.Failure)
		}
		l.record(string(res.Failure.Class), res.Failure.Detail)
		if u, err := l.repair(ctx, res.Failure); u != nil || err != nil {
			return nil, u, err
		}
	}
	return nil, l.unavailable(fmt.Sprintf("no solution after %d attempts", l.calls), ""), nil
}

func infrastructure(f uv.Failure) error {
	switch f.Class {
	case uv.Unreachable, uv.TimedOut:
		return &IndexError{
			What: "the package index could not be reached while resolving", Why: f.Detail,
			Next: "check the network and the index (repgen doctor), or name one with --index",
		}
	case uv.FileLimit, uv.DiskFull:
		return installError(f)
	default:
		return fmt.Errorf("resolve: %s: %s", f.Class, f.Detail)
	}
}

func (l *ladder) input() uv.CompileInput {
	in := uv.CompileInput{
		Python: l.python.Path, ExcludeNewer: l.cutoff, Exempt: l.exempt,
		FindLinks: l.links, Existing: l.existing,
	}
	for _, r := range l.reqs {
		in.Requirements = append(in.Requirements, r.line())
	}
	for _, r := range l.cons {
		r.Extras = nil // uv refuses extras in constraints
		in.Constraints = append(in.Constraints, r.line())
	}
	in.Constraints = append(in.Constraints, l.extra...)
	// A pinned pre-release drags those of its family along.
	for _, r := range l.reqs {
		if v, err := pydist.ParseVersion(r.exact()); err == nil && v.IsPre() {
			in.Prerelease = "if-necessary-or-explicit"
		}
	}
	return in
}

// names are those of all pins.
func (l *ladder) names() []string {
	out := make([]string, 0, len(l.reqs)+len(l.cons))
	for _, r := range slices.Concat(l.reqs, l.cons) {
		out = append(out, r.Name)
	}
	return out
}

// step says what is changed next, to which pin ("" for the date, "python" for
// the interpreter), and on which rung that stands.
func (l *ladder) step(rung int, name, format string, args ...any) {
	l.rung = max(l.rung, rung)
	text := fmt.Sprintf(format, args...)
	l.detail = append(l.detail, text)
	l.note(rung, name, text)
}

// note records a change that is no step of its own on the ladder.
func (l *ladder) note(rung int, name, text string) {
	l.edits = append(l.edits, text)
	l.changes = append(l.changes, Change{Name: name, Rung: rung, Text: text})
}

// record closes an attempt: what was changed before it and how it ended.
func (l *ladder) record(result, failure string) {
	detail := strings.Join(l.detail, "; ")
	if failure != "" {
		if detail != "" {
			detail += ": "
		}
		detail += failure
	}
	l.rungs = append(l.rungs, Rung{Number: l.rung, Name: rungNames[l.rung], Result: result, Detail: clip(detail, 600)})
	l.detail = nil
}

func (l *ladder) unavailable(why, next string) *Unavailable {
	if len(l.detail) > 0 {
		l.record("given up", "")
	}
	return &Unavailable{Why: why, Next: next, Rungs: l.rungs}
}

// isProtected is true for the subject, what the user's project is built into
// and, in a control, the package moved:
// what the verdict is about is never quietly something else.
func (l *ladder) isProtected(name string) bool {
	_, local := l.own[name]
	return local || slices.Contains(l.protected, name)
}

// pinOf finds the requirement or constraint of a name.
func (l *ladder) pinOf(name string) (r *Requirement, constraint bool) {
	if i := indexOf(l.reqs, name); i >= 0 {
		return &l.reqs[i], false
	}
	if i := indexOf(l.cons, name); i >= 0 {
		return &l.cons[i], true
	}
	return nil, false
}

// loosen removes the version of a pin: a requirement stays wanted, a
// constraint goes. False when there was nothing to loosen.
func (l *ladder) loosen(rung int, name, why string) bool {
	r, constraint := l.pinOf(name)
	if r == nil || r.Spec == "" {
		return false
	}
	l.step(rung, name, "%s%s no longer pinned: %s", name, r.Spec, why)
	if constraint {
		l.cons = slices.Delete(l.cons, indexOf(l.cons, name), indexOf(l.cons, name)+1)
		return true
	}
	r.Why = fmt.Sprintf("asked for %s: %s", r.Spec, why)
	r.Spec, r.Word = "", WordRelaxed
	return true
}
