package triage

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
)

const shapeScript = `
import torch
import tinyconv

out = tinyconv.conv(torch.zeros(1, 3, 8), width=3)
print(out.shape)
print(out.dtype)
`

const typeScript = `
import tinyframe

got = tinyframe.columns({"a": 1})
print(type(got))
`

const lossScript = `
import tinynet

net = tinynet.Net(3)
for epoch in range(20):
    loss = net.step()
    print(f"epoch {epoch} loss {loss:.4f}")
`

const rewardScript = `
import tinyrl

agent = tinyrl.Agent(seed=1)
for episode in range(50):
    reward = agent.episode()
    print("mean reward:", reward)
`

const twiceScript = `
import tinyml

a = tinyml.fit([1, 2, 3], seed=0)
b = tinyml.fit([1, 2, 3], seed=0)
print(a == b)
`

const unpackScript = `
import numpy as np
import tinyml

rng = np.random.RandomState(0)
x1 = rng.normal(0, 1, 10)
x2 = rng.normal(0, 1, 10)
i1 = tinyml.Index(x1, seed=42)
n1, d1 = i1.query(x2)
i2 = tinyml.Index(x1, seed=42)
n2, d2 = i2.query(x2)
np.testing.assert_equal(n1, n2)
`

const drawScript = `
import tinyrandom

a = tinyrandom.normal(0, 1)
b = tinyrandom.normal(0, 1)
print(a, b)
`

const onceScript = `
import tinyml

model = tinyml.fit([1, 2, 3], seed=0)
print("score", model.score)
`

const clockScript = `
import time
import tinyml

start = time.time()
model = tinyml.fit([1, 2, 3], seed=0)
print("score", model.score)
print("took", time.time() - start)
`

const gridScript = `
import tinyopt

def objective(trial):
    x = trial.suggest("x", [0, 1, 2])
    print("x =", x)
    return x

tinyopt.run(objective, n_trials=3)
print("done")
`

const logScript = `
import tinylog

tinylog.setup()
tinylog.setup()
for i in range(3):
    print("step finished", i)
    tinylog.say("step finished")
`

const leakScript = `
import tinynet

for step in range(1000):
    tinynet.predict([1.0] * 100)
`

// spokenCase is a claim that stands in words only. Want is the JSON of the
// oracle's claim, "" for none; the oracle is the first one of the expectation.
type spokenCase struct {
	name, title, prose, script string
	oracle                     oracle.Name
	want                       string
}

var spokenCases = []spokenCase{
	{"nan", "loss becomes nan", "tinynet 1.0. After a few steps `loss` is NaN.", lossScript, oracle.OracleNonFinite, `{"target":"loss","property":"finite","actual":"nan"}`},
	{"inf", "reward overflows", "The values go to inf, tinyrl 0.3.", rewardScript, oracle.OracleNonFinite, `{"property":"finite","actual":"inf"}`},
	{"nan lost", "fit loses a NaN", "tinyml 1.0, it is just gone.", onceScript, "", ""},
	{"nan wanted", "mean gives a number", "It should be nan. tinyml 1.0", onceScript, oracle.OraclePrinted, ""},
	{"nan in", "fit with NaN is wrong", "The score is wrong when the data contain nan.", onceScript, "", ""},

	{"shape", "conv returns the wrong shape", "`out` has shape (1, 3, 8), should be (1, 4, 8).", shapeScript, oracle.OracleShape,
		`{"target":"out","property":"shape","actual":"(1, 3, 8)","expected":"(1, 4, 8)"}`},
	{"shape instead", "wrong shape from conv", "It returns an output of shape (1, 3, 8) instead of (1, 4, 8).", shapeScript, oracle.OracleShape,
		`{"target":"out","property":"shape","actual":"(1, 3, 8)","expected":"(1, 4, 8)"}`},
	{"shape one side", "wrong shape from conv", "The output shape is odd.", shapeScript, "", ""},
	{"dtype", "conv upcasts", "It returns float64 instead of float32.", shapeScript, oracle.OraclePrinted,
		`{"target":"out","property":"dtype","actual":"float64","expected":"float32"}`},
	{"type", "columns returns a list instead of a tuple", "tinyframe 2.0", typeScript, oracle.OracleShape,
		`{"target":"got","property":"type","actual":"list","expected":"tuple"}`},

	{"falls", "Training: the loss does not decrease", "tinynet 1.0", lossScript, oracle.OracleLearning, `{"label":"loss","want":"falls"}`},
	{"wished", "Training is broken", "The loss should go down, but the loss stays at 0.69. tinynet 1.0", lossScript, oracle.OracleLearning, `{"label":"loss","want":"changes"}`},
	{"stuck", "loss stuck at 0.69", "tinynet 1.0", lossScript, oracle.OracleLearning, `{"label":"loss","want":"changes"}`},
	{"rises", "reward does not improve", "tinyrl 1.0", rewardScript, oracle.OracleLearning, `{"label":"reward","want":"rises"}`},
	{"keras fit", "loss does not decrease", "keras 3.0", strings.ReplaceAll(kerasScript, "[[2.0]])", "[[2.0]], epochs=5)"), oracle.OracleLearning, `{"label":"loss","want":"falls"}`},
	{"not printed", "accuracy does not improve", "tinynet 1.0", lossScript, "", ""},

	{"within", "fit is not deterministic", "Calling it twice with the same seed gives different results.", twiceScript, oracle.OracleSpread, `{"within":true,"left":"a","right":"b"}`},
	{"same", "fit changes its mind", "Both should be the same.", twiceScript, oracle.OracleSpread, `{"within":true,"left":"a","right":"b"}`},
	{"unpacked", "fit is not deterministic", "Setting the seed has no effect.", unpackScript, oracle.OracleAssert, `{"within":true,"left":"n1","right":"n2"}`},
	{"drawn", "normal is not deterministic", "Calling it twice gives something else.", drawScript, "", ""},
	{"order", "accuracy falls when k grows", "The accuracy must not decrease. tinyrl 1.0", rewardScript, "", ""},
	{"runs", "fit is not deterministic", "I get different results on every run although the seed is set.", onceScript, oracle.OracleSpread, `{}`},
	{"runs of chance", "fit is not deterministic", "I get different results on every run.", "\nimport numpy as np\nimport tinyml\n\nprint(tinyml.fit(np.random.randn(3)))\n", "", ""},
	{"runs of a seed", "fit is not deterministic", "I get different results on every run.", "\nimport numpy as np\nimport tinyml\n\nnp.random.seed(1)\nprint(tinyml.fit(np.random.randn(3)))\n", oracle.OracleSpread, `{}`},
	{"clock", "fit is not deterministic", "Different results every run.", clockScript, oracle.OracleSpread, `{"labels":["score"]}`},
	{"no pair", "fit is not deterministic", "The second call gives something else.", onceScript, "", ""},

	{"grid", "The same grid point is evaluated twice", "With x=0 it comes again. tinyopt 1.0", gridScript, oracle.OracleDuplicates, `{"like":"x ="}`},
	{"lines", "Message printed twice", "The line `step finished` is printed twice for each step.", logScript, oracle.OracleDuplicates, `{"like":"step finished","lines":true}`},
	{"no family", "Rows are duplicated", "tinyml 1.0", onceScript, "", ""},

	{"hang", "predict hangs", "tinynet 1.0", leakScript, oracle.OracleHang, `{}`},
	{"hang line", "predict hangs", "tinynet 1.0", strings.Replace(leakScript, "* 100)", "* 100)  # hangs here", 1), oracle.OracleHang, `{"line":4}`},
	{"hang aside", "predict is wrong", "The values are wrong. My editor hangs, too.", onceScript, "", ""},
	{"slow ratio", "predict is slow", "It is 10 times slower than before.", leakScript, oracle.OracleSlow, `{"ratio":10}`},
	{"slow times", "predict is slow", "It takes 30 seconds instead of 1.5 seconds.", leakScript, oracle.OracleSlow, `{"ratio":20}`},
	{"slow only", "predict is slow", "Very slow.", leakScript, "", ""},
	{"slow little", "predict is slow", "It is 1.1x slower.", leakScript, "", ""},
	{"memory", "Memory leak in predict", "Memory grows with each call.", leakScript, oracle.OracleMemory, `{}`},
	{"memory once", "Memory leak in fit", "Memory grows.", onceScript, "", ""},
}

