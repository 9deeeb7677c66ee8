package oracle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// explicitCrash is a reported crash that every release shows: only the
// certificate script can speak for it.
func explicitCrash(class, message string, frames ...probe.Frame) (Expectation, Evidence) {
	ex := raised(class, message, frames...)
	e := Expectation{Oracle: OracleException, ReporterScript: true, Symptom: symptom.FromExecution(ex)[0]}
	return e, Evidence{Certified: true, Groups: []Group{
		repeat(SideReported, "1.2.0", 5, ex), repeat(SideNewest, "1.3.0", 1, ex), repeat(SideNeutral, "", 1, finished("")),
	}}
}

// TestMadeByTheIsolation: what the sandbox withholds makes many reported
// failures come on every release, the defect or not. A clean certificate is no
// control of these; a release without the failure is.
func TestMadeByTheIsolation(t *testing.T) {
	inScriptAgain := probe.Frame{File: "/box/reproduce.py", Line: 2, Function: "<lambda>", Module: "__main__", Source: "lambda v: 1 / v"}
	for _, c := range []struct {
		name, class, message string
		frames               []probe.Frame
		want                 Headline
	}{
		{"a crash of the library", "IndexError", "index 3 is out of bounds", []probe.Frame{inScript, inLibrary}, Reproduced},
		{"called back into the script", "ZeroDivisionError", "division by zero", []probe.Frame{inScript, inLibrary, inScriptAgain}, Lead},
		{"a file that only the reporter has", "FileNotFoundError", "[Errno 2] No such file or directory: 'data.csv'", []probe.Frame{inScript, inLibrary}, Lead},
		{"a read-only root", "OSError", "[Errno 30] Read-only file system: '/etc/x'", []probe.Frame{inScript, inLibrary}, Lead},
		{"no terminal", "OSError", "[Errno 25] Inappropriate ioctl for device", []probe.Frame{inScript, inLibrary}, Lead},
		{"no input", "EOFError", "EOF when reading a line", []probe.Frame{inScript, inLibrary}, Lead},
		{"no more threads", "RuntimeError", "can't start new thread", []probe.Frame{inScript, inLibrary}, Lead},
		{"no network", "ConnectionError", "Max retries exceeded with url: /x", []probe.Frame{inScript, inLibrary}, Lead},
		{"no memory", "MemoryError", "", []probe.Frame{inScript, inLibrary}, Lead},
		{"no accelerator", "RuntimeError", "No CUDA GPUs are available", []probe.Frame{inScript, inLibrary}, Lead},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, ev := explicitCrash(c.class, c.message, c.frames...)
			e = JudgeAll(e, &ev)
			if v := Decide(e, ev); v.Headline != c.want {
				t.Errorf("%s %s, want %s: %s", v.Headline, v.Grade, c.want, strings.Join(v.Reasons, "\n"))
			}
			ev.Groups[1] = repeat(SideNewest, "1.3.0", 3, finished(""))
			e = JudgeAll(e, &ev)
			if v := Decide(e, ev); v.Headline != Fixed {
				t.Errorf("with a clean release: %s: %s", v.Headline, strings.Join(v.Reasons, "\n"))
			}
		})
	}
}

// TestIsolationIsNoFailure: a script that cannot run here has not failed
// otherwise; a failure that anything may explain has.
func TestIsolationIsNoFailure(t *testing.T) {
	e := Expectation{Oracle: OracleException, ReporterScript: true, Symptom: symptom.Symptom{Kind: symptom.Exception, Exception: "IndexError", Message: "index 3 is out of bounds"}}
	for _, c := range []struct {
		class, message string
		want           Finding
		headline       Headline
	}{
		{"URLError", "<urlopen error [Errno -2] Name or service not known>", Inconclusive, EnvUnavailable},
		{"ValueError", "could not load: [Errno 30] Read-only file system: '/opt/x'", Inconclusive, EnvUnavailable},
		{"FileNotFoundError", "[Errno 2] No such file or directory: 'x.csv'", Collided, DifferentFailure},
		{"ValueError", "connection refused by the graph", Collided, DifferentFailure},
	} {
		ex := raised(c.class, c.message, inScript, inLibrary)
		if j := Judge(e, ex); j.Finding != c.want || (c.want == Inconclusive) != (j.Fault == FaultIsolation) {
			t.Errorf("%s: %s %q", c.message, j.Finding, j.Fault)
		}
		ev := Evidence{Certified: true, Groups: []Group{repeat(SideReported, "1.2.0", 5, ex)}}
		if v := Decide(JudgeAll(e, &ev), ev); v.Headline != c.headline {
			t.Errorf("%s: %s, want %s", c.message, v.Headline, c.headline)
		}
	}
}

// TestNamedGoodMustRun: a release that is named as good and on which the script
// dies has shown nothing, however different that is.
func TestNamedGoodMustRun(t *testing.T) {
	e := Expectation{Oracle: OracleDifferential, ReporterScript: true, Subject: "lib", Modules: []string{"lib"}}
	ev := Evidence{Certified: true, Groups: []Group{
		repeat(SideReported, "1.2.0", 5, finished("2\n")),
		repeat(SideNamed, "2.0.0", 5, raised("AttributeError", "module 'lib' has no attribute 'old'", inScript)),
	}}
	e = JudgeAll(e, &ev)
	if v := Decide(e, ev); positive(v.Headline) {
		t.Errorf("%s %s: %s", v.Headline, v.Grade, strings.Join(v.Reasons, "\n"))
	}
	ev.Groups[1] = repeat(SideNamed, "2.0.0", 5, finished("3\n"))
	e = JudgeAll(e, &ev)
	if v := Decide(e, ev); v.Headline != Reproduced {
		t.Errorf("both run: %s: %s", v.Headline, strings.Join(v.Reasons, "\n"))
	}
}
