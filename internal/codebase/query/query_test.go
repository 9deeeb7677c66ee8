package query

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

func read(text string) Query { return FromReport(report.Parse([]byte(text), report.Source{})) }

const whole = "# [Bug]: `Pool.fit` crashes with drop_last=True\n" + `
### Description

Hi!

- [x] I have searched the issues
<!-- Please describe the problem. -->
The last batch is lost, see [the docs](https://example.org/very/long/path.html).
Calling ` + "`pool.net.Pool`" + ` twice is fine, make_pool() as well.
_No response_

### Expected behavior

I expected confetti.

### To Reproduce

` + "```python" + `
import numpy as np
import pool.net as pn
from pool import helpers

def mine(x):
    return x

p = pn.Pool(drop_last=True, size=4)
p.fit(np.ones((2, 3)))
mine(3)
helpers.check(p)
` + "```" + `

### Error log

` + "```" + `
Traceback (most recent call last):
  File "train.py", line 8, in <module>
    p.fit(np.ones((2, 3)))
  File "/home/me/venv/lib/python3.11/site-packages/pool/net.py", line 120, in fit
    self._step(batch)
  File "/home/me/venv/lib/python3.11/site-packages/pool/core/step.py", line 7, in _step
    raise ValueError(msg)
ValueError: shape (2, 3) at 0x7f00aa does not fit 'last_batch' of /home/me/x.bin
` + "```" + `

### Environment

pool 1.2.3, Python 3.11.2, numpy 1.26.4, Ubuntu 22.04
`

func TestFromReport(t *testing.T) {
	q := read(whole)
	if want := "`Pool.fit` crashes with drop_last=True"; q.Title != want {
		t.Errorf("title %q, want %q", q.Title, want)
	}
	want := "The last batch is lost, see the docs.\nCalling `pool.net.Pool` twice is fine, make_pool() as well."
	if q.Observed != want {
		t.Errorf("observed:\n%s\nwant:\n%s", q.Observed, want)
	}
	if q.Exception != "ValueError" || q.Message != "shape at does not fit 'last_batch' of" {
		t.Errorf("failure %q: %q", q.Exception, q.Message)
	}
	frames := []Frame{
		{File: "pool/core/step.py", Function: "_step", Line: 7, Depth: 0, Source: "raise ValueError(msg)"},
		{File: "pool/net.py", Function: "fit", Line: 120, Depth: 1, Source: "self._step(batch)"},
		{File: "train.py", Function: "<module>", Line: 8, Depth: 2, Source: "p.fit(np.ones((2, 3)))"},
	}
	if !reflect.DeepEqual(q.Frames, frames) {
		t.Errorf("frames %+v", q.Frames)
	}
}

func TestNames(t *testing.T) {
	q := read(whole)
	got := map[string]Origin{}
	for _, n := range q.Names {
		got[n.Text] = n.Origin
	}
	want := map[string]Origin{
		"Pool.fit": InTitle, "drop_last": InTitle, "pool.net.Pool": InInline, "make_pool": InProse, "last_batch": InMessage,
		"_step": InTraceback, "fit": InTraceback, "numpy.ones": InCode, "pool.helpers": InCode, "pool.helpers.check": InCode,
		"size": InCode, "p.fit": InCode,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("names %v\nwant %v", got, want)
	}
	for i, n := range q.Names {
		if n.Weight <= 0 || i > 0 && n.Weight > q.Names[i-1].Weight {
			t.Errorf("weights out of order: %v", q.Names)
			break
		}
	}
}

func TestProse(t *testing.T) {
	p := read(whole).Prose()
	for _, want := range []string{"`Pool.fit` crashes", "ValueError: shape", "The last batch is lost"} {
		if !strings.Contains(p, want) {
			t.Errorf("the prose lacks %q:\n%s", want, p)
		}
	}
	for _, no := range []string{"confetti", "1.26.4", "searched the issues", "import", "https", "Please describe", "No response", "0x7f"} {
		if strings.Contains(p, no) {
			t.Errorf("the prose has %q:\n%s", no, p)
		}
	}
}

func TestProseOfCodeOnly(t *testing.T) {
	q := Query{Names: []Name{{Text: "pool.Pool"}, {Text: "drop_last"}}}
	if got := q.Prose(); got != "pool.Pool drop_last" {
		t.Errorf("prose %q", got)
	}
	if q.Empty() || !(Query{}).Empty() {
		t.Error("Empty is wrong")
	}
}

func TestFromText(t *testing.T) {
	q := FromText("Metrics.update keeps too much. After some steps my_state is larger than memory.")
	all := q.Title + " " + q.Observed
	for _, want := range []string{"Metrics.update keeps too much", "my_state is larger"} {
		if strings.Count(all, want) != 1 {
			t.Errorf("%q stands not once in %q", want, all)
		}
	}
	if !slices.ContainsFunc(q.Names, func(n Name) bool { return n.Text == "my_state" }) {
		t.Errorf("names %v", q.Names)
	}
	if !FromText(" \n ").Empty() || !FromText("").Empty() {
		t.Error("a blank text is no question")
	}
}

func TestModules(t *testing.T) {
	q := FromText("Wrong default\n\nThe bug is in src/pool/core/step.py, and ./setup.py has it too.")
	if want := []string{"src/pool/core/step.py", "setup.py"}; !slices.Equal(q.Modules, want) {
		t.Errorf("modules %v, want %v", q.Modules, want)
	}
}

