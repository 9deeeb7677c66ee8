package candidate

import (
	"fmt"
	"slices"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Steered says where a model's script lets what the package returned decide
// whether, or with what, the judged call is made. By another difference of two
// releases it could fail on one and not on the other, whatever the judged call
// does there: the release pair then proves nothing of it. frames are the lines
// on the way to the symptom.
func Steered(c *Candidate, e *oracle.Expectation, frames []ScriptFrame) (why []string) {
	placed := crashes(e.Oracle) || e.Oracle == oracle.OracleWarning || e.Oracle == oracle.OracleMissingException
	if c.Origin != originAgent || !placed || len(e.Modules) == 0 || len(frames) == 0 {
		return nil
	}
	if len(c.Own()) > maxFollowed {
		return []string{"the script is too long to be followed"}
	}
	f := pysyntax.Parse(c.Own())
	s := &steer{f: f, modules: e.Modules, computed: f.Computed(e.Modules...)}
	depends := map[string]bool{}
	if chosen := s.chosen(); len(chosen) > 0 {
		depends = f.From(chosen...)
	}
	tested := s.tested()
	if line := s.leaves(); line > 0 {
		why = addOnce(why, fmt.Sprintf("line %d: what %s returned decides whether the script goes on", line, e.Subject))
	}
	for _, frame := range frames {
		steered := slices.ContainsFunc(f.Conditions, func(k pysyntax.Condition) bool {
			return k.Line == frame.Line && k.Kind != "if" && k.Kind != "while" && k.Kind != "assert" && s.asks(k)
		})
		for _, call := range f.Calls {
			if call.Line == frame.Line {
				steered = steered || anyMarked(call.ArgReads, depends) || anyMarked(call.Guards, depends) || anyMarked(call.Guards, tested)
			}
		}
		if steered {
			why = addOnce(why, fmt.Sprintf("line %d: what %s returned decides over the judged call", frame.Line, e.Subject))
		}
	}
	return why
}

// steer looks for conditions on what a package returned.
type steer struct {
	f        *pysyntax.File
	modules  []string
	computed map[string]bool
}

// asks: the condition reads what the package returned, or calls it itself.
func (s *steer) asks(k pysyntax.Condition) bool {
	return anyMarked(k.Reads, s.computed) || callsInto(s.f, k.Text, s.modules)
}

// callsInto: an expression that calls one of the modules.
func callsInto(f *pysyntax.File, expr string, modules []string) bool {
	return slices.ContainsFunc(pysyntax.Parse("_ = "+expr).Calls, func(c pysyntax.Call) bool {
		return c.Func != "" && f.Imported(c.Func) && slices.ContainsFunc(modules, func(m string) bool {
			return firstOf(f.Resolve(c.Func)) == firstOf(m)
		})
	})
}

// chosen are the variables and functions that such a condition gives a value.
func (s *steer) chosen() (names []string) {
	lines := map[int]bool{} // of conditions inside an expression
	for _, k := range s.f.Conditions {
		if k.Kind == "assert" || !s.asks(k) {
			continue
		}
		if k.Kind != "if" && k.Kind != "while" {
			lines[k.Line] = true
		}
		for _, d := range s.f.Defined {
			if d.Kind == "function" && d.Line <= k.Line && k.Line <= d.EndLine {
				names = append(names, d.Name)
			}
		}
	}
	tested := s.tested()
	for _, a := range s.f.Assigns {
		if lines[a.Line] || anyMarked(a.Guards, tested) {
			names = append(names, firstOf(a.Target))
		}
	}
	return names
}

// tested are the names by which such an if or while is known as a guard.
func (s *steer) tested() map[string]bool {
	tested := testedBy(s.f, s.computed)
	for _, k := range s.f.Conditions {
		if (k.Kind == "if" || k.Kind == "while" || k.Kind == "match") && callsInto(s.f, k.Text, s.modules) {
			for _, name := range k.Reads {
				tested[firstOf(name)] = true
			}
		}
	}
	return tested
}

// leaves is the line of a condition on what the package returned in a script
// that also ends itself by hand; 0: there is none.
func (s *steer) leaves() int {
	ends := slices.ContainsFunc(s.f.Raises, func(r pysyntax.Raise) bool { return ending.MatchString(r.Class + " " + r.Text) }) ||
		slices.ContainsFunc(s.f.Calls, func(c pysyntax.Call) bool { return endings[c.Full] })
	if !ends {
		return 0
	}
	for _, k := range s.f.Conditions {
		if k.Kind != "assert" && s.asks(k) {
			return k.Line
		}
	}
	return 0
}

var (
	ending  = lazyre.New(`\b(?:SystemExit|KeyboardInterrupt|exit|quit|_exit)\b`)
	endings = wordSet("sys.exit exit quit os._exit")
)

// testedBy are the marked names that an if or a while reads: as guards they
// choose, where the iterable of a loop only repeats.
func testedBy(f *pysyntax.File, marked map[string]bool) map[string]bool {
	tested := map[string]bool{}
	for _, k := range f.Conditions {
		if k.Kind != "if" && k.Kind != "while" && k.Kind != "match" {
			continue
		}
		for _, name := range k.Reads {
			if first := firstOf(name); marked[first] {
				tested[first] = true
			}
		}
	}
	return tested
}
