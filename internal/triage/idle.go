package triage

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Code that can be run and shows nothing: its quiet end would be taken for a
// "no", although what the report is about never ran.

var importWord = lazyre.New(`(?i)\bimport(?:s|ed|ing|error)?\b`)

// onlyNamesVersions: the one script of the report prints what is installed, and
// it is no import that fails.
func onlyNamesVersions(r *report.Report, s script) bool {
	if !onlyVersions(s.file) || importWord.MatchString(r.Title) || showsFailure(r, s.blocks) {
		return false
	}
	return !slices.ContainsFunc(r.Tracebacks, func(t report.Traceback) bool { return duringImport(t.Symptom) })
}

// needCall: the script defines what it is about and never uses it, nor the
// package, so that one who finishes it has to write the call. A failure that
// ends the script, or a warning, may come while a class or a decorated function
// is made.
func (s *script) needCall(e *oracle.Expectation, modules []string) {
	loud := e != nil && (explicit(e.Symptom.Kind) || e.Oracle == oracle.OracleWarning || e.Oracle == oracle.OracleMissingException)
	if s.none() || s.prints() || lastAssert(s.file) > 0 || loud && !plainDefinitions(s.file) {
		return
	}
	if name := uncalled(s.file, modules); name != "" {
		s.gaps = append(s.gaps, gap{gapCall, name, 0})
	}
}

// plainDefinitions: making them runs nothing but Python's own.
func plainDefinitions(f *pysyntax.File) bool {
	for _, d := range f.Defined {
		if len(d.Bases) > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(f.Statements, func(st pysyntax.Statement) bool {
		return strings.HasPrefix(strings.TrimSpace(st.Text), "@")
	})
}

// uncalled is the last function or class of a script of which no statement that
// runs uses a definition or a name of the given modules; "" when one does, when
// nothing is defined, or when it is for a test runner to call.
func uncalled(f *pysyntax.File, modules []string) string {
	names, last := map[string]bool{}, ""
	for _, d := range f.Defined {
		if d.Scope != "" {
			continue
		}
		if strings.HasPrefix(strings.ToLower(d.Name), "test") {
			return ""
		}
		names[d.Name], last = true, d.Name
	}
	for _, imp := range f.Imports {
		if !contains(modules, topName(imp.Module)) {
			continue
		}
		names[firstOf(imp.Alias, topName(imp.Module))] = true
		for _, n := range imp.Names {
			if n.Name == "*" {
				return ""
			}
			names[firstOf(n.Alias, n.Name)] = true
		}
	}
	for _, st := range f.Statements {
		if st.Kind == "import" || st.Kind == "function" || st.Kind == "class" {
			continue
		}
		if slices.ContainsFunc(identifier.FindAllString(st.Text, -1), func(w string) bool { return names[w] }) {
			return ""
		}
	}
	return last
}

var identifier = lazyre.New(`[A-Za-z_]\w*`)

// linkAlone: a block that holds nothing but a link stands for the code behind it.
var linkAlone = lazyre.New(`^\s*<?https?://\S+>?\s*$`)

// linkedCode is the block in which a link stands where code belongs.
func linkedCode(r *report.Report) *report.Span {
	for _, b := range r.Blocks {
		if b.Role != report.RoleVersions && sectionRole(r, b) == report.RoleCode && linkAlone.MatchString(b.Text) {
			s := b.Span
			return &s
		}
	}
	return nil
}
