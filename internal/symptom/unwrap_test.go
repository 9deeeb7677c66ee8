package symptom

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

const wrapper = "in user code:\n\n    File \"/env/lib/python3.11/site-packages/lib/core.py\", line 3, in g\n        return h(x)\n\n    TypeError: bad axis of input\n"

// TestUnwrap: the true class, message and innermost frame stand inside.
func TestUnwrap(t *testing.T) {
	for _, c := range []struct{ name, class, message, wantClass, wantMessage, wantFrame string }{
		{"autograph", "ValueError", wrapper, "TypeError", "bad axis of input", "lib/core.py in g"},
		{"data loader", "ValueError", "Caught ValueError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n  File \"/v/site-packages/torch/x.py\", line 1, in fetch\n    f()\nValueError: corrupt\n", "ValueError", "corrupt", "torch/x.py in fetch"},
		{"spawn", "ProcessRaisedException", "\n\n-- Process 1 terminated with the following error:\nTraceback (most recent call last):\n  File \"/v/site-packages/torch/x.py\", line 1, in run\nRuntimeError: process 1 failed", "RuntimeError", "process 1 failed", "torch/x.py in run"},
		{"graph node", "InvalidArgumentError", "Graph execution error:\n\nDetected at node 'Reshape' defined at (most recent call last):\n    File \"/v/site-packages/tf/ops.py\", line 3, in take\n      return g(x)\nNode: 'Reshape'\nInput has 3 values\n\t [[{{node Reshape}}]]", "InvalidArgumentError", "Input has 3 values", "tf/ops.py in take"},
		{"layer", "ValueError", "Exception encountered when calling Half.call().\n\n\x1b[1mbad axis\x1b[0m\n\nArguments received by Half.call():\n  • x=1", "ValueError", "bad axis", "a.py in f"},
		{"old layer", "ValueError", "Exception encountered when calling layer \"dense\" (type Dense).\n\nbad axis\n\nCall arguments received by layer \"dense\":", "ValueError", "bad axis", "a.py in f"},
		{"layer without a failure", "ValueError", "Exception encountered when calling Half.call().", "ValueError", "Exception encountered when calling Half.call().", "a.py in f"},
		{"compiler", "TypingError", "Failed in nopython mode pipeline (step: nopython frontend)\nUnknown attribute 'nope'", "TypingError", "Unknown attribute 'nope'", "a.py in f"},
		{"a layer around autograph", "ValueError", "Exception encountered when calling Half.call().\n\n" + strings.ReplaceAll(wrapper, "\n\n", "\n"), "TypeError", "bad axis of input", "lib/core.py in g"},
		{"no wrapper", "ValueError", "bad axis in user code: x", "ValueError", "bad axis in user code: x", "a.py in f"},
		{"nothing inside", "ValueError", "in user code:", "ValueError", "in user code:", "a.py in f"},
	} {
		s := settle(Symptom{Kind: Exception, Exception: c.class, Message: c.message, Frames: []Frame{{File: "a.py", Where: "script", Function: "f"}}})
		inner, _ := Innermost(s.Frames)
		if unqualified(s.Exception) != c.wantClass || firstLine(s.Message) != c.wantMessage || frameText(inner) != c.wantFrame {
			t.Errorf("%s: %s, %q, %s", c.name, s.Exception, s.Message, frameText(inner))
		}
		if c.wantClass != c.class && !s.IsA(c.class) {
			t.Errorf("%s: the outer class %s is forgotten: %q", c.name, c.class, s.Bases)
		}
	}
}

// TestWrappersByHand: what a script writes into a message of its own makes no
// frames of a library.
func TestWrappersByHand(t *testing.T) {
	lib := probe.Frame{File: "/env/lib/python3.11/site-packages/lib/func.py", Line: 1, Function: "f", Module: "lib.func", Source: "raise e"}
	script := func(source string) probe.Frame {
		return probe.Frame{File: "/box/reproduce.py", Line: 1, Function: "<module>", Module: "__main__", Source: source}
	}
	for _, c := range []struct {
		name      string
		frames    []probe.Frame
		class     string
		inLibrary bool
	}{
		{"a library raises", []probe.Frame{script("f()"), lib}, "TypeError", true},
		{"the script raises", []probe.Frame{script("raise ValueError(text)")}, "ValueError", false},
		{"the script raises in a callback", []probe.Frame{lib, script("raise ValueError(text)")}, "ValueError", false},
		{"native code below the script's line", []probe.Frame{script("f(1)")}, "TypeError", false},
		{"no frames", nil, "ValueError", false},
	} {
		ex := sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: "ValueError: " + wrapper, Record: probe.Record{Started: true, Ended: true, Exceptions: []probe.Exception{
			{Type: "ValueError", MRO: []string{"ValueError", "Exception"}, Message: wrapper, Frames: c.frames},
		}}}
		found := FromExecution(ex)
		if len(found) != 1 {
			t.Fatalf("%s: %d symptoms", c.name, len(found))
		}
		inner, _ := Innermost(found[0].Frames)
		if found[0].Exception != c.class || inner.InLibrary() != c.inLibrary {
			t.Errorf("%s: %s at %+v", c.name, found[0].Exception, inner)
		}
	}
}

// TestHang: a time-out of ours with samples is a hang at the last place where
// the script's main thread was.
func TestHang(t *testing.T) {
	stack := func(sample int, function string, main, child bool) probe.Stack {
		return probe.Stack{Sample: sample, Main: main, Child: child, Frames: []probe.Frame{
			{File: "/box/reproduce.py", Function: "<module>", Module: "__main__", Source: "lib.run()"},
			{File: "/env/lib/python3.11/site-packages/lib/core.py", Function: function, Module: "lib.core"},
		}}
	}
	for _, c := range []struct {
		name    string
		outcome sandbox.Outcome
		stacks  []probe.Stack
		want    string
	}{
		{"the last sample", sandbox.TimedOut, []probe.Stack{stack(1, "early", true, false), stack(2, "late", true, false), stack(2, "thread", false, false)}, "late"},
		{"a child does not hide the script", sandbox.TimedOut, []probe.Stack{stack(1, "main", true, false), stack(2, "child", true, true)}, "main"},
		{"only a child was seen", sandbox.TimedOut, []probe.Stack{stack(1, "child", true, true)}, "child"},
		{"only threads were seen", sandbox.TimedOut, []probe.Stack{stack(1, "thread", false, false)}, ""},
		{"no samples", sandbox.TimedOut, nil, ""},
		{"it ended", sandbox.Exited, []probe.Stack{stack(1, "main", true, false)}, ""},
	} {
		found := FromExecution(sandbox.Execution{Outcome: c.outcome, Record: probe.Record{Started: true, Stacks: c.stacks}})
		if c.want == "" {
			if len(found) != 0 {
				t.Errorf("%s: %+v", c.name, found)
			}
			continue
		}
		if len(found) != 1 || found[0].Kind != Hang {
			t.Errorf("%s: %+v", c.name, found)
			continue
		}
		if inner, ok := Innermost(found[0].Frames); !ok || inner.Function != c.want || inner.Package != "lib" || !found[0].Frames[0].InScript() {
			t.Errorf("%s: %+v", c.name, found[0].Frames)
		}
	}
}
