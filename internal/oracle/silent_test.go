package oracle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
)

// proved is the verdict on five executions of the reported side and three of the
// newest release.
func proved(e Expectation, bad, good func(i int) sandbox.Execution) (Verdict, Evidence) {
	r, n := Group{Side: SideReported, Subject: "lib", Version: "2.0"}, Group{Side: SideNewest, Subject: "lib", Version: "3.0"}
	for i := range 5 {
		r.Executions = append(r.Executions, bad(i))
		n.Executions = append(n.Executions, good(i))
	}
	ev := Evidence{Certified: true, Groups: []Group{r, n, repeat(SideNeutral, "2.0", 1, finished(""))}}
	return Decide(JudgeAll(e, &ev), ev), ev
}

// always prints the same in every execution.
func always(stdout string) func(int) sandbox.Execution {
	return func(int) sandbox.Execution { return finished(stdout) }
}

// inTurn prints one text after the other.
func inTurn(stdouts ...string) func(int) sandbox.Execution {
	return func(i int) sandbox.Execution { return finished(stdouts[i%len(stdouts)]) }
}

// wholeWay is one claim with what both sides do and what follows.
type wholeWay struct {
	name      string
	e         Expectation
	bad, good func(int) sandbox.Execution
	want      Headline
	grade     Grade
}

func (c wholeWay) check(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		c.e.ReporterScript = true
		v, _ := proved(c.e, c.bad, c.good)
		if v.Headline != c.want || v.Grade != c.grade {
			t.Errorf("%s %q, want %s %q:\n%s", v.Headline, v.Grade, c.want, c.grade, strings.Join(v.Reasons, "\n"))
		}
		c.e.ReporterScript = false
		if v, _ := proved(c.e, c.bad, c.good); positive(v.Headline) {
			t.Errorf("a stranger's script: %s %s", v.Headline, v.Grade)
		}
	})
}

func named(os ...probe.Observation) sandbox.Execution {
	ex := finished("done\n")
	ex.Record.Names = os
	return ex
}

// single is one execution judged by one claim.
type single struct {
	name string
	e    Expectation
	ex   sandbox.Execution
	want Finding
}

func (c single) check(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		j := Judge(c.e, c.ex)
		if j.Finding != c.want || len(j.Reasons) == 0 || j.Oracle != c.e.Oracle {
			t.Errorf("%s by %s, want %s: %v", j.Finding, j.Oracle, c.want, j.Reasons)
		}
		if (j.Finding == Hit) != (j.Match.Relation == symptom.Same) {
			t.Errorf("finding %s with match %s", j.Finding, j.Match.Relation)
		}
	})
}

func TestNonFinite(t *testing.T) {
	claim := func(target, actual string) Expectation {
		return Expectation{Oracle: OracleNonFinite, Value: &Value{Target: target, Property: "finite", Actual: actual}}
	}
	float := func(text string) probe.Observation {
		return probe.Observation{Name: "out", Kind: "float", Type: "float", Text: text}
	}
	array := func(finite int) probe.Observation {
		return probe.Observation{Name: "out", Kind: "array", DType: "float32", Size: 100, Finite: finite, Hash: "ab"}
	}
	for _, c := range []single{
		{"a named scalar", claim("out", ""), named(float("nan")), Hit},
		{"a named scalar, finite", claim("out", ""), named(float("0.5")), Clean},
		{"a named array", claim("out", "nan"), named(array(97)), Hit},
		{"a named array, finite", claim("out", "nan"), named(array(100)), Clean},
		{"a named array without any finite element", claim("out", ""), named(array(0)), Hit},
		{"a small array, whole", claim("out", "nan"), named(probe.Observation{Name: "out", Kind: "array", DType: "float32", Size: 2, Values: []string{"1.0", "nan"}}), Hit},
		{"another class than stated", claim("out", "nan"), named(float("inf")), Absent},
		{"an array that nobody looked through", claim("out", ""), named(probe.Observation{Name: "out", Kind: "array", DType: "float32", Size: 1 << 30}), Absent},
		{"an object", claim("out", ""), named(probe.Observation{Name: "out", Kind: "object", Type: "Model"}), Absent},
		{"printed", claim("", ""), finished("loss tensor(nan)\n"), Hit},
		{"printed, finite", claim("", ""), finished("loss tensor(0.25)\n"), Clean},
		{"printed, no number at all", claim("", ""), finished("done\n"), Absent},
		{"printed behind the name", claim("loss", ""), finished("input nan\nloss 0.5\n"), Clean},
		{"printed behind the name, nan", claim("loss", ""), finished("input 1.0\nloss nan\n"), Hit},
		{"the name was not printed", claim("loss", ""), finished("input 1.0\n"), Absent},
		{"a question answered yes", claim("", "nan"), finished("any nan? True\n"), Hit},
		{"a question answered no", claim("", "nan"), finished("contains nan: False\n"), Clean},
		{"finite is asked for", claim("", ""), finished("all finite: False\n"), Hit},
		{"finite is asked for, and true", claim("", ""), finished("isfinite = tensor(True)\n"), Clean},
		{"a count", claim("", "nan"), finished("nan count: 3\n"), Hit},
		{"a count of none", claim("", "nan"), finished("number of nans: 0\n"), Clean},
		{"nothing ran", claim("out", ""), raised("ValueError", "x", inScript), Collided},
		{"no claim, printed", Expectation{Oracle: OracleNonFinite}, finished("x inf\n"), Hit},
	} {
		c.check(t)
	}
	for _, c := range []wholeWay{
		{"the newest release is finite", claim("out", ""), func(int) sandbox.Execution { return named(float("nan")) }, func(int) sandbox.Execution { return named(float("0.5")) }, Fixed, "B"},
		{"a script that prints its own nan", claim("", ""), always("nan 0.1\n"), always("nan 0.2\n"), Lead, "D"},
		{"the control prints nothing", claim("", ""), always("loss nan\n"), always("skipped\n"), Lead, "D"},
		{"the control does not name it", claim("out", ""), func(int) sandbox.Execution { return named(float("nan")) }, always("loss 0.1\n"), Lead, "D"},
		{"a question, answered otherwise", claim("", "nan"), always("any nan? True\n"), always("any nan? False\n"), Fixed, "B"},
		{"a control that does not come as far", claim("", ""), always("mean 0.1\nloss nan\n"), always("mean 0.1\n"), Lead, "D"},
		{"never", claim("", ""), always("loss 0.1\n"), always("loss 0.1\n"), NotReproduced, ""},
	} {
		c.check(t)
	}
}

