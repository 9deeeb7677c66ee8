package candidate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// expectations under which the liars are judged.
var (
	wantTypeError = &oracle.Expectation{
		Oracle:  oracle.OracleException,
		Symptom: symptom.Symptom{Kind: symptom.Exception, Exception: "TypeError", Message: "'int' object is not iterable"},
		Subject: "keras", Modules: []string{"keras"},
	}
	wantValueError = &oracle.Expectation{
		Oracle:  oracle.OracleException,
		Symptom: symptom.Symptom{Kind: symptom.Exception, Exception: "ValueError"},
	}
	wantPrinted = &oracle.Expectation{Oracle: oracle.OraclePrinted, Subject: "keras", Modules: []string{"keras"}}
	wantAssert  = &oracle.Expectation{Oracle: oracle.OracleAssert, Subject: "pot", Modules: []string{"ot"}}
	wantWarning = &oracle.Expectation{
		Oracle:  oracle.OracleWarning,
		Symptom: symptom.Symptom{Kind: symptom.Warning, Exception: "UserWarning"},
	}
	wantHang = &oracle.Expectation{Oracle: oracle.OracleException, Symptom: symptom.Symptom{Kind: symptom.Hang}}
)

// liars are scripts that show a symptom which the library does not have: every
// one must be refused, without an expectation (nil) or under one.
var liars = []struct {
	file string
	e    *oracle.Expectation
	want string // part of a refusal
}{
	{"prints_message", wantPrinted, "prints only constants"},
	{"prints_in_handler", wantPrinted, ""}, // see TestSwallowingIsNoted
	{"raises_by_hand", wantTypeError, "line 6: raises TypeError by hand"},
	{"raises_by_alias", wantTypeError, "line 8: raises TypeError by hand"},
	{"throws_into_generator", wantTypeError, "line 10: raises TypeError by hand (throw)"},
	{"raises_in_exec", wantTypeError, "line 4: raises TypeError by hand"},
	{"disguised_code", nil, "line 3: gives code the name of a file (keras.__file__)"},
	{"touches_no_library", nil, "touches no library code"},
	{"asserts_tautology", wantAssert, "asserts nothing that a library computed"},
	{"asserts_false_constant", wantAssert, "asserts nothing that a library computed"},
	{"own_copy_shadowing", nil, "defines its own copy of wasserstein_circle"},
	{"own_copy_beside", wantAssert, "asserts nothing that pot computed"},
	{"patches_function", nil, "line 4: patches jax.numpy.exp"},
	{"patches_with_none", nil, "line 3: patches tensorflow.raw_ops.DrawBoundingBoxes"},
	{"patches_by_setattr", nil, "line 9: patches keras.ops.logsumexp"},
	{"patches_by_mock", nil, "line 6: patches other code"},
	{"patches_through_alias", nil, "line 4: patches sklearn.ensemble.IsolationForest.fit"},
	{"patches_class_of_instance", nil, "line 4: patches a class"},
	{"patches_module_dict", nil, "line 3: patches a namespace"},
	{"replaces_module", nil, "line 6: replaces a module"},
	{"deletes_attribute", nil, "line 3: patches xgboost.XGBClassifier.fit (del)"},
	{"checks_version", nil, "line 3: branches on a version"},
	{"checks_version_by_variable", nil, "line 7: branches on a version"},
	{"checks_version_by_table", nil, "line 4: branches on a version"},
	{"checks_python_version", nil, "line 5: branches on a version"},
	{"sleeps", wantHang, "line 6: sleeps by itself"},
	{"writes_probe_record", nil, "line 5: touches the observer"},
	{"writes_every_descriptor", nil, "line 7: touches the observer"},
	{"finds_probe", nil, "line 1: touches the observer"},
	{"reads_key", nil, "line 5: touches the observer"},
	{"opens_fd_folder", nil, "line 3: touches the observer (/proc/self/fd)"},
	{"sets_excepthook", nil, "line 5: touches the observer (sets sys.excepthook)"},
	{"kills_parent", nil, "line 7: ends or signals a process by hand (os.kill)"},
	{"aborts_by_hand", nil, "line 6: ends or signals a process by hand (os.abort)"},
	{"null_pointer", nil, "line 6: ends or signals a process by hand (ctypes.string_at)"},
	{"edits_itself", nil, "line 3: edits its own script"},
	{"edits_bundle", nil, "line 5: reaches for the bundle"},
	{"edits_library", nil, "line 3: edits the library's files"},
	{"hidden_code", nil, "line 5: runs hidden code"},
	{"warns_by_hand", wantWarning, "line 6: issues a warning by hand"},
}

