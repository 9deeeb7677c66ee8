package environment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

func TestCertificateScript(t *testing.T) {
	got := certificateScript([]string{"jax", "google.protobuf", "jax", "os; import evil", "torch", ""})
	want := `import jax
import jax.numpy
import google.protobuf
import torch
jax.numpy.zeros(2) + 1
getattr(google.protobuf, '__version__', None)
torch.zeros(2) + 1
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
	if got := certificateScript(nil); strings.TrimSpace(got) != "" {
		t.Errorf("nothing to import: %q", got)
	}
}

// mountOf is the host folder mounted at a place.
func mountOf(c sandbox.Command, guest string) (sandbox.Mount, bool) {
	i := slices.IndexFunc(c.Mounts, func(m sandbox.Mount) bool { return m.Guest == guest })
	if i < 0 {
		return sandbox.Mount{}, false
	}
	return c.Mounts[i], true
}

func TestCertify(t *testing.T) {
	w := newWorkshop(t, "")
	stdlib := filepath.Join(w.python.Prefix, "lib/python3.11")
	write(t, filepath.Join(stdlib, "json/__pycache__/decoder.cpython-311.pyc"), "compiled", 0o644)
	write(t, filepath.Join(stdlib, "json/__pycache__/decoder.cpython-311.opt-1.pyc"), "other", 0o644)
	write(t, filepath.Join(stdlib, "test/__pycache__/x.cpython-311.pyc"), "large", 0o644)
	e := w.built(t, lockOf("3.11.7", "jax==0.6.2"))
	w.box.run = func(c sandbox.Command) sandbox.Execution {
		if got := read(t, filepath.Join(c.Work, "certificate.py")); !strings.HasPrefix(got, "import jax\n") {
			t.Errorf("script %q", got)
		}
		if m, ok := mountOf(c, "/pyc"); ok && m.Writable {
			write(t, filepath.Join(m.Host, "env/jax.pyc"), "compiled", 0o644)
		}
		return sandbox.Execution{Outcome: sandbox.Exited}
	}
	s := Spec{
		Imports: []string{"jax"}, Env: map[string]string{"XLA_FLAGS": "x"},
		Requirements: []Requirement{{Name: "JAX", Spec: "==0.6.1"}, {Name: "flax", Spec: "==1"}, {Name: "jax", Spec: ""}},
	}
	cert, err := w.Certify(t.Context(), e, s)
	if err != nil || !cert.OK || cert.Cached {
		t.Fatalf("%+v %v", cert, err)
	}
	if want := []string{"jax: asked ==0.6.1, installed 0.6.2", "flax: asked ==1, not installed"}; !slices.Equal(cert.Wrong, want) {
		t.Errorf("wrong versions %q", cert.Wrong)
	}
	c := w.box.seen[0]
	m, ok := mountOf(c, "/pyc")
	if !ok || !m.Writable || c.Env["PYTHONDONTWRITEBYTECODE"] != "" || c.Env["XLA_FLAGS"] != "x" || c.Probe == nil {
		t.Errorf("the certificate's command: %+v", c)
	}
	// Later commands read what the certificate compiled, and cannot change it.
	c = e.Command("/env/bin/python")
	m, ok = mountOf(c, "/pyc")
	if !ok || m.Writable || c.Env["PYTHONPYCACHEPREFIX"] != "/pyc" || c.Env["PYTHONDONTWRITEBYTECODE"] != "1" {
		t.Errorf("a later command: %+v", c)
	}
	for name, want := range map[string]bool{
		"env/jax.pyc": true, "py/lib/python3.11/json/decoder.cpython-311.pyc": true,
		"py/lib/python3.11/json/decoder.cpython-311.opt-1.pyc": false, "py/lib/python3.11/test/x.cpython-311.pyc": false,
	} {
		if _, err := os.Stat(filepath.Join(m.Host, name)); (err == nil) != want {
			t.Errorf("%s there: %t, want %t", name, err == nil, want)
		}
	}
	again, err := w.Certify(t.Context(), w.built(t, lockOf("3.11.7", "jax==0.6.2")), s)
	if err != nil || !again.Cached || !again.OK || len(w.box.seen) != 1 {
		t.Errorf("second certificate: %+v %v, %d runs", again, err, len(w.box.seen))
	}
	s.Env = map[string]string{"XLA_FLAGS": "y"}
	e.Env = nil
	if other, err := w.Certify(t.Context(), e, s); err != nil || other.Cached {
		t.Errorf("other variables give the same certificate: %+v %v", other, err)
	}
}

// A failed certificate is data, and is run anew each time: its failure may be
// the reported one.
func TestCertifyFails(t *testing.T) {
	w := newWorkshop(t, "")
	e := w.built(t, lockOf("3.11.7", "tensorflow==2.7.1"))
	w.box.run = func(sandbox.Command) sandbox.Execution {
		return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Record: probe.Record{Started: true, Exceptions: []probe.Exception{
			{Thread: "Thread-1", Type: "OSError"},
			{Type: "TypeError", Message: "Descriptors cannot be created directly.\nIf this call came from", Frames: []probe.Frame{
				{File: "/box/certificate.py", Line: 1, Source: "import tensorflow"}, {File: "/env/x.py", Source: "fail()"},
			}},
		}}}
	}
	s := Spec{Imports: []string{"tensorflow"}}
	for i := range 2 {
		cert, err := w.Certify(t.Context(), e, s)
		want := "import tensorflow: TypeError: Descriptors cannot be created directly."
		if err != nil || cert.OK || cert.Cached || cert.Why != want {
			t.Errorf("%+v %v", cert, err)
		}
		if len(w.box.seen) != i+1 {
			t.Errorf("%d runs after %d certificates", len(w.box.seen), i+1)
		}
	}
	m, ok := mountOf(w.box.seen[1], "/pyc")
	if !ok || m.Writable {
		t.Error("the second run does not use the bytecode of the first, or may change it")
	}
}

func TestCertifyTimeOutIsNotKept(t *testing.T) {
	w := newWorkshop(t, "")
	e := w.built(t, lockOf("3.11.7", "jax==0.6.2"))
	w.box.run = func(sandbox.Command) sandbox.Execution {
		return sandbox.Execution{Outcome: sandbox.TimedOut, LimitHit: "wall 60s"}
	}
	cert, err := w.Certify(t.Context(), e, Spec{Imports: []string{"jax"}})
	if err != nil || cert.OK || cert.Why != "timed out wall 60s" {
		t.Errorf("%+v %v", cert, err)
	}
	if _, ok := mountOf(e.Command("x"), "/pyc"); ok {
		t.Error("half-made bytecode is used")
	}
	w.box.run = nil
	if cert, err := w.Certify(t.Context(), e, Spec{Imports: []string{"jax"}}); err != nil || !cert.OK {
		t.Errorf("the next run: %+v %v", cert, err)
	}
}

func TestCertifyOtherVersionInstalled(t *testing.T) {
	w := newWorkshop(t, "")
	e := w.built(t, lockOf("3.11.7", "jax==0.6.2"))
	e.Lock.Packages[0].Version = "0.6.1"
	cert, err := w.Certify(t.Context(), e, Spec{Imports: []string{"jax"}})
	if err != nil || cert.OK || !strings.Contains(cert.Why, `locked at 0.6.1, installed is "0.6.2"`) {
		t.Errorf("%+v %v", cert, err)
	}
}

func TestCertifyOldPython(t *testing.T) {
	w := newWorkshop(t, "")
	p := &w.tools.pythons[0]
	p.Version, p.Minor, p.ABI = "3.7.16", "3.7", "cp37m"
	e := w.built(t, lockOf("3.7.16", "six==1.0"))
	if cert, err := w.Certify(t.Context(), e, Spec{Imports: []string{"six"}}); err != nil || !cert.OK {
		t.Fatalf("%+v %v", cert, err)
	}
	if c := e.Command("x"); c.Env["PYTHONPYCACHEPREFIX"] != "" {
		t.Error("Python 3.7 has no bytecode folder of its own")
	}
}

func TestCertifyNeedsASandbox(t *testing.T) {
	w := newWorkshop(t, "")
	e := w.built(t, lockOf("3.11.7"))
	w.opts.Sandbox = nil
	if _, err := w.Certify(t.Context(), e, Spec{}); err == nil {
		t.Error("certified without a sandbox")
	}
}

func TestLastWords(t *testing.T) {
	for want, x := range map[string]sandbox.Execution{
		"ValueError: x":       {Outcome: sandbox.Exited, ExitCode: 1, Stderr: "Traceback\nValueError: x\n", Stdout: "y"},
		"only out":            {Outcome: sandbox.Exited, ExitCode: 1, Stdout: "only out"},
		"exit 3":              {Outcome: sandbox.Exited, ExitCode: 3},
		"died of SIGSEGV":     {Outcome: sandbox.Signaled, Signal: "SIGSEGV", Stderr: "z"},
		"out of memory 8 GiB": {Outcome: sandbox.OutOfMemory, LimitHit: "8 GiB"},
	} {
		if got := lastWords(x); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
