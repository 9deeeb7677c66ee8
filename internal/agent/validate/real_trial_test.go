package validate

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// realTrial runs a model's script as a trial does, without the prover.
func realTrial(t *testing.T, b Box, body string, e *oracle.Expectation, l sandbox.Limits) []task.Feedback {
	t.Helper()
	c := candidate.FromAgent(body, "")
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, sandbox.ScriptNm), []byte(c.Script), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := b.Env.Command(sandbox.EnvDir+"/bin/python", sandbox.ScriptNm)
	cmd.Work, cmd.Probe = work, &probe.Options{StackAfter: l.Wall.Seconds() / 3}
	ex, err := b.Sandbox.Run(t.Context(), cmd, l)
	if err != nil {
		t.Fatal(err)
	}
	list := FromTrial(&proof.Trial{Expectation: *e, Execution: ex, Judgement: oracle.Judge(*e, ex)}, c)
	for _, f := range list {
		t.Logf("%s %s line %d [%s]\n%s", f.Stage, f.Severity, f.Line, f.Signature, f.Text)
	}
	return list
}

// What really ran is told by the model's own lines.
func TestRealTrials(t *testing.T) {
	b := realBox(t, "3.11", "numpy")
	e := raises("ValueError", "operands could not be broadcast together")
	head := "import numpy as np\n\ndef main():\n"
	for name, c := range map[string]struct {
		body  string
		e     *oracle.Expectation
		l     sandbox.Limits
		stage task.Stage
		line  int
		want  []string
	}{
		"another exception": {head + "    print('before')\n    np.linalg.cholesky(-np.eye(2))\n\nmain()\n", e, sandbox.Limits{}, task.StageRun, 5,
			[]string{"LinAlgError", "your line 5: np.linalg.cholesky(-np.eye(2))", "your line 7: main()", "numpy/linalg/", "before"}},
		"no exception": {head + "    observe('x', np.arange(3.0) / 0.0)\n    observe('n', 3)\nmain()\n", e, sandbox.Limits{}, task.StageOracle, 0,
			[]string{"did not come", "x = array of float64 [3]", "n = 3", "your line 4: RuntimeWarning"}},
		"the symptom": {"import numpy as np\nnp.ones(3) + np.ones(4)\n", e, sandbox.Limits{}, task.StageRun, 2, []string{"ValueError", "your line 2"}},
		"hang":        {head + "    np.sort(np.ones(3))\n    while True: pass\nmain()\n", e, sandbox.Limits{Wall: 10 * time.Second}, task.StageRun, 5, []string{"did not end", "your line 5: while True: pass", "your line 6: main()"}},
		"memory":      {head + "    x = [np.ones(1 << 24) for _ in range(100)]\nmain()\n", e, sandbox.Limits{MemoryBytes: 400 << 20}, task.StageRun, 0, nil},
		"leaves":      {head + "    np.ones(3)\nmain()\nimport sys\nsys.exit(4)\n", e, sandbox.Limits{}, task.StageRun, 0, []string{"ended itself", "4"}},
		"unknown":     {"import my_utils\n", e, sandbox.Limits{}, task.StageRun, 1, []string{"my_utils", "do without it"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := one(t, realTrial(t, b, c.body, c.e, c.l))
			if f.Stage != c.stage || c.line > 0 && f.Line < c.line {
				t.Errorf("%+v", f)
			}
			has(t, f.Text, c.want...)
		})
	}
}