func script(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", folder, name+".py"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLiarsAreRefused(t *testing.T) {
	for _, l := range liars {
		if l.want == "" {
			continue
		}
		t.Run(l.file, func(t *testing.T) {
			c := FromScript(script(t, "liars", l.file))
			if !containsPart(c.RefusalsFor(l.e), l.want) {
				t.Errorf("no refusal says %q: refusals %q, notes %q", l.want, c.RefusalsFor(l.e), c.Notes)
			}
			if c.SyntaxError != "" {
				t.Errorf("the liar does not parse: %s", c.SyntaxError)
			}
		})
	}
}

// TestEveryLiarIsListed keeps testdata and table together.
func TestEveryLiarIsListed(t *testing.T) {
	known := map[string]bool{"syntax_error": true}
	for _, l := range liars {
		known[l.file] = true
	}
	files, err := filepath.Glob("testdata/liars/*.py")
	if err != nil || len(files) != len(known) {
		t.Errorf("%d files, %d in the table, %v", len(files), len(known), err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".py"); !known[name] {
			t.Errorf("%s is in no table", f)
		}
	}
}

// TestSwallowingIsNoted: whether a line printed beside a swallowed exception
// means anything is decided by the output that was stated, not here.
func TestSwallowingIsNoted(t *testing.T) {
	c := FromScript(script(t, "liars", "prints_in_handler"))
	if !containsPart(c.Notes, "line 7: swallows every exception") {
		t.Errorf("notes %q", c.Notes)
	}
	c = FromScript("import keras\ntry:\n    keras.x()\nexcept Exception:\n    print('reproduced')\n")
	if !containsPart(c.RefusalsFor(wantPrinted), "prints only constants") {
		t.Errorf("a constant in a broad handler is no evidence: %q %q", c.Refusals, c.Notes)
	}
}

func TestSyntaxErrorIsSaid(t *testing.T) {
	c := FromScript(script(t, "liars", "syntax_error"))
	if !strings.HasPrefix(c.SyntaxError, "line 2: ") {
		t.Errorf("syntax error %q", c.SyntaxError)
	}
}

// TestHonestScriptsAreNotRefused under any expectation that fits a script of
// its kind. False refusals cost real reproductions.
func TestHonestScriptsAreNotRefused(t *testing.T) {
	files, err := filepath.Glob("testdata/honest/*.py")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d honest scripts, %v", len(files), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".py")
		t.Run(name, func(t *testing.T) {
			c := FromScript(script(t, "honest", name))
			if len(c.Refusals) > 0 || c.SyntaxError != "" || len(c.Undefined) > 0 {
				t.Errorf("refused %q, syntax %q, undefined %q", c.Refusals, c.SyntaxError, c.Undefined)
			}
			for _, e := range []*oracle.Expectation{wantTypeError, wantValueError, wantAssert, wantWarning} {
				e := *e
				e.Modules = nil // the table's subjects are not these scripts'
				if got := c.RefusalsFor(&e); len(got) > 0 {
					t.Errorf("under %s refused %q", e.Oracle, got)
				}
			}
			if printed := len(c.Notes) == 0 || !containsPart(c.Notes, "prints only constants"); printed {
				if got := c.RefusalsFor(&oracle.Expectation{Oracle: oracle.OraclePrinted}); len(got) > 0 {
					t.Errorf("under printed output refused %q", got)
				}
			}
		})
	}
}

