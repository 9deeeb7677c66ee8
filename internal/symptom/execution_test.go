package symptom

import (
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

func typeError(thread string, frames ...probe.Frame) probe.Exception {
	return probe.Exception{Thread: thread, Type: "TypeError", MRO: []string{"TypeError", "Exception"}, Message: "no", Frames: frames}
}

var libFrame = probe.Frame{File: "/env/lib/python3.11/site-packages/lib/core.py", Line: 3, Function: "f", Module: "lib.core"}

// TestFromExecution lists failures by what the outside allows.
func TestFromExecution(t *testing.T) {
	record := func(r probe.Record) probe.Record { r.Started, r.Ended = true, true; return r }
	warning := probe.Warning{Category: "UserWarning", Message: "careful", File: libFrame.File, Line: 3}
	traceback := "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\nKeyError: 'a'\n"
	for _, c := range []struct {
		name string
		ex   sandbox.Execution
		want []string
	}{
		{"uncaught", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: "TypeError: no\n", Record: record(probe.Record{Exceptions: []probe.Exception{typeError("", libFrame)}, Warnings: []probe.Warning{warning}})}, []string{"exception TypeError", "warning UserWarning"}},
		{"main before threads", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: traceback, Record: record(probe.Record{Exceptions: []probe.Exception{typeError("t1"), {Type: "KeyError"}}})}, []string{"exception KeyError", "exception TypeError"}},
		{"drawn in a box, broken into lines", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: "╭─ Traceback ─╮\n│ lib.TypeE │\n│ rror: n   │\n│ o         │\n", Record: record(probe.Record{Exceptions: []probe.Exception{typeError("")}})}, []string{"exception TypeError"}},
		{"another encoding on the terminal", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: "E: n\\xe9ant\n", Record: record(probe.Record{Exceptions: []probe.Exception{{Type: "a.E", Message: "néant"}}})}, []string{"exception a.E"}},
		{"nothing printed of it", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: traceback, Record: record(probe.Record{Exceptions: []probe.Exception{typeError("")}})}, nil},
		{"recorded, yet exit code 0", sandbox.Execution{Outcome: sandbox.Exited, Record: record(probe.Record{Exceptions: []probe.Exception{typeError("")}})}, nil},
		{"recorded beside sys.exit", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Record: record(probe.Record{SystemExit: "1", Exceptions: []probe.Exception{typeError("")}})}, nil},
		{"forged", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Record: record(probe.Record{Forged: true, Exceptions: []probe.Exception{typeError("")}})}, nil},
		{"only printed", sandbox.Execution{Outcome: sandbox.Exited, Stderr: traceback, Stdout: traceback, Record: record(probe.Record{})}, nil},
		{"no observer", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: traceback}, []string{"exception KeyError"}},
		{"no observer, exit code 0", sandbox.Execution{Outcome: sandbox.Exited, Stderr: traceback}, nil},
		{"signal", sandbox.Execution{Outcome: sandbox.Signaled, Signal: "SIGABRT", Stderr: "F a/b.cc:1] Check failed: x\n"}, []string{"signal SIGABRT Check failed: x"}},
		{"signal passed on as an exit code", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 139, Record: probe.Record{Fatal: "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n  File \"/env/lib/python3.11/site-packages/lib/core.py\", line 3 in f\n"}}, []string{"signal SIGSEGV"}},
		{"exit code 139 by hand", sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 139, Record: record(probe.Record{SystemExit: "139"})}, nil},
		{"words about a signal on stderr", sandbox.Execution{Outcome: sandbox.Exited, Stderr: "Aborted (core dumped)\n", Record: record(probe.Record{})}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, s := range FromExecution(c.ex) {
				text := string(s.Kind) + " " + s.Exception + s.Signal
				if s.FatalLine != "" {
					text += " " + s.FatalLine
				}
				got = append(got, text)
			}
			if len(got) != len(c.want) {
				t.Fatalf("%q, want %q", got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("%q, want %q", got[i], c.want[i])
				}
			}
		})
	}
}

