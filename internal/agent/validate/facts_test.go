package validate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/environment"
)

func TestFacts(t *testing.T) {
	b := &fakeBox{world: world{facts: map[string]nameAnswer{
		"numpy.zeros": {Exists: true, Kind: "function", Signature: "(shape, dtype=float)", Doc: "Return a new array."},
		"numpy.zeroz": gone("numpy.zeroz", "module", "numpy.zeros"),
	}}}
	f, err := Facts(t.Context(), b.box(), "scikit-learn", []string{"numpy.zeros", "numpy.zeroz", "numpy.zeros", "a; import os", "", "numpy. x"})
	if err != nil || f.Python != "3.11.7" || f.Version != "1.7.2" || f.Subject != "scikit-learn" || len(f.Packages) != 2 {
		t.Errorf("%+v %v", f, err)
	}
	want := []task.Signature{
		{Name: "numpy.zeros", Exists: true, Kind: "function", Signature: "(shape, dtype=float)", Doc: "Return a new array."},
		{Name: "numpy.zeroz", Near: []string{"numpy.zeros"}, Why: "AttributeError: has no attribute"},
	}
	if got, _ := json.Marshal(f.Signatures); string(got) != mustJSON(want) {
		t.Errorf("%s", got)
	}
}

// TestUnanswered: of several imports that end it all the outermost is blamed.
func TestUnanswered(t *testing.T) {
	ended := &failure{Type: crashed}
	a := answers{imports: map[string]*failure{"lib": ended, "lib.sub": ended, "lib.sub.deep": ended, "other": ended, "li": nil}}
	for range 20 {
		if n := unanswered(a, "lib.sub.deep.f"); n == nil || n.Absent != "lib" {
			t.Fatalf("blamed %+v", n)
		}
	}
	if n := unanswered(a, "library.f"); n != nil {
		t.Errorf("blamed %+v", n)
	}
}

// TestFactsOfABrokenImport: a module whose import fails is there, and its failure
// may be the reported bug.
func TestFactsOfABrokenImport(t *testing.T) {
	broken := nameAnswer{Absent: "gridlib", Holder: "environment", Importing: true, Error: &failure{Type: "AttributeError", Message: "module 'numpy' has no attribute 'int'"}}
	absentOne := nameAnswer{Absent: "gridlab", Holder: "environment", Importing: true, Error: &failure{Type: "ModuleNotFoundError", Message: "No module named 'gridlab'", Missing: "gridlab"}}
	reading := nameAnswer{Absent: "gridlib.x", Holder: "object", Error: &failure{Type: "ValueError", Message: "no backend"}}
	for _, c := range []struct {
		about  string
		a      *nameAnswer
		unsure bool
		why    string
	}{
		{"fails", &broken, true, "importing gridlib fails with AttributeError: module 'numpy' has no attribute 'int'"},
		{"is not there", &absentOne, false, "No module named 'gridlab'"},
		{"an attribute that fails", &reading, true, "reading gridlib.x fails with ValueError"},
		{"nobody answered", nil, true, "nothing answered"},
	} {
		if s := asSignature("gridlib", c.a); s.Exists || s.Unsure != c.unsure || !strings.Contains(s.Why, c.why) {
			t.Errorf("%s: %+v", c.about, s)
		}
	}
	if f, ok := wrongName(site{line: 2}, "gridlib", broken, nil); !ok || f.Severity != task.SeverityWarning || !strings.Contains(f.Text, "importing gridlib fails in this environment: AttributeError") {
		t.Errorf("the script is told: %+v", f)
	}
}

func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// The lock alone answers for versions: nothing runs.
func TestFactsWithoutAskingAnything(t *testing.T) {
	b := &fakeBox{}
	if f, err := Facts(t.Context(), b.box(), "numpy", nil); err != nil || f.Version != "2.3.4" || len(b.ran) != 0 {
		t.Errorf("%+v %v", f, err)
	}
	if f, err := Facts(t.Context(), Box{}, "numpy", []string{"numpy"}); err != nil || f.Subject != "numpy" || f.Version != "" {
		t.Errorf("%+v %v", f, err)
	}
	box := b.box()
	box.Sandbox = nil
	if f, err := Facts(t.Context(), box, "numpy", []string{"numpy"}); err != nil || len(f.Signatures) != 0 {
		t.Errorf("%+v %v", f, err)
	}
}

// What the lock resolved and the build left out is not there for a script.
func TestFactsNameWhatIsInstalled(t *testing.T) {
	b := &fakeBox{}
	box := b.box()
	env := *box.Env
	env.Lock.Packages = append(slices.Clone(env.Lock.Packages), environment.Package{Name: "nvidia-nccl-cu12", Version: "2.2"})
	env.Lock.LeftOut = []string{"nvidia-nccl-cu12"}
	box.Env = &env
	f, err := Facts(t.Context(), box, "numpy", nil)
	if err != nil || f.Version == "" || slices.ContainsFunc(f.Packages, func(p task.Installed) bool { return strings.HasPrefix(p.Name, "nvidia") }) {
		t.Errorf("%+v %v", f, err)
	}
}

