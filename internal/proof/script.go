package proof

import (
	"context"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// maxAlternatives bounds how many further scripts of a report are run once. A
// guess: reports that hold more than two say which one they mean.
const maxAlternatives = 3

// settleScript makes sure that the script which is judged is the one that
// fails: where the first execution does not show the symptom, an argument that
// the installed release does not know is taken out, and then the report's other
// scripts are run once each. What was taken instead is said, and the Outcome
// holds it.
func (p *proof) settleScript(ctx context.Context, s *side) (*side, error) {
	if p.in.Candidate.Origin == originAgent {
		return s, nil // another script is its author's business, and another attempt
	}
	if oracle.ByGroup(p.exp.Oracle) || p.exp.Oracle == oracle.OracleNone || p.firstShows(s) {
		return s, nil
	}
	if c, keyword := p.withoutObsolete(s); c != nil {
		other, shows, err := p.tryScript(ctx, s, c)
		if err != nil {
			return nil, err
		}
		if shows || obsoleteArgument(other.group.Executions[0]) == nil {
			p.note("the installed %s knows no argument %s, and nobody pinned its release: the script was run without it", p.subject, keyword)
			p.adopt(c)
			s = other
		}
		if shows {
			return s, nil
		}
	}
	for i, c := range p.alternatives() {
		other, shows, err := p.tryScript(ctx, s, c)
		if err != nil {
			return nil, err
		}
		if shows {
			p.note("of the report's scripts the first does not show the symptom and number %d does: that one is judged", i+2)
			p.adopt(c)
			return other, nil
		}
	}
	return s, nil
}

func (p *proof) firstShows(s *side) bool {
	f := p.judgeAny(s.group.Executions[0]).Finding
	return f == oracle.Hit || f == oracle.Within
}

// alternatives are the report's other scripts.
func (p *proof) alternatives() []*candidate.Candidate {
	own := p.in.Candidate.Script
	list := slices.DeleteFunc(slices.Clone(p.in.Alternatives), func(c *candidate.Candidate) bool {
		return c.Script == own || c.SyntaxError != "" || p.in.Candidate.Origin != originReporter
	})
	return list[:min(len(list), maxAlternatives)]
}

// tryScript runs another script once in the environment of a side. Whatever it
// shows, the candidate stays what it was.
func (p *proof) tryScript(ctx context.Context, s *side, c *candidate.Candidate) (other *side, shows bool, err error) {
	// Not the whole of the input: controls are built from its report meanwhile.
	own, exp := p.in.Candidate, p.exp
	defer func() { p.in.Candidate, p.exp = own, exp }()
	p.in.Candidate = c
	p.exp = expectationOf(p.in)
	fresh := *s
	fresh.group.Executions = nil
	if err := p.repeat(ctx, &fresh, 1); err != nil {
		return nil, false, err
	}
	return &fresh, p.firstShows(&fresh), nil
}

// adopt makes another script the candidate.
func (p *proof) adopt(c *candidate.Candidate) {
	p.in.Candidate, p.out.Candidate = c, c
	p.exp = expectationOf(p.in)
}

// withoutObsolete is the candidate without the keyword argument that its first
// execution stumbled over. The reporter's own release knew it, so it is done
// only where another release stands in for that one: on the very release that
// the reporter names the error is a finding.
func (p *proof) withoutObsolete(s *side) (*candidate.Candidate, string) {
	bad := obsoleteArgument(s.group.Executions[0])
	if bad == nil || p.pinnedSubject(s.lock) {
		return nil, ""
	}
	for _, call := range []string{bad.call, ""} { // a subclass is called by another name
		if c, ok := candidate.WithoutArgument(p.in.Candidate, call, bad.keyword); ok {
			return c, bad.keyword
		}
	}
	return nil, ""
}

// pinnedSubject says that the reporter or the user chose the installed release
// of the subject.
func (p *proof) pinnedSubject(l *environment.Lock) bool {
	if standsIn(l, p.subject) {
		return false
	}
	i := slices.IndexFunc(l.Packages, func(k environment.Package) bool { return k.Name == p.subject })
	if i < 0 {
		return true
	}
	switch l.Packages[i].Word {
	case environment.WordImport, environment.WordResolver, environment.WordRelaxed, environment.WordUndeclared:
		return false
	}
	return true
}

// badArgument is a keyword that a call of the script's own was refused for.
type badArgument struct{ call, keyword string }

// unexpected is CPython's own wording, "Class.__init__()" since 3.10, the bare
// function before.
var unexpected = lazyre.New(`^(?:([A-Za-z_][\w.<>]*)\(\) )?got an unexpected keyword argument '(\w+)'`)

// obsoleteArgument reads from an execution that the script itself called
// something with a keyword that it does not know; nil when that is not how it
// ended.
func obsoleteArgument(ex sandbox.Execution) *badArgument {
	for _, e := range ex.Record.Exceptions {
		if e.Thread != "" || e.Type != "TypeError" || len(e.Frames) == 0 {
			continue
		}
		m := unexpected.FindStringSubmatch(e.Message)
		if m == nil || e.Frames[len(e.Frames)-1].Module != "__main__" {
			continue
		}
		call := m[1]
		switch last := afterDot(call); last {
		case "__init__", "__new__", "__call__":
			call = afterDot(beforeDot(call)) // the class; "" where it is not said
		default:
			call = last
		}
		return &badArgument{call, m[2]}
	}
	return nil
}

// afterDot is the last part of a dotted name, beforeDot all but the last.
func afterDot(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func beforeDot(name string) string { return name[:max(strings.LastIndexByte(name, '.'), 0)] }
