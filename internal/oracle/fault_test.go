package oracle

import (
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// TestEnvironmentFault reads messages as libraries write them.
func TestEnvironmentFault(t *testing.T) {
	library := []symptom.Frame{{File: "lib/a.py", Package: "lib", Where: "library"}}
	for _, c := range []struct{ class, message, fault, detail string }{
		{"ModuleNotFoundError", "No module named 'packaging'", FaultMissingModule, "packaging"},
		{"ModuleNotFoundError", "No module named 'google.protobuf'", FaultMissingModule, "google.protobuf"},
		{"ImportError", "No module named jaxlib", FaultMissingModule, "jaxlib"},
		{"ImportError", "Missing optional dependency 'openpyxl'.  Use pip or conda to install openpyxl.", FaultMissingModule, "openpyxl"},
		{"ImportError", "Using `low_cpu_mem_usage=True` requires Accelerate: `pip install accelerate`", FaultMissingModule, "accelerate"},
		{"ImportError", "T5Tokenizer requires the SentencePiece library but it was not found in your environment.", FaultMissingModule, "SentencePiece"},
		{"ImportError", "Matplotlib is not installed", FaultMissingModule, "Matplotlib"},
		{"ImportError", "libGL.so.1: cannot open shared object file: No such file or directory", FaultMissingLibrary, "libGL.so.1"},
		{"ImportError", "cannot import name 'soft_unicode' from 'markupsafe' (/x/__init__.py)", FaultBrokenImport, "markupsafe"},
		{"ImportError", "numpy.core.multiarray failed to import", FaultBrokenImport, ""},
		{"pkg_resources.DistributionNotFound", "The 'tensorboard' distribution was not found and is required by the application", FaultMissingModule, "tensorboard"},
		{"importlib.metadata.PackageNotFoundError", "No package metadata was found for torch", FaultMissingModule, "torch"},
		{"RuntimeError", "Failed to import transformers.models because of the following error:\nNo module named 'tokenizers'", FaultMissingModule, "tokenizers"},
		{"TypeError", "'int' object is not iterable", "", ""},
		{"RuntimeError", "expected scalar type Half but found Float", "", ""},
	} {
		s := symptom.Symptom{Kind: symptom.Exception, Exception: c.class, Message: c.message, Frames: library}
		if fault, detail := environmentFault(s); fault != c.fault || detail != c.detail {
			t.Errorf("%s: %s: %q %q, want %q %q", c.class, c.message, fault, detail, c.fault, c.detail)
		}
	}
	inner := symptom.Symptom{Exception: "ModuleNotFoundError", Message: "No module named 'x'", Frames: library}
	outer := symptom.Symptom{Exception: "ValueError", Message: "no backend", Frames: library, Chain: []symptom.Symptom{inner}}
	if fault, detail := environmentFault(outer); fault != FaultMissingModule || detail != "x" {
		t.Errorf("chained: %q %q", fault, detail)
	}
	byHand := symptom.Symptom{Exception: "RuntimeError", Message: "No module named 'x'", Frames: []symptom.Frame{{File: "reproduce.py", Where: "script"}}}
	if fault, _ := environmentFault(byHand); fault != "" {
		t.Errorf("a raise of the script passed for %q", fault)
	}
}

// TestReportedImportErrorIsAHit: the same failure is a fault or the symptom,
// depending on the report.
func TestReportedImportErrorIsAHit(t *testing.T) {
	ex := execution(t, "scripts/missing_module.bad")
	e := Expectation{Oracle: OracleImportError, ReporterScript: true, Symptom: symptom.Symptom{
		Kind: symptom.ImportError, Exception: "ModuleNotFoundError", Message: "No module named 'packagingx'",
	}}
	if j := Judge(e, ex); j.Finding != Hit {
		t.Errorf("%s: %v", j.Finding, j.Reasons)
	}
	e.Symptom.Message = "No module named 'imp'"
	if j := Judge(e, ex); j.Finding != Inconclusive || j.Fault != FaultMissingModule {
		t.Errorf("another module: %s %q", j.Finding, j.Fault)
	}
}

func raised(class, message string, frames ...probe.Frame) sandbox.Execution {
	return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: class + ": " + message, Record: probe.Record{Started: true, Ended: true, Exceptions: []probe.Exception{
		{Type: class, MRO: []string{class, "Exception"}, Message: message, Frames: frames},
	}}}
}

var (
	inScript  = probe.Frame{File: "/box/reproduce.py", Line: 3, Function: "<module>", Module: "__main__", Source: "lib.f(1)"}
	inLibrary = probe.Frame{File: "/env/lib/python3.11/site-packages/lib/core.py", Line: 9, Function: "f", Module: "lib.core", Source: `raise ValueError("no")`}
	inOther   = probe.Frame{File: "/env/lib/python3.11/site-packages/numpy/x.py", Line: 9, Function: "f", Module: "numpy.x", Source: `raise ValueError("no")`}
)