func TestFactsAreKept(t *testing.T) {
	b := &fakeBox{}
	box := b.box()
	for range 2 {
		if f, err := Facts(t.Context(), box, "numpy", []string{"numpy.zeros"}); err != nil || !f.Signatures[0].Exists {
			t.Errorf("%+v %v", f, err)
		}
	}
	if _, err := Facts(t.Context(), box, "numpy", []string{"numpy.zeros", "numpy.ones"}); err != nil {
		t.Error(err)
	}
	if len(b.asked) != 2 || !slices.Equal(b.asked[1].Facts, []string{"numpy.ones"}) {
		t.Errorf("asked %+v", b.asked)
	}
	// Another environment is another question.
	box.Env = &environment.Environment{Key: "k2"}
	if _, err := Facts(t.Context(), box, "numpy", []string{"numpy.zeros"}); err != nil || len(b.asked) != 3 {
		t.Errorf("asked %+v %v", b.asked, err)
	}
}

// An import that ends the interpreter costs its own names and no other.
func TestCrashingImport(t *testing.T) {
	b := &fakeBox{world: world{crash: "broken"}}
	f, err := Facts(t.Context(), b.box(), "numpy", []string{"broken.x", "numpy.zeros"})
	if err != nil || len(b.asked) != 2 || !slices.Equal(b.asked[1].Skip, []string{"broken"}) {
		t.Fatalf("%+v %v", b.asked, err)
	}
	if f.Signatures[0].Exists || !strings.Contains(f.Signatures[0].Why, "SIGSEGV") || !f.Signatures[1].Exists {
		t.Errorf("%+v", f.Signatures)
	}
}

func TestManyNamesAreBounded(t *testing.T) {
	var names []string
	for i := range 500 {
		names = append(names, fmt.Sprintf("numpy.f%d", i))
	}
	b := &fakeBox{}
	if f, err := Facts(t.Context(), b.box(), "numpy", names); err != nil || len(f.Signatures) != maxFacts {
		t.Errorf("%d %v", len(f.Signatures), err)
	}
}

func TestNoiseIsNoAnswer(t *testing.T) {
	b := &fakeBox{world: world{noise: "{\"t\":\"fact\",\"n\":\"numpy.zeros\",\"a\":{\"exists\":false}}\n{\n\x00\n"}}
	if f, err := Facts(t.Context(), b.box(), "numpy", []string{"numpy.zeros"}); err != nil || !f.Signatures[0].Exists {
		t.Errorf("%+v %v", f, err)
	}
}

// Whatever the process wrote, what is read from it is bounded and inert.
func FuzzAnswers(f *testing.F) {
	f.Add(`K {"t":"name","n":"a.b","a":{"exists":true,"near":["a.c","x;y"]}}`)
	f.Add("K {\"t\":\"compile\",\"error\":{\"type\":\"SyntaxError\",\"message\":\"\x1b[31m\",\"line\":-4},\"warnings\":[{}]}")
	f.Add("K {\"t\":\"begin\",\"m\":\"a\"}\nK {\"t\":\"end\",\"m\":\"a\",\"error\":{\"type\":\"X\"}}")
	f.Add(`K {"t":"call","i":-1,"a":{"error":"e","near":null}}` + "\nK {\"t\":\"done\"}")
	f.Add("K null\nK []\nK {\"a\":3,\"t\":\"fact\"}\n")
	f.Fuzz(func(t *testing.T, out string) {
		a := newAnswers()
		a.read("K ", out)
		_ = a.unfinished()
		texts := slices.Clone(a.begun)
		for _, table := range []map[string]nameAnswer{a.names, a.facts} {
			for n, v := range table {
				texts = append(texts, n, v.Signature, v.Doc, v.Absent)
				texts = append(texts, v.Near...)
				_ = asSignature(n, &v)
			}
		}
		for _, c := range a.calls {
			if c != nil {
				texts = append(texts, c.Error, c.Signature)
			}
		}
		for _, x := range checkCompile(a.compile, "3.11", "x = 1\n") {
			texts = append(texts, x.Text, x.Signature)
		}
		for _, s := range texts {
			if len(s) > task.MaxFeedback || strings.ContainsAny(s, "\x00\x1b\r") {
				t.Errorf("%q", s)
			}
		}
	})
}

func FuzzLint(f *testing.F) {
	f.Add(lintOf("F821", "Undefined name `y`", 4))
	f.Add(`[{"code":null,"location":{"row":-1}}]`)
	f.Add(`{}`)
	f.Fuzz(func(t *testing.T, out string) {
		found, _ := readLint(out)
		for _, x := range lintFeedback(found, good) {
			if x.Line < 0 || len(x.Text) > task.MaxFeedback || strings.ContainsAny(x.Text, "\x00\x1b") {
				t.Errorf("%+v", x)
			}
		}
	})
}
