package audit

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

// Site is a place of the script at which something is asked.
type Site struct {
	// Kind: "call", "attr", "op", "test", "next", "iter", "enter", "import",
	// "given" (a script's function returns to a package), "store".
	Kind   string
	Line   int
	Column int    // from 0
	Text   string // of the callee, with the full names of what was imported
}

// Question is one thing that the script asked. A call's first argument is what
// was called.
type Question struct {
	Site   Site
	Whose  string // import root of the package asked, "" for Python's own, "__main__"
	Args   []Value
	Answer *Value // nil where it did not return
	Raised *Value // the exception, where it raised one and that is known
	Threw  bool   // it ended with an exception
}

// answer is what came, as one value.
func (q *Question) answer() Value {
	switch {
	case q.Answer != nil:
		return *q.Answer
	case q.Raised != nil:
		return *q.Raised
	case q.Threw:
		return Value{Kind: "exception", Text: "an exception"}
	}
	return Value{Kind: "none_came", Text: "no answer"}
}

// step is a question that was asked (end false), or its end.
type step struct {
	question int
	end      bool
}

// Log is what one audited execution asked and was told, in order of time.
type Log struct {
	Questions []*Question
	steps     []step
	// Cut says at which bound the recorder stopped, "" where it did not.
	Cut string
	// Ended says that the interpreter reached the end of the script.
	Ended bool
}

// maxSteps bounds a log that is read; the recorder stops at 20,000.
const maxSteps = 50_000

// What the recorder's own bounds leave of one value, with room: containers four
// deep in a method of a pair, of 64 elements each.
const (
	maxDepth    = 12
	maxElements = 512
)

// sane bounds values: they are compared by going through them.
func sane(values []Value, depth int) bool {
	if depth == 0 || len(values) > maxElements {
		return len(values) == 0
	}
	for _, v := range values {
		if v.Size < 0 || !sane(v.Elems, depth-1) {
			return false
		}
	}
	return true
}

var errDamaged = errors.New("the log of the audit is damaged")

// Read makes a log of an execution's record. The error says that there is none,
// or that it is not what the recorder writes.
func Read(rec probe.Record) (*Log, error) {
	if len(rec.Audit) == 0 {
		return nil, errors.New("the recorder left no log")
	}
	l, sites := &Log{}, map[int]Site{}
	for _, part := range rec.Audit {
		var items []json.RawMessage
		if json.Unmarshal(part, &items) != nil {
			return nil, errDamaged
		}
		for _, item := range items {
			if len(l.steps) >= maxSteps {
				return nil, fmt.Errorf("%w: more than %d steps", errDamaged, maxSteps)
			}
			var fields []json.RawMessage
			if json.Unmarshal(item, &fields) != nil || !l.take(sites, fields) {
				return nil, errDamaged
			}
		}
	}
	return l, nil
}

// take adds one item; false when it is not what its name says.
func (l *Log) take(sites map[int]Site, f []json.RawMessage) bool {
	var name string
	if len(f) == 0 || json.Unmarshal(f[0], &name) != nil {
		return false
	}
	switch name {
	case "s":
		var id int
		var s Site
		if !fields(f, &id, &s.Kind, &s.Line, &s.Column, &s.Text) {
			return false
		}
		sites[id] = s
	case "q":
		var n, id int
		q := &Question{}
		if !fields(f, &n, &id, &q.Whose, &q.Args) || n != len(l.Questions) {
			return false
		}
		var known bool
		if q.Site, known = sites[id]; !known || !sane(q.Args, maxDepth) {
			return false
		}
		l.Questions = append(l.Questions, q)
		l.steps = append(l.steps, step{question: n})
	case "r", "x":
		return l.end(name == "x", f)
	case "cut":
		return fields(f, &l.Cut) && l.Cut != ""
	case "end":
		l.Ended = true
	default:
		return false
	}
	return true
}

func (l *Log) end(threw bool, f []json.RawMessage) bool {
	var n int
	var v Value
	whole := fields(f, &n, &v)
	if !whole && !(threw && fields(f, &n)) || n < 0 || n >= len(l.Questions) {
		return false
	}
	q := l.Questions[n]
	if q.Threw || q.Answer != nil || !sane([]Value{v}, maxDepth) {
		return false
	}
	switch {
	case !threw:
		q.Answer = &v
	case whole:
		q.Raised = &v
	}
	q.Threw = threw
	l.steps = append(l.steps, step{n, true})
	return true
}

func fields(f []json.RawMessage, into ...any) bool {
	if len(f) != len(into)+1 {
		return false
	}
	for i, p := range into {
		if json.Unmarshal(f[i+1], p) != nil {
			return false
		}
	}
	return true
}