// TestMissingExceptionControls: what counts as the subject's own answer.
func TestMissingExceptionControls(t *testing.T) {
	for _, c := range []struct {
		name   string
		wanted string
		ex     sandbox.Execution
		want   Finding
	}{
		{"the wanted class, by the subject", "ValueError", raised("ValueError", "no", inScript, inLibrary), Clean},
		{"a class below it", "Exception", raised("ValueError", "no", inScript, inLibrary), Clean},
		{"another class", "TypeError", raised("ValueError", "no", inScript, inLibrary), Collided},
		{"the wanted class, by the script", "ValueError", raised("ValueError", "no", inScript), Collided},
		{"the wanted class, not by the subject", "ValueError", raised("ValueError", "no", inScript, inOther), Collided},
		{"the subject on the stack, raised below it", "ValueError", raised("ValueError", "no", inScript, inLibrary, inOther), Clean},
		{"any deliberate one", "", raised("ValueError", "no", inScript, inLibrary), Clean},
		{"any, but a changed signature", "", raised("TypeError", "f() got an unexpected keyword argument 'x'", inScript), Collided},
		{"ran through", "ValueError", finished(""), Hit},
	} {
		e := Expectation{Oracle: OracleMissingException, Wanted: c.wanted, Modules: []string{"lib"}, ReporterScript: true}
		if j := Judge(e, c.ex); j.Finding != c.want {
			t.Errorf("%s: %s, want %s: %v", c.name, j.Finding, c.want, j.Reasons)
		}
	}
}

// TestRemovedByHand: a library that says by hand that a name is gone has not
// answered what the name should have done.
func TestRemovedByHand(t *testing.T) {
	stub := inLibrary
	stub.Function, stub.Source = "__getattr__", `raise AttributeError("module has no attribute")`
	for _, c := range []struct {
		class, message string
		frame          probe.Frame
		want           Finding
	}{
		{"AttributeError", "module 'lib' has no attribute 'product'", stub, Collided},
		{"AttributeError", "use prod", stub, Collided},
		{"TypeError", "f() got an unexpected keyword argument 'mode'", inLibrary, Collided},
		{"ValueError", "mode has no attribute of that kind", inLibrary, Clean},
		{"TypeError", "x must be an int", inLibrary, Clean},
	} {
		for _, wanted := range []string{"", c.class} {
			e := Expectation{Oracle: OracleMissingException, Wanted: wanted, Modules: []string{"lib"}, ReporterScript: true}
			if j := Judge(e, raised(c.class, c.message, inScript, c.frame)); j.Finding != c.want {
				t.Errorf("%s wanted %q: %s, want %s", c.message, wanted, j.Finding, c.want)
			}
		}
	}
}

// TestMissingExceptionOfAnotherCall: an exception that another line of the
// script raises on the newer release is no answer to the report.
func TestMissingExceptionOfAnotherCall(t *testing.T) {
	e := Expectation{Oracle: OracleMissingException, Wanted: "ValueError", Modules: []string{"lib"}, ReporterScript: true, Calls: []string{"kw"}}
	ex := raised("ValueError", "no", inScript, inLibrary) // lib.f(1)
	if j := Judge(e, ex); j.Finding != Collided {
		t.Errorf("another call: %s", j.Finding)
	}
	e.Calls = []string{"f"}
	if j := Judge(e, ex); j.Finding != Clean {
		t.Errorf("the judged call: %s: %v", j.Finding, j.Reasons)
	}
}

// TestStatedOutputOfMissingException: the stated value must come as well.
func TestStatedOutputOfMissingException(t *testing.T) {
	e := Expectation{Oracle: OracleMissingException, Wanted: "ValueError", Printed: &Printed{Actual: []Line{{Text: "(3, 8)", Replaces: -1}}}}
	if j := Judge(e, finished("(3, 8)\n")); j.Finding != Hit || len(j.Lines) != 1 {
		t.Errorf("%s %v", j.Finding, j.Lines)
	}
	if j := Judge(e, finished("(8,)\n")); j.Finding != Absent {
		t.Errorf("%s", j.Finding)
	}
}

// TestNamespaceModules: "google.protobuf" is a subject of two parts.
func TestNamespaceModules(t *testing.T) {
	f := symptom.Frame{File: "google/protobuf/descriptor.py", Package: "google", Where: "library"}
	for module, want := range map[string]bool{"google.protobuf": true, "google": true, "google.cloud": false, "goo": false} {
		if got := ofModules([]string{module}, f); got != want {
			t.Errorf("%s: %v", module, got)
		}
	}
}