func TestShapes(t *testing.T) {
	claim := func(property, actual, expected, target string) Expectation {
		return Expectation{Oracle: OracleShape, Value: &Value{Property: property, Actual: actual, Expected: expected, Target: target}}
	}
	array := func(dtype string, dims ...int) sandbox.Execution {
		return named(probe.Observation{Name: "out", Kind: "array", Type: "numpy.ndarray", DType: dtype, Shape: dims})
	}
	for _, c := range []single{
		{"a named shape", claim("shape", "(3, 8)", "(3, 4)", "out"), array("float32", 3, 8), Hit},
		{"a named shape, right", claim("shape", "(3, 8)", "(3, 4)", "out"), array("float32", 3, 4), Clean},
		{"a third shape", claim("shape", "(3, 8)", "(3, 4)", "out"), array("float32", 3, 9), Absent},
		{"forms of one shape", claim("shape", "torch.Size([3, 8])", "[3, 4]", "out"), array("float32", 3, 8), Hit},
		{"written by hand", claim("shape", "3x8", "3, 4", "out"), array("float32", 3, 4), Clean},
		{"a scalar's shape", claim("shape", "()", "(1,)", "out"), array("float32"), Hit},
		{"a scalar that should be one", claim("shape", "(1,)", "()", "out"), array("float32"), Clean},
		{"a dimension that is not fixed", claim("shape", "(None, 3)", "(2, 3)", "out"), array("float32", -1, 3), Hit},
		{"only the actual is stated: another proves nothing", claim("shape", "(3, 8)", "", "out"), array("float32", 3, 4), Absent},
		{"only the expected is stated", claim("shape", "", "(3, 4)", "out"), array("float32", 3, 8), Hit},
		{"only the expected is stated, and comes", claim("shape", "", "(3, 4)", "out"), array("float32", 3, 4), Clean},
		{"the same twice says nothing", claim("shape", "(3, 4)", "torch.Size([3, 4])", "out"), array("float32", 3, 4), Absent},
		{"nothing is stated", claim("shape", "", "", "out"), array("float32", 3, 4), Absent},
		{"no shape at all", claim("shape", "wide", "(3,)", "out"), array("float32", 3), Absent},
		{"a named dtype", claim("dtype", "float32", "float16", "out"), array("float32"), Hit},
		{"a named dtype of torch", claim("dtype", "torch.float", "torch.half", "out"), array("float16"), Clean},
		{"a named dtype of tensorflow", claim("dtype", "<dtype: 'float32'>", "tf.float16", "out"), array("float32"), Hit},
		{"a type", claim("type", "numpy.ndarray", "<class 'torch.Tensor'>", "out"), array("float32"), Hit},
		{"a type without its module", claim("type", "Tensor", "ndarray", "out"), array("float32"), Clean},
		{"printed by torch", claim("shape", "(3, 8)", "(3, 4)", ""), finished("torch.Size([3, 8])\n"), Hit},
		{"printed by torch, right", claim("shape", "(3, 8)", "(3, 4)", ""), finished("out: torch.Size([3, 4])\n"), Clean},
		{"printed data is no shape", claim("shape", "(3, 8)", "(3, 4)", ""), finished("[3, 8]\n"), Absent},
		{"printed as the report writes it", claim("shape", "[3, 8]", "[3, 4]", ""), finished("[3, 8]\n"), Hit},
		{"printed beside the input's", claim("dtype", "float32", "float16", ""), finished("float16 -> float32\n"), Hit},
		{"printed, both right", claim("dtype", "float32", "float16", ""), finished("float16 -> float16\n"), Clean},
		{"printed behind the name", claim("shape", "(3, 8)", "(3, 4)", "out"), finished("x (3, 8)\nout (3, 4)\n"), Clean},
		{"jax's short form", claim("dtype", "float32", "bfloat16", ""), finished("y:f32[3,4]\n"), Hit},
		{"jax's shape", claim("shape", "(3, 4)", "(4, 3)", ""), finished("y:f32[4,3]\n"), Clean},
		{"printed classes", claim("type", "int", "float", ""), finished("<class 'int'>\n"), Hit},
		{"nothing printed", claim("dtype", "float32", "float16", ""), finished("done\n"), Absent},
		{"it failed", claim("shape", "(3, 8)", "(3, 4)", "out"), raised("ValueError", "x", inScript), Collided},
		{"no claim", Expectation{Oracle: OracleShape}, finished("(3,)\n"), Absent},
	} {
		c.check(t)
	}
	for _, c := range []wholeWay{
		{"a later release has it right", claim("dtype", "float32", "float16", ""), always("float16 -> float32\n"), always("float16 -> float16\n"), Fixed, "B"},
		{"a later release has a third one", claim("dtype", "float32", "float16", ""), always("float16 -> float32\n"), always("float16 -> float64\n"), Lead, "D"},
		{"a script that prints it by hand", claim("shape", "(3, 8)", "(3, 4)", ""), always("(3, 8)\n"), always("(3, 8)\n"), Lead, "D"},
	} {
		c.check(t)
	}
}

