package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFormsOfAProperty: every way in which libraries print one shape, dtype or
// type, and what only looks like one.
func TestFormsOfAProperty(t *testing.T) {
	for _, c := range []struct{ property, written, want string }{
		{"shape", "(3, 4)", "(3, 4)"},
		{"shape", "(3,4)", "(3, 4)"},
		{"shape", "torch.Size([3, 4])", "(3, 4)"},
		{"shape", "TensorShape([3, 4])", "(3, 4)"},
		{"shape", "[3, 4]", "(3, 4)"},
		{"shape", "3, 4", "(3, 4)"},
		{"shape", "3x4", "(3, 4)"},
		{"shape", "(3,)", "(3)"},
		{"shape", "torch.Size([3])", "(3)"},
		{"shape", "torch.Size([])", "()"},
		{"shape", "()", "()"},
		{"shape", "(None, 3)", "(None, 3)"},
		{"shape", "`(2, 2)`", "(2, 2)"},
		{"shape", "f32[3,4]", "(3, 4)"},
		{"shape", "wide", ""},
		{"shape", "", ""},
		{"dtype", "float32", "float32"},
		{"dtype", "torch.float32", "float32"},
		{"dtype", "torch.float", "float32"},
		{"dtype", "torch.half", "float16"},
		{"dtype", "torch.long", "int64"},
		{"dtype", "tf.float32", "float32"},
		{"dtype", "<dtype: 'float32'>", "float32"},
		{"dtype", "dtype('float64')", "float64"},
		{"dtype", "dtype=int32", "int32"},
		{"dtype", "<class 'numpy.float32'>", "float32"},
		{"dtype", "jnp.bfloat16", "bfloat16"},
		{"dtype", "bf16", "bfloat16"},
		{"dtype", "fp16", "float16"},
		{"dtype", "f32[", "float32"},
		{"dtype", "np.bool_", "bool"},
		{"type", "<class 'torch.Tensor'>", "torch.Tensor"},
		{"type", "<type 'str'>", "str"},
		{"type", "list", "list"},
	} {
		if got := canonical(c.property, c.written); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.property, c.written, got, c.want)
		}
	}
}

func TestPrintedProperties(t *testing.T) {
	for _, c := range []struct {
		property, line string
		brackets       bool
		want           []string
	}{
		{"shape", "x torch.Size([2, 3]) y torch.Size([3])", false, []string{"(2, 3)", "(3)"}},
		{"shape", "f(3, 4) and (5, 6)", false, []string{"(3, 4)", "(5, 6)"}},
		{"shape", "[1, 2, 3]", false, nil},
		{"shape", "[1, 2, 3]", true, []string{"(1, 2, 3)"}},
		{"shape", "Array([1.5, 2.0], dtype=float32)", true, nil},
		{"shape", "called f()", false, []string{"()"}},
		{"dtype", "tensor([1.], dtype=torch.float16) float16", false, []string{"float16", "float16"}},
		{"dtype", "floating point, integer, booleans", false, nil},
		{"dtype", "f32[3,4] -> bf16[3]", false, []string{"float32", "bfloat16"}},
		{"type", "<class 'int'> <class 'numpy.int64'>", false, []string{"int", "numpy.int64"}},
		{"finite", "anything", false, nil},
	} {
		if got := printedProperties(c.property, c.line, c.brackets); !slices.Equal(got, c.want) {
			t.Errorf("%s in %q: %q, want %q", c.property, c.line, got, c.want)
		}
	}
}

// TestShapesComeBack: whatever the dimensions, each form reads as the same shape.
func TestShapesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(0, 5000), 2, 6).Draw(t, "dims")
		list := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(dims)), ", "), "[]")
		want := "(" + list + ")"
		for _, form := range []string{"(" + list + ")", "torch.Size([" + list + "])", "TensorShape([" + list + "])", "[" + list + "]", "f32[" + strings.ReplaceAll(list, " ", "") + "]"} {
			if got := canonical("shape", form); got != want {
				t.Fatalf("%s reads as %s, want %s", form, got, want)
			}
			if got := printedProperties("shape", "out "+form+" end", true); !slices.Contains(got, want) {
				t.Fatalf("%s is not found in a line: %v", form, got)
			}
		}
	})
}

// TestLabels: where a label occurs, and what follows it.
func TestLabels(t *testing.T) {
	for _, c := range []struct{ line, label, want string }{
		{"loss 0.5", "loss", "0.5"},
		{"Loss: 0.5", "loss", ": 0.5"},
		{"train_loss 0.5", "loss", "-"},
		{"epoch 3 loss=0.5 acc=1", "loss", "= 0.5 acc = 1"},
		{"x = 0", "x =", "0"},
		{"max = 0", "x =", "-"},
		{"loss", "loss", ""},
		{"nothing", "loss", "-"},
		{"around the vector env: 12", "around the vector env", ": 12"},
		{"a", "", "-"},
	} {
		rest := afterLabel(tokens(c.line, false), tokens(c.label, false))
		got := "-"
		if rest != nil {
			got = text(rest)
		}
		if got != c.want {
			t.Errorf("%q behind %q: %q, want %q", c.line, c.label, got, c.want)
		}
	}
}

