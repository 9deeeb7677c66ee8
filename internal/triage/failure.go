package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// fromSignal: the process died. The native log line may stand beside the
// shell's message as a failure of its own.
func fromSignal(rd *reading, c claims) *oracle.Expectation {
	at := -1
	for i, t := range rd.r.Tracebacks {
		if t.Symptom.Kind == symptom.Signal && usable(rd, t) && (at < 0 || rd.r.Tracebacks[at].Symptom.Signal == "") {
			at = i
		}
	}
	if at < 0 {
		return titleSignal(rd)
	}
	s := located(rd.r.Tracebacks[at])
	for _, t := range rd.r.Tracebacks {
		if t.Symptom.Kind == symptom.Signal && s.FatalLine == "" {
			s.FatalLine = t.Symptom.FatalLine
		}
	}
	e := &oracle.Expectation{Oracle: oracle.OracleSignal, Symptom: s}
	if w, ok := wanted(c); ok {
		e.Wanted = w
	}
	return e
}

var (
	titleSegfault = lazyre.New(`(?i)\b(segfaults?|segmentation faults?|SIGSEGV|access violation)\b`)
	// titleDies: the whole interpreter goes, by whatever signal.
	titleDies  = lazyre.New(`(?i)\b(?:crash(?:es|ed|ing)?|kills?|killed|takes down)\s+(?:the |my |whole |entire |python |jupyter )*(?:consoles?|terminal|interpreter|kernels?|python|process|repl|shell)\b|\b(?:kernel|interpreter|python process) (?:dies|died|crash(?:es|ed)|is killed)\b`)
	titleAbort = lazyre.New(`(?i)\b(abort(s|ed)?|core dump(ed)?|SIGABRT)\b`)
)

// titleSignal: the title says that the process dies, and no failure of another
// kind is shown.
func titleSignal(rd *reading) *oracle.Expectation {
	s := symptom.Symptom{Kind: symptom.Signal, Start: rd.r.TitleSpan.Start, End: rd.r.TitleSpan.End}
	switch {
	case hasException(rd):
		return nil
	case titleSegfault.MatchString(rd.r.Title):
		s.Signal = "SIGSEGV"
	case titleAbort.MatchString(rd.r.Title):
		s.Signal = "SIGABRT"
	case titleDies.MatchString(rd.r.Title) || rd.find(titleDies) != nil:
	default:
		return nil
	}
	return &oracle.Expectation{Oracle: oracle.OracleSignal, Symptom: s}
}

func hasException(rd *reading) bool {
	for _, t := range rd.r.Tracebacks {
		if isException(t.Symptom) && usable(rd, t) {
			return true
		}
	}
	return false
}

// located is the symptom with its place in the whole report.
func located(t report.Traceback) symptom.Symptom {
	s := t.Symptom
	s.Start, s.End = t.Span.Start, t.Span.End
	return s
}

// usable: the failure is said of the reported side, not of what should come or
// of a good version.
func usable(rd *reading, t report.Traceback) bool {
	if t.Block < 0 || t.Block >= len(rd.r.Blocks) {
		return true
	}
	b := rd.r.Blocks[t.Block]
	if t.Symptom.Kind == symptom.Warning && (b.Role == report.RoleVersions || sectionRole(rd.r, b) == report.RoleVersions) {
		return false // what printing the versions said on the way
	}
	return b.Role != report.RoleExpected && (b.After == nil || b.After.Role != report.RoleGood)
}

// fromException takes the exception that the report is about.
func fromException(rd *reading, c claims) *oracle.Expectation {
	at, best := -1, 0
	for i, t := range rd.r.Tracebacks {
		if !isException(t.Symptom) || !usable(rd, t) || asModel(rd, c, t) || nameless(rd, t.Symptom) {
			continue
		}
		if score := rankTraceback(rd, t); at < 0 || score > best {
			at, best = i, score
		}
	}
	if at < 0 {
		return nil
	}
	s := located(rd.r.Tracebacks[at])
	if s.Exception == "" && s.Message == "" {
		s.Message = messageInProse(rd)
	}
	if bareClass(s.Exception) == "AssertionError" {
		if e := assertTraceback(rd, s); e != nil {
			return e
		}
	}
	if duringImport(s) {
		s.Kind = symptom.ImportError
		return &oracle.Expectation{Oracle: oracle.OracleImportError, Symptom: s}
	}
	s.Kind = symptom.Exception
	return &oracle.Expectation{Oracle: oracle.OracleException, Symptom: s}
}

