package oracle

import (
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// died is an execution that ended in an exception with the given frames.
func died(class string, mro []string, frames ...probe.Frame) sandbox.Execution {
	return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: class + ": x must be positive\n", Record: probe.Record{
		Started: true, Ended: true,
		Exceptions: []probe.Exception{{Type: class, MRO: mro, Message: "x must be positive", Frames: frames}},
	}}
}

// TestAnotherExceptionIsAskedFor: "raises ValueError instead of ShapeError". The
// side that raises ShapeError is right, unless the script raises it itself.
func TestAnotherExceptionIsAskedFor(t *testing.T) {
	call := probe.Frame{File: "/box/reproduce.py", Line: 3, Function: "<module>", Module: "__main__", Source: "lib.check(x)"}
	inside := probe.Frame{File: "/env/lib/python3.11/site-packages/shapelib/core.py", Line: 9, Function: "check", Module: "shapelib.core", Source: "raise ShapeError(x)"}
	byHand := probe.Frame{File: "/box/reproduce.py", Line: 3, Function: "<module>", Module: "__main__", Source: "raise ShapeError(x)"}
	mro := []string{"ShapeError", "RuntimeError", "Exception"}
	for _, c := range []struct {
		name   string
		wanted string
		ex     sandbox.Execution
		want   Finding
	}{
		{"the library raises it", "ShapeError", died("ShapeError", mro, call, inside), Clean},
		{"its frames are hidden", "ShapeError", died("ShapeError", mro, call), Clean},
		{"a base of it is asked for", "RuntimeError", died("ShapeError", mro, call, inside), Clean},
		{"the script raises it", "ShapeError", died("ShapeError", mro, byHand), Collided},
		{"another one is asked for", "KeyError", died("ShapeError", mro, call, inside), Collided},
		{"none is asked for", "", died("ShapeError", mro, call, inside), Collided},
		{"the reported one comes", "ShapeError", died("ValueError", []string{"ValueError", "Exception"}, call, inside), Hit},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Expectation{
				Oracle: OracleException, Wanted: c.wanted, ReporterScript: true, Subject: "shapelib", Modules: []string{"shapelib"},
				Symptom: symptom.Symptom{Kind: symptom.Exception, Exception: "ValueError"},
			}
			if j := Judge(e, c.ex); j.Finding != c.want {
				t.Errorf("%s, want %s: %v", j.Finding, c.want, j.Reasons)
			}
		})
	}
}

// TestCompiledCodeLeavesNoFrame: a script that is not the reporter's may show an
// exception of the subject's own class which compiled code raised below its line,
// as it did below the reporter's; nothing that the script could raise counts.
func TestCompiledCodeLeavesNoFrame(t *testing.T) {
	own := symptom.Frame{File: "D:/me/run.py", Where: "unknown", Line: 216, Function: "<module>", Source: "cv.line(frame, p1, p2)"}
	lib := symptom.Frame{File: "shapelib/core.py", Where: "library", Package: "shapelib", Function: "check"}
	line := func(source string) probe.Frame {
		return probe.Frame{File: "/box/reproduce.py", Line: 3, Function: "<module>", Module: "__main__", Source: source}
	}
	inside := probe.Frame{File: "/env/lib/python3.11/site-packages/shapelib/core.py", Line: 9, Function: "check", Module: "shapelib.core", Source: "x()"}
	mro := []string{"cv2.error", "Exception"}
	for _, c := range []struct {
		name     string
		class    string
		reported []symptom.Frame
		ex       sandbox.Execution
		want     Finding
	}{
		{"compiled code", "cv2.error", []symptom.Frame{own}, died("cv2.error", mro, line("cv2.line(f, p, q)")), Hit},
		{"raised by hand", "cv2.error", []symptom.Frame{own}, died("cv2.error", mro, line("raise cv2.error('x')")), Collided},
		{"thrown by hand", "cv2.error", []symptom.Frame{own}, died("cv2.error", mro, line("g.throw(cv2.error('x'))")), Collided},
		{"no source", "cv2.error", []symptom.Frame{own}, died("cv2.error", mro, line("")), Collided},
		{"a class of Python's", "ValueError", []symptom.Frame{own}, died("ValueError", []string{"ValueError", "Exception"}, line("int('x')")), Collided},
		{"a class of another package", "torch.Error", []symptom.Frame{own}, died("torch.Error", []string{"torch.Error", "Exception"}, line("torch.f()")), Collided},
		{"reported from a library's frame", "cv2.error", []symptom.Frame{own, lib}, died("cv2.error", mro, line("cv2.line(f, p, q)")), Collided},
		{"called back from a library", "cv2.error", []symptom.Frame{own}, died("cv2.error", mro, line("a.map(f)"), inside, line("cv2.line(f, p, q)")), Collided},
		{"no traceback", "cv2.error", nil, died("cv2.error", mro, line("cv2.line(f, p, q)")), Collided},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Expectation{
				Oracle: OracleException, Subject: "opencv-python", Modules: []string{"cv2"},
				Symptom: symptom.Symptom{Kind: symptom.Exception, Exception: c.class, Frames: c.reported},
			}
			if j := Judge(e, c.ex); j.Finding != c.want {
				t.Errorf("%s, want %s: %v", j.Finding, c.want, j.Reasons)
			}
		})
	}
}
