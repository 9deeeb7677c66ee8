package validate

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/sandbox"
)

// fakeBox answers the questions from a table, as ask.py does; TestFakeIsLikeReal
// compares the two. What the table does not know exists and fits.
type fakeBox struct {
	world
	mu    sync.Mutex
	asked []question
	ran   []sandbox.Command
}

// world is what the fake knows.
type world struct {
	names   map[string]nameAnswer
	facts   map[string]nameAnswer
	calls   map[string]callAnswer // by function
	compile compileAnswer
	lint    string // what the linter prints
	// crash is a module whose import ends the interpreter.
	crash string
	noise string // printed by a library beside the answers
	err   error
}

func (b *fakeBox) Layers(context.Context) ([]sandbox.Layer, error) { return nil, nil }

func (b *fakeBox) Run(_ context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ran = append(b.ran, c)
	ex := sandbox.Execution{Label: c.Label, Outcome: sandbox.Exited, Limits: l, WallSeconds: 0.01}
	if b.err != nil {
		return ex, b.err
	}
	if strings.HasSuffix(c.Argv[0], "ruff") {
		ex.Stdout = b.lint
		return ex, nil
	}
	var q question
	if err := json.Unmarshal(c.Stdin, &q); err != nil {
		return ex, err
	}
	b.asked = append(b.asked, q)
	var out strings.Builder
	out.WriteString(b.noise)
	if !b.answer(q, &out) {
		ex.Outcome, ex.Signal = sandbox.Signaled, "SIGSEGV"
	}
	ex.Stdout = out.String()
	return ex, nil
}

// answer writes the lines; false: an import ended the interpreter.
func (b *fakeBox) answer(q question, out *strings.Builder) bool {
	say := func(v map[string]any) {
		data, _ := json.Marshal(v)
		out.WriteString(q.Key + string(data) + "\n")
	}
	if q.Script != nil {
		say(map[string]any{"t": "compile", "error": b.compile.Error, "warnings": b.compile.Warnings})
		if b.compile.Error != nil {
			say(map[string]any{"t": "done"})
			return true
		}
	}
	for _, module := range append(modulesOf(q), q.Facts...) {
		if b.crash != "" && strings.HasPrefix(module, b.crash) && !slices.Contains(q.Skip, b.crash) {
			say(map[string]any{"t": "begin", "m": b.crash})
			return false
		}
	}
	for _, name := range append(fromNames(q), q.Names...) {
		say(map[string]any{"t": "name", "n": name, "a": b.of(b.names, q, name)})
	}
	for i, c := range q.Calls {
		var a *callAnswer
		if known, ok := b.calls[c.Func]; ok {
			a = &known
		}
		say(map[string]any{"t": "call", "i": i, "a": a})
	}
	for _, name := range q.Facts {
		say(map[string]any{"t": "fact", "n": name, "a": b.of(b.facts, q, name)})
	}
	say(map[string]any{"t": "done"})
	return true
}

func (b *fakeBox) of(table map[string]nameAnswer, q question, name string) nameAnswer {
	if slices.Contains(q.Skip, b.crash) && strings.HasPrefix(name, b.crash) {
		return nameAnswer{Absent: b.crash, Holder: "environment", Error: &failure{}}
	}
	if a, ok := table[name]; ok {
		return a
	}
	return nameAnswer{Exists: true, Kind: "function"}
}

func modulesOf(q question) (out []string) {
	for _, i := range q.Imports {
		out = append(out, i.Module)
	}
	return out
}

func fromNames(q question) (out []string) {
	for _, i := range q.Imports {
		out = append(out, i.Module)
		for _, n := range i.Names {
			out = append(out, i.Module+"."+n)
		}
	}
	return out
}

// box is a Box over the fake, with an environment that holds what its lock says.
func (b *fakeBox) box() Box {
	return Box{Sandbox: b, Known: NewKnown(), Env: &environment.Environment{
		Dir: "/nowhere", Key: "k1",
		Lock: environment.Lock{Python: "3.11.7", Packages: []environment.Package{{Name: "numpy", Version: "2.3.4"}, {Name: "scikit-learn", Version: "1.7.2"}}},
	}}
}

func gone(absent, holder string, near ...string) nameAnswer {
	return nameAnswer{Absent: absent, Holder: holder, Near: near, Error: &failure{Type: "AttributeError", Message: "has no attribute"}}
}

// checkerOf is a Checker about scikit-learn over the fake, linter included.
func checkerOf(b *fakeBox) *Checker {
	if b.lint == "" {
		b.lint = "[]"
	}
	return &Checker{
		Box: b.box(), Subject: "scikit-learn", Modules: []string{"sklearn"},
		Tool: func(context.Context) (Box, *environment.Unavailable, error) { return b.box(), nil, nil },
	}
}

func lintOf(code, message string, row int) string {
	return `[{"code":"` + code + `","message":"` + message + `","location":{"row":` + string(rune('0'+row)) + `,"column":1}}]`
}

// TestPatterns compiles what is compiled when it is first used.
func TestPatterns(t *testing.T) {
	for _, s := range []string{"numpy", "numpy.zeros", "_a.b_1"} {
		if !dottedForm.MatchString(s) {
			t.Errorf("%q is a dotted name", s)
		}
	}
	for _, s := range []string{"", "a.", ".a", "a b", "a;import os", "a\nb", "1a"} {
		if dottedForm.MatchString(s) {
			t.Errorf("%q is no dotted name", s)
		}
	}
}