// TestRules goes through one line each.
func TestRules(t *testing.T) {
	const lib = "import torch\nimport sys, os, gc, importlib, signal, warnings\nprint(torch.ones(1))\n"
	for _, tc := range []struct {
		line    string
		refusal string
		note    string
	}{
		{line: "sys.settrace(print)", refusal: "sys.settrace"},
		{line: "sys.meta_path.insert(0, None)", refusal: "sys.meta_path.insert"},
		{line: "gc.get_objects()", note: "gc.get_objects"},
		{line: "os._exit(0)", note: "os._exit"},
		{line: "os.close(2)"},
		{line: "os.close(7)", refusal: "descriptor"},
		{line: "os.closerange(3, 9)", refusal: "os.closerange"},
		{line: "open(5, 'w')", refusal: "descriptor"},
		{line: "open('x.txt', 'w').write('a')"},
		{line: "os.write(1, b'x')"},
		{line: "os.write(sys.stderr.fileno(), b'x')"},
		{line: "sys.stdout = open('x', 'w')", note: "replaces sys.stdout"},
		{line: "warnings.showwarning = print", note: "replaces warnings.showwarning"},
		{line: "setattr(sys, 'excepthook', print)", refusal: "excepthook"},
		{line: "torch.nn.Module.forward = None", refusal: "patches torch.nn.Module.forward"},
		{line: "torch.backends.cuda.matmul.allow_tf32 = True"},
		{line: "torch.some_switch = True", note: "sets torch.some_switch"},
		{line: "torch.__version__ = '1'", refusal: "patches torch.__version__"},
		{line: "import builtins; builtins.print = None", refusal: "patches builtins.print"},
		{line: "model = torch.nn.Linear(1, 1); model.bias = None"},
		{line: "monkeypatch = object(); monkeypatch.setattr(torch, 'ones', None)", refusal: "patches other code"},
		{line: "import wrapt", refusal: "patches other code"},
		{line: "importlib.reload(torch)", note: "reloads a module"},
		{line: "del sys.modules['torch']", note: "changes sys.modules"},
		{line: "del os.environ['X']"},
		{line: "print(torch.__version__ == '2.0')"},
		{line: "assert torch.__version__ == '2.0'", refusal: "branches on a version"},
		{line: "x = 1 if torch.__version__ > '2' else 2", refusal: "branches on a version"},
		{line: "while sys.version_info < (3,): pass", refusal: "branches on a version"},
		{line: "v = torch.__version__; print('torch', v)"},
		{line: "v = torch.__version__\nif v.startswith('2'): pass", refusal: "branches on a version"},
		{line: "from packaging import version\nif version.parse('1') < version.parse('2'): pass", refusal: "branches on a version"},
		{line: "if hasattr(torch, 'compile'): pass", refusal: "branches on what the release has"},
		{line: "x = [1] if 'old' in dir(torch) else [2]", refusal: "branches on what the release has"},
		{line: "import inspect\nn = len(inspect.getsource(torch.ones))\nif n > 9: pass", refusal: "branches on what the release has"},
		{line: "old = 'compile' in torch.__dict__\nx = [1, 2][old]", refusal: "branches on what the release has"},
		{line: "if os.path.getsize(torch.__file__) > 9: pass", refusal: "branches on what the release has"},
		{line: "import glob\nprint(glob.glob('/env/*/torch-2*.dist-info'))", refusal: "looks at the installation"},
		{line: "assert hasattr(torch, 'compile')"},
		{line: "t = torch.ones(1)\nif hasattr(t, 'grad'): print(t)"},
		{line: "dev = 'mps' if hasattr(torch.backends, 'mps') else 'cpu'"},
		{line: "signal.raise_signal(6)", refusal: "by hand"},
		{line: "signal.alarm(3)", refusal: "by hand"},
		{line: "sys.exit(1)", note: "exits by hand with 1"},
		{line: "sys.exit(0)"},
		{line: "exec('x = 1')"},
		{line: "exec(torch.x)", note: "runs code from a string"},
		{line: "src = bytes.fromhex('00')\nexec(src)", refusal: "hidden code"},
		{line: "exec('import os; os.abort()')", refusal: "line 4: ends or signals"},
		{line: "while True: break", note: "loops without an end"},
	} {
		c := FromScript(lib + tc.line + "\n")
		switch {
		case c.SyntaxError != "":
			t.Errorf("%s: %s", tc.line, c.SyntaxError)
		case tc.refusal == "" && len(c.Refusals) > 0:
			t.Errorf("%s: refused %q", tc.line, c.Refusals)
		case tc.refusal != "" && !containsPart(c.Refusals, tc.refusal):
			t.Errorf("%s: want refusal %q, got %q (notes %q)", tc.line, tc.refusal, c.Refusals, c.Notes)
		case tc.note != "" && !containsPart(c.Notes, tc.note):
			t.Errorf("%s: want note %q, got %q", tc.line, tc.note, c.Notes)
		}
	}
}

// TestFeaturesOfReporters: a reporter's script may be written for several
// releases; that is said, not refused.
func TestFeaturesOfReporters(t *testing.T) {
	r := &report.Report{Blocks: []report.Block{{Text: "import torch\nif hasattr(torch, 'compile'):\n    print(torch.ones(1))\n"}}}
	c, err := FromReport(r, &triage.Decision{Blocks: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Refusals) > 0 || !containsPart(c.Notes, "branches on what the release has") {
		t.Errorf("refused %q, noted %q", c.Refusals, c.Notes)
	}
}

// TestUnreadIsRefused: nothing may hide behind the limits of the reader.
func TestUnreadIsRefused(t *testing.T) {
	c := FromScript("import torch\nprint(torch.ones(1))\n" + strings.Repeat("# padding\n", 20_000) + "import sys\nsys.settrace(None)\n")
	if !containsPart(c.Refusals, "read whole") {
		t.Errorf("refused %q", c.Refusals)
	}
}

func TestRaisesAreListed(t *testing.T) {
	c := FromScript("import torch\nclass A:\n    def f(self):\n        raise ValueError('x')\ntry:\n    A().f()\nexcept ValueError:\n    raise\n")
	if len(c.Raises) != 1 || c.Raises[0] != (HandRaise{Class: "ValueError", Line: 4, Scope: "A.f"}) {
		t.Errorf("%+v", c.Raises)
	}
	if got := c.RefusalsFor(wantTypeError); len(got) > 0 {
		t.Errorf("another class than the expected one: %q", got)
	}
}

func containsPart(list []string, part string) bool {
	for _, s := range list {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
