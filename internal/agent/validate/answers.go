package validate

import (
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/repgen/repgen/internal/system/inert"
)

const (
	// maxAnswer bounds one line and maxAnswers their number: more than every
	// question can have, and too little to hurt.
	maxAnswer  = 64 << 10
	maxAnswers = 2000
	// maxWord bounds one text of an answer, maxNear the names like a missing one.
	maxWord = 400
	maxNear = 5
)

// askKey marks the lines that are answers, so that nothing a library prints is
// taken for one by accident. It is no protection: the library shares the process.
func askKey() string { return rand.Text() + " " }

// failure is an exception as ask.py tells it.
type failure struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Missing string `json:"missing"`
}

// nameAnswer is what is said of one name.
type nameAnswer struct {
	Exists    bool   `json:"exists"`
	Kind      string `json:"kind"`
	Signature string `json:"signature"`
	Doc       string `json:"doc"`
	// Absent is the first part of a missing name that is not there, Holder what
	// it was looked for in: "module", "class", "object" (anything may make
	// attributes up), "environment".
	Absent    string   `json:"absent"`
	Holder    string   `json:"holder"`
	Error     *failure `json:"error"`
	Near      []string `json:"near"`
	Submodule bool     `json:"submodule"`
	// Importing: Error came while Absent was imported, so that a class other than
	// ModuleNotFoundError says that it is there and fails.
	Importing bool `json:"importing"`
}

// callAnswer is what is wrong with one call.
type callAnswer struct {
	Error     string   `json:"error"`
	Certain   bool     `json:"certain"`
	Signature string   `json:"signature"`
	Near      []string `json:"near"`
}

// compileAnswer is what compile() said; Error nil: nothing.
type compileAnswer struct {
	Error    *compileError    `json:"error"`
	Warnings []compileWarning `json:"warnings"`
}

type compileError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Line    int    `json:"line"`
	Text    string `json:"text"`
}

type compileWarning struct {
	Category string `json:"category"`
	Message  string `json:"message"`
	Line     int    `json:"line"`
}

// answers are all of one question, of several executions where one ended early.
type answers struct {
	compile *compileAnswer
	imports map[string]*failure // nil: it was imported
	begun   []string
	names   map[string]nameAnswer
	facts   map[string]nameAnswer
	calls   map[int]*callAnswer // nil: it fits, or cannot be told
	done    bool
}

func newAnswers() answers {
	return answers{imports: map[string]*failure{}, names: map[string]nameAnswer{}, facts: map[string]nameAnswer{}, calls: map[int]*callAnswer{}}
}

// line is any line of ask.py.
type line struct {
	Type     string           `json:"t"`
	Module   string           `json:"m"`
	Name     string           `json:"n"`
	Index    int              `json:"i"`
	Answer   json.RawMessage  `json:"a"`
	Error    json.RawMessage  `json:"error"`
	Warnings []compileWarning `json:"warnings"`
}

// read takes what one execution wrote. Untrusted code ran beside it: whatever
// is no line of ours, or too long, or too much, is passed over.
func (a *answers) read(key, stdout string) {
	a.begun = nil
	n := 0
	for text := range strings.SplitSeq(stdout, "\n") {
		if n++; n > maxAnswers {
			return
		}
		text, ours := strings.CutPrefix(text, key)
		var l line
		if !ours || len(text) > maxAnswer || json.Unmarshal([]byte(text), &l) != nil {
			continue
		}
		a.take(l)
	}
}

// take keeps one line. A field of the wrong type loses that answer only: the others
// came from code that may not have known of it.
func (a *answers) take(l line) {
	switch l.Type {
	case "compile":
		c := compileAnswer{Warnings: l.Warnings}
		if json.Unmarshal(orNull(l.Error), &c.Error) == nil {
			a.compile = c.clean()
		}
	case "begin":
		a.begun = append(a.begun, word(l.Module))
	case "end":
		var f *failure
		if json.Unmarshal(orNull(l.Error), &f) == nil {
			a.imports[word(l.Module)] = f.clean()
		}
	case "name", "fact":
		var n nameAnswer
		if json.Unmarshal(orNull(l.Answer), &n) != nil {
			return
		}
		if l.Type == "fact" {
			a.facts[word(l.Name)] = n.clean()
		} else if _, told := a.names[word(l.Name)]; !told { // the import's own words come first
			a.names[word(l.Name)] = n.clean()
		}
	case "call":
		var c *callAnswer
		if json.Unmarshal(orNull(l.Answer), &c) == nil {
			a.calls[l.Index] = c.clean()
		}
	case "done":
		a.done = true
	}
}

// unfinished is the module whose import began and never ended, "" for none.
func (a *answers) unfinished() string {
	for i := len(a.begun) - 1; i >= 0; i-- {
		if _, ended := a.imports[a.begun[i]]; !ended {
			return a.begun[i]
		}
	}
	return ""
}

// blame says of each name that went with an import why that import ended.
func (a *answers) blame() {
	for _, table := range []map[string]nameAnswer{a.names, a.facts} {
		for name, n := range table {
			if f := a.imports[n.Absent]; f != nil && f.Type == crashed && !n.Exists {
				n.Error = f
				table[name] = n
			}
		}
	}
}

// crashed is the failure.Type of an import that ended the interpreter.
const crashed = "crash"

// orNull stands for a field that is not there, which json would call an error.
func orNull(m json.RawMessage) json.RawMessage {
	if len(m) == 0 {
		return json.RawMessage("null")
	}
	return m
}

// word makes a text of an answer fit to be shown: one line, bounded.
func word(s string) string {
	return clip(inert.Line(clip(s, 8*maxWord)), maxWord)
}

// words keeps the names among a list: what is near a missing name is put into a
// prompt as code, so nothing else may stand there.
func words(list []string) []string {
	var out []string
	for _, s := range list[:min(len(list), maxNear)] {
		if s = word(s); dottedForm.MatchString(s) {
			out = append(out, s)
		}
	}
	return out
}

// clean makes what untrusted code had a hand in fit to be kept and told. It is
// done where the answer comes in, so that nobody behind has to think of it.
func (f *failure) clean() *failure {
	if f == nil {
		return nil
	}
	return &failure{Type: word(f.Type), Message: word(f.Message), Missing: word(f.Missing)}
}

// clean is that of a failure, for every text and list of the answer.
func (n nameAnswer) clean() nameAnswer {
	n.Kind, n.Signature, n.Doc, n.Absent, n.Holder = word(n.Kind), word(n.Signature), word(n.Doc), word(n.Absent), word(n.Holder)
	n.Error, n.Near = n.Error.clean(), words(n.Near)
	return n
}

// clean is that of a failure.
func (c *callAnswer) clean() *callAnswer {
	if c == nil {
		return nil
	}
	return &callAnswer{Error: word(c.Error), Certain: c.Certain, Signature: word(c.Signature), Near: words(c.Near)}
}

// clean is that of a failure. The compiler is Python's own, but an import of the
// subject may have put another in its place in an earlier question.
func (c compileAnswer) clean() *compileAnswer {
	if e := c.Error; e != nil {
		c.Error = &compileError{Type: word(e.Type), Message: word(e.Message), Line: max(0, e.Line), Text: word(e.Text)}
	}
	kept := c.Warnings[:min(len(c.Warnings), maxNear)]
	c.Warnings = nil
	for _, w := range kept {
		c.Warnings = append(c.Warnings, compileWarning{Category: word(w.Category), Message: word(w.Message), Line: max(0, w.Line)})
	}
	return &c
}
