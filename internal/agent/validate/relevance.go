package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/pysyntax"
)

// checkRelevance asks whether the script is about the subject at all, by its
// syntax, and then the Veto.
func (c *Checker) checkRelevance(ctx context.Context, f *pysyntax.File, in Input) ([]task.Feedback, error) {
	out := c.relevant(f, in)
	if Failed(out) || in.Veto == nil {
		return out, nil
	}
	veto, reason, err := in.Veto(ctx, in.Script)
	if err != nil {
		return out, fmt.Errorf("ask for a veto: %w", err)
	}
	if veto {
		out = append(out, told(task.StageRelevance, task.SeverityError, 0, "veto",
			"The script does not show what the report describes: "+clip(reason, task.MaxFeedback/2)))
	}
	return out, nil
}

// relevant follows the data without running anything: it says yes too often rather
// than too rarely, since the run and its frames tell for certain.
func (c *Checker) relevant(f *pysyntax.File, in Input) []task.Feedback {
	if len(c.Modules) == 0 {
		return nil
	}
	fail := func(about, format string, args ...any) []task.Feedback {
		return []task.Feedback{told(task.StageRelevance, task.SeverityError, 0, about, fmt.Sprintf(format, args...))}
	}
	modules := append(slices.Clone(c.Modules), family(c.Subject)...)
	marked := f.Influenced(modules...)
	switch {
	case !imports(f, modules):
		return fail("no import", "The script never imports %s, which the report is about.", oneOf(c.Modules))
	case !calls(f, modules, marked):
		if e := in.Expectation; e != nil && e.Oracle == oracle.OracleImportError {
			return nil // the import is the judged call
		}
		return fail("no call", "The script imports %s and calls nothing of it: call what the report is about.", oneOf(c.Modules))
	case !flows(f, marked, in.Expectation):
		return fail("no flow", "Nothing that %s computed reaches an observe(name, value): observe the value that the report complains of.", c.Subject)
	}
	return usesPlan(f, in)
}

// family are the import names of what is released in step with the subject:
// many a report about one is shown through another.
func family(subject string) []string {
	var out []string
	for _, dist := range append(pydist.Family(subject), pydist.Variants(subject)...) {
		out = append(out, pydist.Imports(dist)...)
	}
	return out
}

// imports: any import of the modules, in a function or by importlib too.
func imports(f *pysyntax.File, modules []string) bool {
	return slices.ContainsFunc(f.Imports, func(i pysyntax.Import) bool { return within(i.Module, modules) })
}

// within: a dotted name lies in one of the modules.
func within(name string, modules []string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return name == m || strings.HasPrefix(name, m+".") })
}

// calls: something of the subject is called, by its name or as a method of what
// came out of it.
func calls(f *pysyntax.File, modules []string, marked map[string]bool) bool {
	return slices.ContainsFunc(f.Calls, func(c pysyntax.Call) bool {
		if c.Func == "" {
			return c.Method != "" && anyRead(identifier.FindAllString(f.Source[c.Span.Start:c.Span.End], -1), marked)
		}
		first, _, _ := strings.Cut(c.Func, ".")
		return within(c.Full, modules) || marked[first]
	})
}

// flows: where a value is judged it must be observed or printed, or the subject
// must be the last thing that runs.
func flows(f *pysyntax.File, marked map[string]bool, e *oracle.Expectation) bool {
	if e != nil && !judgesValues(e.Oracle) {
		return true
	}
	for _, c := range f.Calls {
		if c.Func == "observe" && anyRead(c.ArgReads, marked) {
			return true
		}
	}
	if e != nil && e.Oracle == oracle.OracleObserved {
		return false // nothing but observe is judged
	}
	if slices.ContainsFunc(f.Prints, func(p pysyntax.Print) bool { return anyRead(p.Reads, marked) || anyRead(p.Guards, marked) }) {
		return true
	}
	if len(f.Statements) == 0 {
		return false
	}
	last := f.Statements[len(f.Statements)-1]
	return anyRead(identifier.FindAllString(last.Text, -1), marked)
}

// judgesValues: the oracle looks at what was observed or printed and not at how
// the process ended.
func judgesValues(n oracle.Name) bool {
	switch n {
	case oracle.OracleException, oracle.OracleMissingException, oracle.OracleImportError, oracle.OracleSignal,
		oracle.OracleWarning, oracle.OracleHang, oracle.OracleSlow, oracle.OracleMemory:
		return false
	}
	return true
}

// anyRead: one of the names, by its first part, is marked.
func anyRead(reads []string, marked map[string]bool) bool {
	return slices.ContainsFunc(reads, func(name string) bool {
		first, _, _ := strings.Cut(name, ".")
		return marked[first]
	})
}

// usesPlan: the plan's names, or the functions of the reporter's own frames, must
// be met. A frame's function may lie deep in the library, so that alone only warns.
func usesPlan(f *pysyntax.File, in Input) []task.Feedback {
	met := wordsOf(f)
	if in.Plan != nil && len(in.Plan.Names) > 0 {
		if slices.ContainsFunc(in.Plan.Names, func(n string) bool { return met[lastOf(n)] }) {
			return nil
		}
		names := in.Plan.Names[:min(len(in.Plan.Names), maxNear)]
		return []task.Feedback{told(task.StageRelevance, task.SeverityError, 0, "plan",
			"The script uses none of what the plan names: "+clip(strings.Join(names, ", "), maxWord)+".")}
	}
	if in.Expectation == nil {
		return nil
	}
	var functions []string
	for _, frame := range in.Expectation.Symptom.Frames {
		if frame.InLibrary() && identifier.MatchString(frame.Function) && !strings.HasPrefix(frame.Function, "__") {
			functions = append(functions, frame.Function)
		}
	}
	if len(functions) == 0 || slices.ContainsFunc(functions, func(n string) bool { return met[n] }) {
		return nil
	}
	return []task.Feedback{told(task.StageRelevance, task.SeverityWarning, 0, "frames",
		"The script calls none of the functions of the reported traceback: "+clip(oneOf(functions[:min(len(functions), maxNear)]), maxWord)+".")}
}

// wordsOf are the last parts of everything that the script calls, reads or imports.
func wordsOf(f *pysyntax.File) map[string]bool {
	met := map[string]bool{}
	for _, c := range f.Calls {
		met[c.Method], met[lastOf(c.Full)] = true, true
	}
	for _, a := range f.Attributes {
		met[lastOf(a.Full)] = true
	}
	for _, i := range f.Imports {
		met[lastOf(i.Module)] = true
		for _, n := range i.Names {
			met[n.Name] = true
		}
	}
	return met
}

// lastOf is the last part of a dotted name, by which releases that moved it agree.
func lastOf(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }
