package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// world is a made-up index, store and sandbox: what a script does is a
// function of the versions it meets.
type world struct {
	mu       sync.Mutex
	base     map[string]string
	words    map[string]environment.Word
	releases map[string][]string
	// uploaded is the day of "name version", where one matters.
	uploaded map[string]time.Time
	// behave is what the candidate does, certificate what the imports do.
	behave      func(v map[string]string) sandbox.Execution
	certificate func(v map[string]string) sandbox.Execution
	// scripted, when set, comes in the place of behave: what is done depends on
	// the script and on the command too.
	scripted func(script string, c sandbox.Command, v map[string]string) sandbox.Execution
	limits   []sandbox.Limits // of every execution, in order
	// alsoMoves lists what else a move drags along, as NAME VERSION.
	alsoMoves map[string][2]string
	// unbuildable are "name version" pairs without an environment.
	unbuildable map[string]bool
	below       map[string]string // the version that a constraint gives
	provides    map[string]string // dist added for a missing module
	// fixed is the version that the fixed revision builds, and what moves with it.
	fixed map[string]string
	runs  []string // labels of executions, in order
	// logged is what the recorder leaves, where it is not what audit makes up;
	// audits are the labels of audited executions, which are in no other list.
	logged func(v map[string]string) []json.RawMessage
	audits []string
	// full: an audit finds no space; vanishes: the release whose environment is
	// gone when it is audited.
	full     bool
	vanishes string
	locks    map[string]map[string]string
	built    []map[string]string // the versions of every built lock, in order
}

func (w *world) lock(v map[string]string) *environment.Lock {
	l := &environment.Lock{Python: "3.11.7", Rung: 1}
	var names []string
	for n := range v {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		word := w.words[n]
		if word == "" {
			word = environment.WordReporter
		}
		l.Packages = append(l.Packages, environment.Package{Name: n, Version: v[n], Word: word})
		l.Hash += n + "=" + v[n] + ";"
	}
	return l
}

func versions(l *environment.Lock) map[string]string {
	v := map[string]string{}
	for _, p := range l.Packages {
		v[p.Name] = p.Version
	}
	return v
}

func (w *world) Solve(_ context.Context, s environment.Spec) (*environment.Lock, *environment.Unavailable, error) {
	if w.base == nil {
		return nil, &environment.Unavailable{Why: "no such release"}, nil
	}
	for _, c := range s.Constraints {
		if v, ok := w.below[c.Name]; ok {
			w.base[c.Name] = v
		}
	}
	return w.lock(w.base), nil, nil
}

func (w *world) Move(_ context.Context, _ environment.Spec, base *environment.Lock, name, version string) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	if w.unbuildable[name+" "+version] {
		return nil, nil, &environment.Unavailable{Why: "no wheel"}, nil
	}
	v := versions(base)
	moves := []environment.Move{{Name: name, From: v[name], To: version}}
	v[name] = version
	if also, ok := w.alsoMoves[name+" "+version]; ok {
		moves = append(moves, environment.Move{Name: also[0], From: v[also[0]], To: also[1]})
		v[also[0]] = also[1]
	}
	return w.lock(v), moves, nil, nil
}

func (w *world) Fix(_ context.Context, _ environment.Spec, base *environment.Lock) (*environment.Lock, []environment.Move, *environment.Unavailable, error) {
	if w.fixed == nil {
		return nil, nil, &environment.Unavailable{Why: "it does not build"}, nil
	}
	v, moves := versions(base), []environment.Move{}
	for name, version := range w.fixed {
		moves = append(moves, environment.Move{Name: name, From: v[name], To: version})
		v[name] = version
	}
	return w.lock(v), moves, nil, nil
}

func (w *world) Add(_ context.Context, s environment.Spec, base *environment.Lock, dist string) (environment.Spec, *environment.Lock, *environment.Unavailable, error) {
	version, ok := w.provides[dist]
	if !ok {
		return s, nil, &environment.Unavailable{Why: dist + " is not on the index"}, nil
	}
	v := versions(base)
	v[dist] = version
	return s, w.lock(v), nil, nil
}

func (w *world) Releases(_ context.Context, name, _ string) ([]environment.Release, error) {
	var rs []environment.Release
	for _, v := range w.releases[name] {
		rs = append(rs, environment.Release{Version: v, Wheel: true, Pre: strings.Contains(v, "a"), Uploaded: w.uploaded[name+" "+v]})
	}
	return rs, nil
}

func (w *world) Build(_ context.Context, l *environment.Lock) (*environment.Environment, *environment.Unavailable, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone(l) {
		return nil, &environment.Unavailable{Why: "it is gone"}, nil
	}
	if w.locks == nil {
		w.locks = map[string]map[string]string{}
	}
	w.locks[l.Hash] = versions(l)
	w.built = append(w.built, versions(l))
	return &environment.Environment{Lock: *l}, nil, nil
}

func (w *world) Certify(_ context.Context, e *environment.Environment, _ environment.Spec) (environment.Certificate, error) {
	ex := printed("certificate\n")
	if w.certificate != nil {
		ex = w.certificate(versions(&e.Lock))
	}
	ok := ex.Outcome == sandbox.Exited && ex.ExitCode == 0
	c := environment.Certificate{OK: ok, Execution: ex}
	if !ok {
		c.Why = "import failed"
	}
	return c, nil
}