func claimOf(e oracle.Expectation) string {
	for _, c := range []any{e.Value, e.Repeats, e.Spread, e.Cost, e.Series} {
		if b, err := json.Marshal(c); err == nil && string(b) != "null" {
			return string(b)
		}
	}
	return ""
}

func TestSpoken(t *testing.T) {
	for _, c := range spokenCases {
		t.Run(c.name, func(t *testing.T) {
			d := decideOn(c.title, c.prose, c.script)
			e := d.Expectation
			if c.oracle == "" {
				if e != nil {
					t.Fatalf("expectation %s %s, want none", e.Oracle, claimOf(*e))
				}
				return
			}
			if e == nil || e.Oracle != c.oracle {
				t.Fatalf("expectation %+v, want %s", e, c.oracle)
			}
			got := claimOf(*e)
			for _, a := range e.Also {
				if got == "" {
					got = claimOf(a)
				}
			}
			want := strings.Replace(c.want, `"target":"",`, "", 1)
			if got != want {
				t.Errorf("claim %s, want %s", got, want)
			}
			if e.Symptom.Start >= e.Symptom.End && e.Printed == nil && e.Oracle != oracle.OracleAssert {
				t.Errorf("no words behind %+v", e.Symptom)
			}
		})
	}
}

// TestSameEveryTime: "the same every time" is a claim on executions; the numbers
// of one pasted line need not be equal.
func TestSameEveryTime(t *testing.T) {
	d := routed("# fit gives different labels in each run\n\nThe result should be the same every time:\n\n```python" + onceScript +
		"```\n\nsomething like\n\n```\nscore 0 0 1 1\n```\n\ntinyml 1.0\n")
	e := d.Expectation
	if e == nil || e.Oracle != oracle.OracleSpread || e.Spread.Within {
		t.Fatalf("expectation %+v, want the spread of executions", e)
	}
}

// TestDrawnNumbers: which stated numbers cannot be asked for again.
func TestDrawnNumbers(t *testing.T) {
	const drawn = "\nimport numpy as np\nimport tinyml\n\nprint(tinyml.fit(np.random.randn(3)))\n"
	for _, c := range []struct {
		script, came string
		want         bool
	}{
		{drawn, "0.4711", true},
		{drawn, "(3, 4)", false},
		{strings.ReplaceAll(drawn, "import tinyml\n", "import tinyml\nnp.random.seed(1)\n"), "0.4711", false},
		{onceScript, "0.4711", false},
	} {
		d := decideOn("fit is wrong", "It prints `"+c.came+"`, it should be `1.5`.", c.script)
		e := d.Expectation
		if e == nil || e.Printed == nil || e.Printed.Chance != c.want {
			t.Errorf("%s of %s: %+v, want chance %v", c.came, c.script, e, c.want)
		}
	}
}