// TestPlaces: where a frame belongs, by path as the observer or a reporter
// writes it.
func TestPlaces(t *testing.T) {
	for path, want := range map[string][3]string{
		"/env/lib/python3.11/site-packages/keras/src/ops/math.py":     {"keras/src/ops/math.py", "keras", "library"},
		"/usr/lib/python3/dist-packages/six.py":                       {"six.py", "six", "library"},
		".../keras/src/ops/math.py":                                   {"keras/src/ops/math.py", "keras", "library"},
		"…/sklearn/base.py":                                           {"sklearn/base.py", "sklearn", "library"},
		`C:\Users\me\Anaconda3\Lib\site-packages\torch\nn\modules.py`: {"torch/nn/modules.py", "torch", "library"},
		`C:\Users\me\Anaconda3\lib\threading.py`:                      {"threading.py", "", "stdlib"},
		"/py/lib/python3.11/json/decoder.py":                          {"json/decoder.py", "", "stdlib"},
		"<frozen importlib._bootstrap>":                               {"<frozen importlib._bootstrap>", "", "stdlib"},
		"<stdin>":                                                     {"<stdin>", "", "script"},
		"<ipython-input-3-ab12>":                                      {"<ipython-input-3-ab12>", "", "script"},
		"/tmp/ipykernel_12/345.py":                                    {"345.py", "", "script"},
		"/box/reproduce.py":                                           {"reproduce.py", "", "script"},
		"train.py":                                                    {"train.py", "", "script"},
		"./train.py":                                                  {"train.py", "", "script"},
		"/home/u/project/train.py":                                    {"/home/u/project/train.py", "", "unknown"},
	} {
		tail, pkg, where := place(path)
		if tail != want[0] || pkg != want[1] || where != want[2] {
			t.Errorf("%s: %q %q %q, want %q", path, tail, pkg, where, want)
		}
	}
}

// TestObservedFramesAreNotBelieved: names of files and modules are the
// script's to choose.
func TestObservedFramesAreNotBelieved(t *testing.T) {
	for name, f := range map[string]probe.Frame{
		"compiled under a library's name":    {File: "/env/lib/python3.11/site-packages/lib/core.py", Module: "__main__"},
		"a folder of the work place":         {File: "/box/site-packages/lib/core.py", Module: "lib.core"},
		"a folder of the temporary place":    {File: "/tmp/site-packages/lib/core.py", Module: "lib.core"},
		"a way round to the work place":      {File: "/env/../box/site-packages/lib/core.py", Module: "lib.core"},
		"a path written twice":               {File: "//tmp/./site-packages/lib/core.py", Module: "lib.core"},
		"code that the interpreter has not":  {File: "<frozen importlib._bootstrap>", Module: "importlib._bootstrap", Altered: true},
		"code from a string":                 {File: "<eval_with_key>.1", Module: "torch.fx", Altered: true},
		"a relative folder of the same name": {File: "site-packages/lib/core.py", Module: "lib.core"},
	} {
		if got := fromProbe([]probe.Frame{f})[0]; got.Where != "script" || got.Package != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := fromProbe([]probe.Frame{libFrame})[0]; got.Where != "library" || got.Package != "lib" {
		t.Errorf("a library's frame: %+v", got)
	}
	altered := libFrame
	altered.Altered = true
	if got := fromProbe([]probe.Frame{altered})[0]; !got.InLibrary() || !got.Altered {
		t.Errorf("code that its file does not hold: %+v", got)
	}
}

// TestEndlessRecursion keeps both ends of a long stack.
func TestEndlessRecursion(t *testing.T) {
	frames := make([]probe.Frame, 3*maxFrames)
	frames[0], frames[len(frames)-1] = probe.Frame{File: "first.py"}, probe.Frame{File: "last.py"}
	got := fromProbe(frames)
	if len(got) != maxFrames || got[0].File != "first.py" || got[len(got)-1].File != "last.py" {
		t.Errorf("%d frames, %q to %q", len(got), got[0].File, got[len(got)-1].File)
	}
}

// TestChainOfRecord: causes and contexts are kept, the import is recognised.
func TestChainOfRecord(t *testing.T) {
	e := typeError("", probe.Frame{File: "/env/lib/python3.11/site-packages/lib/__init__.py", Function: "<module>", Module: "lib"})
	e.Chain = []probe.Exception{{Type: "KeyError", Message: "'a'", Link: "context"}}
	s := fromException(e)
	if s.Kind != ImportError || len(s.Chain) != 1 || s.Chain[0].Exception != "KeyError" {
		t.Errorf("%+v", s)
	}
}