// isException: an interrupt from the keyboard is how a reporter ended a hang,
// not what happened.
func isException(s symptom.Symptom) bool {
	if bareClass(s.Exception) == "KeyboardInterrupt" {
		return false
	}
	switch s.Kind {
	case symptom.Exception, symptom.ImportError:
		return true
	case symptom.Warning, symptom.Signal:
		return false
	}
	return s.Exception != ""
}

// rankTraceback orders failures of one report: the transcript's own first, then
// what stands under "actual", then what the title names.
func rankTraceback(rd *reading, t report.Traceback) int {
	score := 0
	for _, b := range rd.script.blocks {
		if b == t.Block {
			score += 4
		}
	}
	if t.Block >= 0 && t.Block < len(rd.r.Blocks) {
		if role := rd.r.Blocks[t.Block].Role; role == report.RoleActual || role == report.RoleLog {
			score++
		}
		score++
	}
	if titleHas(rd.r, bareClass(t.Symptom.Exception)) {
		score += 3
	}
	if len(t.Symptom.Frames) > 0 {
		score += 2
	}
	return score
}

var (
	importClass  = lazyre.New(`^(ImportError|ModuleNotFoundError)$`)
	importSource = lazyre.New(`^\s*(import|from)\s+[\w.]+`)
)

// duringImport: raised while a package was being imported, which shows in the
// class, in an import statement of the script, or in a library's frame at
// module level.
func duringImport(s symptom.Symptom) bool {
	if s.Kind == symptom.ImportError || importClass.MatchString(bareClass(s.Exception)) {
		return true
	}
	for _, f := range s.Frames {
		inLibrary := f.Package != "" || f.Where == "library"
		if inLibrary && f.Function == "<module>" {
			return true
		}
		if !inLibrary && importSource.MatchString(f.Source) {
			return true
		}
	}
	return false
}

// fromMissing: an exception is asked for and did not come.
func fromMissing(rd *reading, c claims) *oracle.Expectation {
	class, ok := wanted(c)
	if !ok || len(c.actualExceptions()) > 0 {
		return nil
	}
	e := &oracle.Expectation{
		Oracle:  oracle.OracleMissingException,
		Symptom: symptom.Symptom{Kind: symptom.MissingException, Exception: class},
		Wanted:  class,
	}
	if p := printedClaim(rd, c); p != nil && len(p.Actual) > 0 {
		p.Expected, p.Relation = nil, ""
		e.Printed = p
	}
	return e
}

func (c claims) actualExceptions() []report.Statement {
	var found []report.Statement
	for _, st := range c.exceptions {
		if st.Role == report.RoleActual {
			found = append(found, st)
		}
	}
	return found
}

// wanted is the first exception class that should have been raised; "" with
// true for any error.
func wanted(c claims) (class string, ok bool) {
	for _, st := range c.exceptions {
		if st.Role != report.RoleExpected {
			continue
		}
		ok = true
		if class == "" {
			class = exceptionClass(st.Text)
		}
	}
	return class, ok
}

// otherClass is the class that should have come in place of the one that did;
// "" when none is named.
func otherClass(c claims, came string) string {
	for _, st := range c.exceptions {
		class := exceptionClass(st.Text)
		if st.Role == report.RoleExpected && class != "" && class != bareClass(came) {
			return class
		}
	}
	return ""
}

var classWord = lazyre.New(`\b([A-Za-z_][\w.]*)?[A-Z]\w*(Error|Exception|Warning|Interrupt|Exit|Iteration)\b|\b[A-Z]\w*(Error|Exception)\b`)

