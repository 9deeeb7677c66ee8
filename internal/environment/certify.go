package environment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/system"
)

// Certificate says whether an environment is what was asked for: its modules
// import, one trivial call returns, the versions are those of the lock.
type Certificate struct {
	OK        bool              `json:"ok"`
	Execution sandbox.Execution `json:"execution"`
	// Script is what ran.
	Script string `json:"script"`
	// Why it failed, one line: "import tensorflow: TypeError: ...".
	Why string `json:"why,omitempty"`
	// Wrong are versions that the Spec asks for and that are not the installed
	// ones: "jax: asked ==0.4.1, installed 0.4.2". The ladder may have loosened
	// them on purpose, so they alone do not fail a certificate.
	Wrong []string `json:"wrong,omitempty"`
	// Asked are all distributions, the interpreter and mere constraints
	// included, whose asked-for version is not the installed one.
	Asked []Asked `json:"asked,omitempty"`
	// Cached: an earlier run of the same script on the same environment.
	Cached bool `json:"cached,omitempty"`
}

// certificateName is the script's name in the work folder.
const certificateName = "certificate.py"

// trivial are single calls that make a framework do something: an import alone
// does not load every library. Others are only asked for their version.
var trivial = map[string]string{
	"numpy":      "numpy.zeros(2) + 1",
	"scipy":      "scipy.__version__",
	"pandas":     "pandas.Series([1]) + 1",
	"torch":      "torch.zeros(2) + 1",
	"tensorflow": "tensorflow.constant(1.0) + 1",
	"jax":        "jax.numpy.zeros(2) + 1",
	"keras":      "keras.__version__",
}

// moduleForm keeps anything but a dotted module name out of the script.
var moduleForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

// certificateScript imports the modules, one a line, then calls.
func certificateScript(imports []string) string {
	var lines, calls []string
	for _, name := range imports {
		if !moduleForm.MatchString(name) || slices.Contains(lines, "import "+name) {
			continue
		}
		lines = append(lines, "import "+name)
		if call, ok := trivial[name]; ok {
			calls = append(calls, call)
			if name == "jax" {
				lines = append(lines, "import jax.numpy")
			}
		} else {
			calls = append(calls, "getattr("+name+", '__version__', None)")
		}
	}
	return strings.Join(append(lines, calls...), "\n") + "\n"
}

// Certify runs the certificate in the sandbox. A failed certificate is data;
// an error means that it could not be run. The run leaves the bytecode of what
// it imported, which Command uses from then on. One that went well is kept and
// given again for the same environment, script and isolation.
func (m *Manager) Certify(ctx context.Context, e *Environment, s Spec) (Certificate, error) {
	if m.opts.Sandbox == nil {
		return Certificate{}, errors.New("certify the environment: there is no sandbox")
	}
	if e.Env == nil {
		e.Env = maps.Clone(s.Env)
	}
	script := certificateScript(e.certified(s.Imports)) + e.stubCheck()
	store, err := m.store(certStore)
	if err != nil {
		return Certificate{}, err
	}
	from := m.seeds.of(s, e)
	key, err := m.certificateKey(ctx, e, script+from.key)
	if err != nil {
		return Certificate{}, err
	}
	var fresh *Certificate
	dir, _, release, err := store.BuildHeld(ctx, key, func(ctx context.Context, tmp string) error {
		c, err := m.certifyInto(ctx, e, script, tmp, from)
		fresh = &c
		return err
	})
	var unsure *notKeptError
	if err != nil && !errors.As(err, &unsure) {
		return Certificate{}, storeError("certify the environment", err)
	}
	if unsure == nil {
		e.useBytecode(dir, release)
	}
	if fresh == nil {
		if fresh, err = m.oldCertificate(ctx, e, script, dir); err != nil {
			return Certificate{}, err
		}
	}
	m.log.Debug("certificate", "cpu_s", fresh.Execution.CPUSeconds, "s", fresh.Execution.WallSeconds, "cached", fresh.Cached, "seeded", from.key != "")
	m.seeds.keep(s, e, fresh.OK)
	if !fresh.OK && blamesStubs(e, fresh.Execution) {
		if err := m.withCUDA(ctx, e); err != nil {
			return Certificate{}, fmt.Errorf("certify the environment: %w", err)
		}
		return m.Certify(ctx, e, s)
	}
	if err := e.compareVersions(fresh, s); err != nil {
		return Certificate{}, fmt.Errorf("certify the environment: %w", err)
	}
	return *fresh, nil
}

// notKeptError: the run says nothing lasting (our time limit, canceled).
type notKeptError struct{ outcome sandbox.Outcome }

func (n *notKeptError) Error() string { return "the certificate's run ended " + string(n.outcome) }

// certificateKey: environment, script, variables, isolation.
func (m *Manager) certificateKey(ctx context.Context, e *Environment, script string) (string, error) {
	layers, err := m.opts.Sandbox.Layers(ctx)
	if err != nil {
		return "", fmt.Errorf("certify the environment: %w", err)
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\n%s\n%s\n", builderVersion, e.Key, script)
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		_, _ = fmt.Fprintf(h, "%s=%q\n", name, e.Env[name])
	}
	for _, l := range layers {
		_, _ = fmt.Fprintf(h, "%s %t\n", l.Name, l.Active)
	}
	return hex.EncodeToString(h.Sum(nil))[:32], nil
}

// useBytecode lets later commands read what a certificate's run compiled, which
// is held as long as the environment is.
func (e *Environment) useBytecode(dir string, release func()) {
	e.keep(release)
	pyc := filepath.Join(dir, "pyc")
	if _, err := os.Stat(pyc); err == nil {
		e.bytecode = pyc
	}
}

// certifyInto runs the script and fills a store entry: the certificate, and
// the bytecode where the interpreter can keep it apart.
func (m *Manager) certifyInto(ctx context.Context, e *Environment, script, tmp string, from seed) (Certificate, error) {
	m.progress(Event{Stage: "certificate", Text: "first import"})
	c := e.Command(sandbox.EnvDir+"/bin/python", certificateName)
	if hasBytecodePrefix(e.Python) {
		pyc := filepath.Join(tmp, "pyc")
		if err := os.Mkdir(pyc, 0o755); err != nil {
			return Certificate{}, err
		}
		if err := seedBytecode(e.Python, pyc); err != nil {
			return Certificate{}, err
		}
		if err := from.plant(e, pyc); err != nil {
			return Certificate{}, err
		}
		c.Mounts = append(c.Mounts, sandbox.Mount{Host: pyc, Guest: bytecodeDir, Writable: true})
		c.Env["PYTHONPYCACHEPREFIX"] = bytecodeDir
		delete(c.Env, "PYTHONDONTWRITEBYTECODE")
	}
	cert, err := m.runCertificate(ctx, c, script)
	if err != nil {
		return Certificate{}, err
	}
	switch cert.Execution.Outcome {
	case sandbox.Exited, sandbox.Signaled:
	default:
		return cert, &notKeptError{cert.Execution.Outcome}
	}
	return cert, system.KeepJSON(filepath.Join(tmp, "certificate.json"), cert)
}

// oldCertificate gives a kept certificate when it went well; one that failed
// is run again, since its failure may be the reported one.
func (m *Manager) oldCertificate(ctx context.Context, e *Environment, script, dir string) (*Certificate, error) {
	var old Certificate
	data, err := os.ReadFile(filepath.Join(dir, "certificate.json"))
	if err == nil && json.Unmarshal(data, &old) == nil && old.OK && old.Script == script {
		old.Cached = true
		return &old, nil
	}
	again, err := m.runCertificate(ctx, e.Command(sandbox.EnvDir+"/bin/python", certificateName), script)
	if err != nil {
		return nil, fmt.Errorf("certify the environment: %w", err)
	}
	return &again, nil
}

// runCertificate runs the script in a work folder of its own.
func (m *Manager) runCertificate(ctx context.Context, c sandbox.Command, script string) (Certificate, error) {
	work, err := os.MkdirTemp("", "repgen-certificate-")
	if err != nil {
		return Certificate{}, err
	}
	defer func() { _ = system.RemoveAll(work) }()
	if err := os.WriteFile(filepath.Join(work, certificateName), []byte(script), 0o644); err != nil {
		return Certificate{}, err
	}
	c.Work, c.Label, c.Probe = work, "certificate", &probe.Options{}
	x, err := m.opts.Sandbox.Run(ctx, c, m.opts.Limits)
	if err != nil {
		return Certificate{}, fmt.Errorf("run the certificate: %w", err)
	}
	cert := Certificate{Execution: x, Script: script}
	cert.OK = x.Outcome == sandbox.Exited && x.ExitCode == 0
	if !cert.OK {
		cert.Why = whyFailed(x)
	}
	return cert, nil
}

// whyFailed words a failed run: what was done, and the exception.
func whyFailed(x sandbox.Execution) string {
	for _, e := range x.Record.Exceptions {
		if e.Thread != "" {
			continue
		}
		message, _, _ := strings.Cut(e.Message, "\n")
		why := e.Type + ": " + message
		for _, f := range e.Frames {
			if strings.HasSuffix(f.File, certificateName) && f.Source != "" {
				return f.Source + ": " + why
			}
		}
		return why
	}
	return lastWords(x)
}

// compareVersions looks at the metadata on disk: the lock must be what is
// installed, and what was asked for is compared with it.
func (e *Environment) compareVersions(c *Certificate, s Spec) error {
	have, err := installedVersions(e.Dir, e.Python.Minor)
	if err != nil {
		return err
	}
	left := e.Lock.leftOut()
	for _, p := range e.Lock.Packages {
		if have[p.Name] == "" && slices.Contains(left, p.Name) {
			continue
		}
		if have[p.Name] == "" || !pydist.Match("==="+p.Version, have[p.Name]) && !pydist.Match("=="+p.Version, have[p.Name]) {
			c.OK = false
			c.Why = fmt.Sprintf("%s is locked at %s, installed is %q", p.Name, p.Version, have[p.Name])
		}
	}
	c.Wrong, c.Asked = nil, e.Lock.askedFor(s)
	for _, r := range s.Requirements {
		name := pydist.Normalize(r.Name)
		switch got := have[name]; {
		case r.Spec == "":
		case got == "":
			c.Wrong = append(c.Wrong, fmt.Sprintf("%s: asked %s, not installed", name, r.Spec))
		case !pydist.Match(r.Spec, got):
			c.Wrong = append(c.Wrong, fmt.Sprintf("%s: asked %s, installed %s", name, r.Spec, got))
		}
	}
	return nil
}