// Run looks up the versions by the label, which names the side's subject and
// version; everything else is as in the newest lock with that pair.
func (w *world) Run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	if err := ctx.Err(); err != nil {
		return sandbox.Execution{Outcome: sandbox.Canceled}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	audited := c.Probe != nil && c.Probe.Audit
	if audited && w.full {
		return sandbox.Execution{}, errFull
	}
	if audited {
		w.audits = append(w.audits, c.Label)
	} else {
		w.runs, w.limits = append(w.runs, c.Label), append(w.limits, l)
	}
	parts := strings.Fields(c.Label)
	v := map[string]string{}
	for n, version := range w.base {
		v[n] = version
	}
	for hash := range w.locks {
		for n, version := range w.locks[hash] {
			if _, ok := v[n]; !ok {
				v[n] = version
			}
		}
	}
	v[parts[1]], _, _ = strings.Cut(parts[2], "@")
	for _, b := range slices.Backward(w.built) {
		if b[parts[1]] == v[parts[1]] {
			v = b
			break
		}
	}
	var ex sandbox.Execution
	if w.scripted != nil {
		script, err := os.ReadFile(filepath.Join(c.Work, sandbox.ScriptNm))
		if err != nil {
			return ex, err
		}
		ex = w.scripted(string(script), c, v)
	} else {
		ex = w.behave(v)
	}
	ex.Label = c.Label
	if audited {
		w.audit(&ex, v)
	}
	return ex, nil
}

// audit leaves the log of a script that makes one call: of logged, or with what
// the execution shows as the answer.
func (w *world) audit(ex *sandbox.Execution, v map[string]string) {
	if w.logged != nil {
		ex.Record.Audit = w.logged(v)
		return
	}
	answer := `["r", 0, {"k": "none", "v": "None"}]`
	for _, o := range ex.Record.Observations {
		answer = fmt.Sprintf(`["r", 0, {"k": "float", "v": %q}], ["s", 1, "call", 2, 0, "observe"], ["q", 1, 1, "", [{"k": "float", "v": %q}]]`, o.Text, o.Text)
	}
	for _, e := range ex.Record.Exceptions {
		answer = fmt.Sprintf(`["x", 0, {"k": "exception", "v": %q}]`, e.Type)
	}
	ex.Record.Audit = logOf(answer)
}

// logOf is a log that begins with a call of lib.call.
func logOf(rest string) []json.RawMessage {
	return []json.RawMessage{json.RawMessage(`[["s", 0, "call", 1, 0, "lib.call"], ["q", 0, 0, "lib", [{"k": "public", "v": "lib.call", "t": "lib"}]], ` + rest + `, ["end"]]`)}
}

func (w *world) Layers(context.Context) ([]sandbox.Layer, error) { return nil, nil }

// ran counts executions whose label begins with prefix.
func (w *world) ran(prefix string) int {
	n := 0
	for _, r := range w.runs {
		if strings.HasPrefix(r, prefix) {
			n++
		}
	}
	return n
}

// kept is a journal in memory.
type kept struct {
	mu sync.Mutex
	m  map[string]sandbox.Execution
}

func (k *kept) Load(key string) (sandbox.Execution, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	ex, ok := k.m[key]
	return ex, ok
}

func (k *kept) Save(key string, ex sandbox.Execution) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.m == nil {
		k.m = map[string]sandbox.Execution{}
	}
	k.m[key] = ex
	return nil
}

// printed is a run to the end that printed out.
func printed(out string) sandbox.Execution {
	return sandbox.Execution{Outcome: sandbox.Exited, Stdout: out, Record: probe.Record{Started: true, Ended: true, Python: "3.11.7"}}
}

// raised is a run that died of an exception below file of the library.
func raised(class, message, file string) sandbox.Execution {
	trace := fmt.Sprintf("Traceback (most recent call last):\n  File \"/box/reproduce.py\", line 3, in <module>\n    lib.call()\n  File \"/env/lib/python3.11/site-packages/%s\", line 10, in call\n    fail()\n%s: %s\n", file, class, message)
	return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: trace, Record: probe.Record{
		Started: true, Ended: true, Python: "3.11.7",
		Exceptions: []probe.Exception{{Type: class, MRO: []string{class, "Exception"}, Message: message, Frames: []probe.Frame{
			{File: "/box/reproduce.py", Line: 3, Function: "<module>", Module: "__main__", Source: "lib.call()"},
			{File: "/env/lib/python3.11/site-packages/" + file, Line: 10, Function: "call", Module: "lib", Source: "fail()"},
		}}},
	}}
}

// typeErrorReport expects lib's TypeError from lib/core.py.
func typeErrorReport() Input {
	exp := &oracle.Expectation{
		Oracle: oracle.OracleException, Subject: "lib", Modules: []string{"lib"}, ReporterScript: true,
		Symptom: symptom.Symptom{
			Kind: symptom.Exception, Exception: "TypeError", Message: "'int' object is not iterable",
			Frames: []symptom.Frame{{File: "lib/core.py", Package: "lib", Where: "library", Function: "call", Source: "fail()"}},
		},
	}
	return Input{
		Report:    &report.Report{Title: "lib fails"},
		Decision:  &triage.Decision{Route: triage.Attempt, Subjects: []string{"lib"}, SubjectSource: "title", Expectation: exp},
		Candidate: &candidate.Candidate{Script: "import lib\n\nlib.call()\n", Origin: "reporter", Imports: []string{"lib"}},
		Spec:      environment.Spec{Subject: "lib", Imports: []string{"lib"}, Requirements: []environment.Requirement{stated}},
	}
}

// stated is the release of lib in the reporter's own words.
var stated = environment.Requirement{Name: "lib", Spec: "==1.2", Word: environment.WordReporter}

func (w *world) prove(t *testing.T, in Input, j Journal) *Outcome {
	t.Helper()
	p := &Prover{Solver: w, Builder: w, Sandbox: w, Journal: j, WorkRoot: t.TempDir(), Parallel: 1}
	o, err := p.Prove(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