// exceptionClass is the class in the text of a statement, "" when it is only
// "an error".
func exceptionClass(text string) string { return bareClass(classWord.FindString(text)) }

// titleException is "SomeError: message" at the end of a title.
var titleException = lazyre.New(`\b([A-Z]\w*(?:Error|Exception))\b(?::\s*(.+))?`)

// titleDenies: the title speaks of an exception that does not come.
var titleDenies = lazyre.New(`(?i)\b(instead of|rather than|no|not|without|missing|should|lacks|silently)\b`)

// fromStatedException: an exception is named, but no traceback is shown.
func fromStatedException(rd *reading, c claims) *oracle.Expectation {
	var s symptom.Symptom
	if m := titleException.FindStringSubmatch(rd.r.Title); m != nil && !titleDenies.MatchString(rd.r.Title) {
		s = symptom.Symptom{Exception: m[1], Message: strings.TrimSpace(m[2]), Start: rd.r.TitleSpan.Start, End: rd.r.TitleSpan.End}
	}
	if s.Exception == "" {
		s = titleMessage(rd)
	}
	for _, st := range c.actualExceptions() {
		class := exceptionClass(st.Text)
		if s.Exception == "" && class != "" && class != "KeyboardInterrupt" {
			s = symptom.Symptom{Exception: class, Message: messageOf(st.Text, class), Start: st.Span.Start, End: st.Span.End}
		}
	}
	if m := commentedException(rd, s.Exception); m != "" && s.Message == "" {
		s.Message = m
	}
	if s.Exception == "" {
		return nil
	}
	if s.Exception == "AssertionError" {
		if e := assertTraceback(rd, s); e != nil {
			return e
		}
	}
	if importClass.MatchString(s.Exception) {
		s.Kind = symptom.ImportError
		return &oracle.Expectation{Oracle: oracle.OracleImportError, Symptom: s}
	}
	s.Kind = symptom.Exception
	return &oracle.Expectation{Oracle: oracle.OracleException, Symptom: s}
}

// commentedException is the message of an exception that a comment of the script
// shows as it came ("# ValueError: bad shape"): the class alone would take any
// other failure of that class for it.
func commentedException(rd *reading, class string) string {
	for _, c := range rd.script.file.Comments {
		m := shownException.FindStringSubmatch(c.Text)
		if class != "" && m != nil && bareClass(m[1]) == class {
			return strings.TrimSpace(m[2])
		}
	}
	return ""
}

var shownException = lazyre.New(`^#*\s*(?:(?:raises|fails with|error|->|=>)\s*:?\s*)?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)): (\S.*)$`)

// titleMessages are messages of Python's own that a title quotes without their
// class ("'X' object has no attribute 'y'"); the words are CPython's since 3.6.
var titleMessages = []struct {
	class string
	re    *lazyre.Regexp
}{
	{"AttributeError", lazyre.New(`(?:'[\w.]+' object|module '[\w.]+') has no attribute '\w+'`)},
	{"ModuleNotFoundError", lazyre.New(`No module named '?[\w.]+'?`)},
	{"ImportError", lazyre.New(`cannot import name '?\w+'?(?: from (?:partially initialized module )?'[\w.]+')?`)},
	{"TypeError", lazyre.New(`(?:[\w.]+\(\) )?got an unexpected keyword argument '\w+'|'[\w.]+' object is not (?:callable|iterable|subscriptable)|unsupported operand type\(s\) for .+`)},
}

func titleMessage(rd *reading) symptom.Symptom {
	for _, m := range titleMessages {
		if at := m.re.FindStringIndex(rd.r.Title); at != nil && !titleDenies.MatchString(rd.r.Title[:at[0]]) {
			span := rd.r.TitleSpan
			return symptom.Symptom{Exception: m.class, Message: rd.r.Title[at[0]:at[1]], Start: span.Start, End: span.End}
		}
	}
	return symptom.Symptom{}
}

// messageOf is what stands behind the class in "ValueError: bad shape".
func messageOf(text, class string) string {
	_, message, ok := strings.Cut(text, class+":")
	if !ok {
		return ""
	}
	return strings.TrimSpace(message)
}