func TestFamilies(t *testing.T) {
	out := outputLines(finished("start\nx = 1\ny = 1\nx = 2\nx = -3.5\nx = 1 of 4\n"))
	var got []string
	for _, f := range families(out) {
		got = append(got, fmt.Sprintf("%d %s", len(f.rows), text(f.rows[0])))
	}
	if want := []string{"3 x = 1", "1 y = 1", "1 x = 1 of 4"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPrintedTimes: times with and without units behind a label.
func TestPrintedTimes(t *testing.T) {
	for _, c := range []struct {
		printed, label string
		want           float64
		ok             bool
	}{
		{"fit took 3.5 s\n", "fit took", 3.5, true},
		{"fit took 350ms\n", "fit took", 0.35, true},
		{"fit took 12 us\n", "fit took", 12e-6, true},
		{"fit took 2 minutes\n", "fit took", 120, true},
		{"fit: 0.25\n", "fit", 0.25, true},
		{"fit took long\n", "fit took", 0, false},
		{"predict took 3 s\n", "fit took", 0, false},
		{"fit took nan s\n", "fit took", 0, false},
		{"fit took -1 s\n", "fit took", 0, false},
		{"fit started\nfit took 1 s\nfit took 9 s\n", "fit took", 1, true},
	} {
		got, ok := printedTime(c.label, finished(c.printed))
		if ok != c.ok || ok && (got < c.want*0.999 || got > c.want*1.001) {
			t.Errorf("%q behind %q: %v %v, want %v %v", c.printed, c.label, got, ok, c.want, c.ok)
		}
	}
}

// TestThresholds: half of what is stated, never less than a half more, and a gap
// below it in which nothing is said.
func TestThresholds(t *testing.T) {
	for ratio, want := range map[float64]float64{0: 1.5, 1.4: 1.5, 2: 1.5, 3: 1.5, 4: 2, 60: 30} {
		e := Expectation{Cost: &Cost{Ratio: ratio}}
		if got := threshold(e); got != want {
			t.Errorf("stated %v: %v, want %v", ratio, got, want)
		}
		if ease := atEase(e); ease <= 1 || ease >= threshold(e) {
			t.Errorf("stated %v: clean up to %v, slow from %v", ratio, ease, threshold(e))
		}
	}
	if threshold(Expectation{}) != slower {
		t.Error("without a claim")
	}
}

// TestFiniteAnswers: which lines are answers about finite numbers, and which are
// numbers.
func TestFiniteAnswers(t *testing.T) {
	for _, c := range []struct {
		line       string
		total, bad int
	}{
		{"isnan: True", 1, 1},
		{"isnan: False", 1, 0},
		{"has_nan=tensor(True)", 1, 1},
		{"any inf? False", 1, 0},
		{"isfinite True", 1, 0},
		{"all_finite: False", 1, 1},
		{"nan count: 0", 1, 0},
		{"number of nans: 12", 1, 1},
		{"num_nans 2", 1, 1},
		{"loss nan", 1, 1},
		{"loss 0.5 nan inf -inf", 4, 3},
		{"done", 0, 0},
		{"tensor([nan, 1.])", 2, 1},
		{"training: True", 0, 0},
		{"infinite patience 3", 1, 0},
	} {
		f := finite{}
		f.read(tokens(c.line, false))
		if f.total != c.total || f.bad != c.bad {
			t.Errorf("%q: %d of %d, want %d of %d", c.line, f.bad, f.total, c.bad, c.total)
		}
	}
}

// TestSameWork: which lines a control must have, too.
func TestSameWork(t *testing.T) {
	for _, c := range []struct {
		name, reported, control string
		want                    bool
	}{
		{"the same lines", "start\nloss 0.5\nend\n", "start\nloss 0.7\nend\n", true},
		{"more lines", "loss 0.5\n", "note\nloss 0.7\n", true},
		{"a line is missing", "start\nloss 0.5\n", "start\n", false},
		{"the order is another", "a 1\nb 2\n", "b 2\na 1\n", false},
		{"arrays have no label", "[1 2\n 3]\n", "[1 2 3]\n", true},
		{"a repr that moved", "x tensor([1.], grad_fn=<A>)\n", "x tensor([1.], grad_fn=<B>)\n", true},
		{"an answer", "any nan: True\n", "any nan: False\n", true},
		{"versions are no label", "lib 1.2.3\n", "lib 1.3.0\n", true},
		{"nothing printed", "", "", true},
	} {
		_, ok := contains(printedWords(finished(c.control)), printedWords(finished(c.reported)))
		if ok != c.want {
			t.Errorf("%s: %v, want %v", c.name, ok, c.want)
		}
	}
	both := common(printedWords(finished("a 1\nb 2\nc 3\n")), printedWords(finished("b 5\nx 1\nc 1\n")))
	if got := fmt.Sprint(both); got != "[[b] [c]]" {
		t.Errorf("in common: %s", got)
	}
}

// TestCommonIsInBoth, whatever was printed.
func TestCommonIsInBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) [][]string {
			var out [][]string
			for _, w := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 8).Draw(t, name) {
				out = append(out, []string{w})
			}
			return out
		}
		a, b := draw("a"), draw("b")
		both := common(append([][]string{}, a...), b)
		if _, ok := contains(a, both); !ok {
			t.Fatalf("%v is not in %v", both, a)
		}
		if _, ok := contains(b, both); !ok {
			t.Fatalf("%v is not in %v", both, b)
		}
	})
}