func TestLooksCode(t *testing.T) {
	for name, want := range map[string]bool{
		"drop_last": true, "_step": false, "__init__": true, "BatchNorm": true, "np.ones": true, "model.fit": true, "keras": false,
		"GPU": false, "LSTM": false, "end.The": false, "Model.fit": true, "torch.nn.Linear": true, "a.b": false, "Keras": false, "NaN": true,
	} {
		if got := looksCode(name); got != want {
			t.Errorf("looksCode(%q) = %v", name, got)
		}
	}
}

func TestCommon(t *testing.T) {
	for word, want := range map[string]bool{"the": true, "doesn": true, "is": true, "loss": false, "batch": false, "": false, "The": false} {
		if Common(word) != want {
			t.Errorf("Common(%q) is not %v", word, want)
		}
	}
	// Lower case and plain, or no token would ever be one.
	for w := range commonWords {
		if strings.ToLower(w) != w || strings.ContainsFunc(w, func(c rune) bool { return c < 'a' || c > 'z' }) {
			t.Errorf("%q can be no token", w)
		}
	}
}

func TestCleanMessage(t *testing.T) {
	for in, want := range map[string]string{
		"expected [2, 3] but got (4,)":                   "expected but got",
		"object of type 'NoneType' has no len()":         "object of type 'NoneType' has no len()",
		"<Layer object at 0x7f12> is not conv2d":         "<Layer object at > is not conv2d",
		"cannot open C:\\Users\\me\\a.h5":                "cannot open",
		"/usr/lib/x.so: undefined symbol _Z3foo":         ": undefined symbol _Z3foo",
		"loss is 1.5e-07 at step 12":                     "loss is at step",
		"id 123e4567-e89b-12d3-a456-426614174000 unseen": "id unseen",
		"": "",
	} {
		if got := CleanMessage(in); got != want {
			t.Errorf("CleanMessage(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestChainedTracebacks(t *testing.T) {
	q := FromText(`Broken

Traceback (most recent call last):
  File "/x/site-packages/pool/inner.py", line 3, in low
    1 / 0
ZeroDivisionError: division by zero

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/x/site-packages/pool/outer.py", line 9, in high
    low()
RuntimeError: high failed
`)
	if q.Exception != "RuntimeError" {
		t.Errorf("exception %q", q.Exception)
	}
	var files []string
	for _, f := range q.Frames {
		files = append(files, f.File)
	}
	if want := []string{"pool/inner.py", "pool/outer.py"}; !slices.Equal(files, want) {
		t.Errorf("frames of %v, want the cause first: %v", files, want)
	}
}

// Any text gives a query within its limits, the same one each time.
func TestAnyText(t *testing.T) {
	if err := lazyre.Check(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		pieces := []string{"```", "\n", "# ", "`a.b`", "Traceback (most recent call last):\n", "  File \"a/b.py\", line 3, in f\n", "ValueError: x\n", "<!--", "-->", "x = f(y)", "é世", "\x00", "- [ ] ", "pool 1.2\n"}
		text := strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String()), 0, 30).Draw(t, "text"), "")
		q := FromText(text)
		if !reflect.DeepEqual(q, FromText(text)) {
			t.Fatal("two readings differ")
		}
		if len(q.Prose()) > maxProse || len(q.Names) > maxNames || len(q.Frames) > maxFrames || len(q.Observed) > maxObserved {
			t.Fatal("over the limits")
		}
		for _, f := range q.Fields() {
			if f.Weight <= 0 {
				t.Fatalf("field %v has no weight", f)
			}
		}
	})
}

func FuzzFromText(f *testing.F) {
	f.Add(whole)
	f.Add("```\n>>> x\n```")
	f.Fuzz(func(t *testing.T, text string) { _ = FromText(text).Prose() })
}

func TestProseOfTemplates(t *testing.T) {
	const body = "The pool is never emptied."
	for _, c := range []struct{ name, text, want string }{
		{"instructions of a whole line", "Provide as much detail as you can. At least, this should include a description of your issue. If possible also describe workarounds you tried.\n\n" + body, body},
		{"an instruction behind a sentence", body + " Please attach the full log as text.", body},
		{"two templates' first words", "A clear and concise description of what the bug is.\nSteps to reproduce the behavior:\n" + body, body},
		{"emphasis inside", "Wherever possible, please provide a *minimal example*. Please consider submitting a snippet.\n" + body, body},
		{"a reporter's own steps stay", "Add a layer to the pool. Describe it with `pool.describe`. Please fix `Pool.empty`, it includes logs.", "Add a layer to the pool. Describe it with `pool.describe`. Please fix `Pool.empty`, it includes logs."},
		{"who tells of himself stays", "I include a script with the context manager.", "I include a script with the context manager."},
		{"pictures and attached files say nothing", "![image](https://example.org/a/1.png) " + body + " [data.zip](https://example.org/files/1/data.zip)", body},
		{"other links keep their words", "It is [the pool](https://example.org/pool) of [net.py](https://example.org/net.py#L3).", "It is the pool of net.py."},
	} {
		if q := read("# Pools\n\n### Description\n\n" + c.text + "\n"); q.Observed != c.want {
			t.Errorf("%s: %q, want %q", c.name, q.Observed, c.want)
		}
	}
}

// TestSentenceBetweenBackticks: function words of a quoted message are no names.
func TestSentenceBetweenBackticks(t *testing.T) {
	q := read("# `ValueError: 3 is not in list` from `where`\n\nIt is `pool.size in sizes`.\n")
	var got []string
	for _, n := range q.Names {
		got = append(got, n.Text)
	}
	slices.Sort(got)
	if want := []string{"ValueError", "list", "pool.size", "sizes", "where"}; !slices.Equal(slices.DeleteFunc(slices.Clone(want), func(w string) bool { return boring[w] }), got) {
		t.Errorf("names %q, want %q", got, want)
	}
}