func TestDuplicates(t *testing.T) {
	claim := func(r Repeats) Expectation { return Expectation{Oracle: OracleDuplicates, Repeats: &r} }
	likeX, any, twice := claim(Repeats{Like: "x ="}), claim(Repeats{}), claim(Repeats{Like: "epoch done", Lines: true})
	elements := func(size int, vs ...string) sandbox.Execution {
		return named(probe.Observation{Name: "ids", Kind: "sequence", Size: size, Values: vs})
	}
	for _, c := range []single{
		{"a grid point twice", likeX, finished("optuna 3.6.1\nx = 0\nx = 2\nx = 0\n"), Hit},
		{"each point once", likeX, finished("optuna 3.2.0\nx = 0\nx = 2\nx = 1\n"), Clean},
		{"any family", any, finished("optuna 3.6.1\nx = 0\nx = 2\nx = 0\n"), Hit},
		{"any family, distinct", any, finished("optuna 3.6.1\nx = 0\nx = 2\nx = 1\n"), Clean},
		{"one line repeats nothing", likeX, finished("x = 0\n"), Absent},
		{"no line", likeX, finished("y = 0\n"), Absent},
		{"words as values", claim(Repeats{Like: "trial"}), finished("trial a\ntrial b\ntrial a\n"), Hit},
		{"negative values are values", likeX, finished("x = 1\nx = -1\n"), Clean},
		{"two families, one repeats", any, finished("a 1\nb 1\na 2\nb 1\n"), Hit},
		{"a message twice", twice, finished("epoch done\nepoch done\n"), Hit},
		{"a message once", twice, finished("epoch done\n"), Clean},
		{"a message never", twice, finished("done\n"), Absent},
		{"a message twice but for its time", claim(Repeats{Like: "saved", Lines: true}), finished("12:00:01 saved in 3.1 s\n12:00:02 saved in 3.2 s\n"), Hit},
		{"rulers repeat of right", claim(Repeats{Lines: true}), finished("----\nepoch\n----\n"), Clean},
		{"elements of a name", claim(Repeats{Name: "ids"}), elements(3, "1", "2", "1"), Hit},
		{"distinct elements of a name", claim(Repeats{Name: "ids"}), elements(3, "1", "2", "3"), Clean},
		{"not all elements are known", claim(Repeats{Name: "ids"}), elements(300, "1", "2", "3"), Absent},
		{"an unknown name", claim(Repeats{Name: "ids"}), finished("1\n1\n"), Absent},
		{"no claim", Expectation{Oracle: OracleDuplicates}, finished("x = 1\nx = 1\n"), Absent},
		{"it failed", likeX, raised("ValueError", "x", inScript), Collided},
	} {
		c.check(t)
	}
	for _, c := range []wholeWay{
		{"a later release has it right", likeX, always("x = 0\nx = 2\nx = 0\n"), always("x = 0\nx = 2\nx = 1\n"), Fixed, "B"},
		{"now and then", likeX, inTurn("x = 0\nx = 2\nx = 0\n", "x = 0\nx = 2\nx = 0\n", "x = 0\nx = 2\nx = 1\n", "x = 1\nx = 1\nx = 2\n", "x = 0\nx = 0\nx = 2\n"), always("x = 0\nx = 2\nx = 1\n"), Fixed, "B"},
		{"fewer lines could not repeat", likeX, always("x = 0\nx = 2\nx = 0\n"), always("x = 0\nx = 2\n"), Lead, "D"},
		{"repeats by hand, on purpose", likeX, always("x = 0\nx = 0\n"), always("x = 0\nx = 0\n"), Lead, "D"},
		{"a message that comes once now", twice, always("epoch done\nepoch done\n"), always("epoch done\n"), Fixed, "B"},
		{"a message that is gone", twice, always("epoch done\nepoch done\n"), always("done\n"), Lead, "D"},
	} {
		c.check(t)
	}
}

func TestLearning(t *testing.T) {
	claim := func(label, want string) Expectation {
		return Expectation{Oracle: OracleLearning, Series: &Series{Label: label, Want: want}}
	}
	loss := claim("loss", "falls")
	for _, c := range []single{
		{"it stays", loss, finished("loss 0.69\nloss 0.69\nloss 0.69\nloss 0.69\n"), Hit},
		{"it falls", loss, finished("loss 0.69\nloss 0.50\nloss 0.31\nloss 0.20\n"), Clean},
		{"it goes to and fro", loss, finished("loss 0.69\nloss 0.72\nloss 0.67\nloss 0.71\nloss 0.70\nloss 0.68\n"), Hit},
		{"it rises", loss, finished("loss 0.1\nloss 0.2\nloss 0.4\n"), Hit},
		{"it falls a little", loss, finished("loss 1.00\nloss 0.97\nloss 0.94\nloss 0.92\n"), Absent},
		{"it falls noisily", loss, finished("loss 1.0\nloss 0.8\nloss 0.9\nloss 0.6\nloss 0.7\nloss 0.4\nloss 0.5\nloss 0.3\n"), Clean},
		{"two points", loss, finished("loss 0.69\nloss 0.69\n"), Absent},
		{"nan is another symptom", loss, finished("loss 0.6\nloss nan\nloss nan\n"), Absent},
		{"no such label", loss, finished("acc 0.6\nacc 0.6\nacc 0.6\n"), Absent},
		{"the label among others", loss, finished("epoch 1 loss: tensor(0.69) acc 0.1\nepoch 2 loss: tensor(0.50) acc 0.1\nepoch 3 loss: tensor(0.30) acc 0.1\n"), Clean},
		{"without a label the last number", claim("", "falls"), finished("start 7\n1 0.69\n2 0.69\n3 0.69\n"), Hit},
		{"accuracy rises", claim("acc", "rises"), finished("acc 0.0\nacc 0.3\nacc 0.8\n"), Clean},
		{"accuracy stays", claim("acc", "rises"), finished("acc 0.1\nacc 0.1\nacc 0.1\n"), Hit},
		{"weights change", claim("w", "changes"), finished("w 0.10\nw 0.25\nw 0.40\n"), Clean},
		{"weights do not", claim("w", "changes"), finished("w 0.1\nw 0.1\nw 0.1\n"), Hit},
		{"weights change by the last digit", claim("w", "changes"), finished("w 0.1\nw 0.2\nw 0.1\n"), Absent},
		{"no claim", Expectation{Oracle: OracleLearning}, finished("loss 1\nloss 1\nloss 1\n"), Absent},
		{"it failed", loss, raised("ValueError", "x", inScript), Collided},
	} {
		c.check(t)
	}
	flat, falls := "loss 0.69\nloss 0.69\nloss 0.69\nloss 0.69\n", "loss 0.69\nloss 0.5\nloss 0.3\nloss 0.1\n"
	for _, c := range []wholeWay{
		{"a later release learns", loss, always(flat), always(falls), Fixed, "B"},
		{"no release learns", loss, always(flat), always(flat), Lead, "D"},
		{"the control prints less", loss, always(flat), always("loss 0.69\nloss 0.1\n"), Lead, "D"},
	} {
		c.check(t)
	}
}
