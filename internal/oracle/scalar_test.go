package oracle

import "testing"

// TestValueInItsWrapper: a stated value is met by the line that prints it as an
// array without dimensions, and by no array of one element.
func TestValueInItsWrapper(t *testing.T) {
	for _, c := range []struct {
		stated, printed string
		want            bool
	}{
		{"0.5", "tensor(0.5000)", true},
		{"0.0", "tensor(0.)", true},
		{"nan", "tensor(nan, grad_fn=<MeanBackward0>)", true},
		{"0.25", "Array(0.25, dtype=float32)", true},
		{"3", "tf.Tensor(3, shape=(), dtype=int32)", true},
		{"True", "tensor(True)", true},
		{"0.5", "tensor(0.6000)", false},
		{"0", "tensor(0.5000)", false},
		{"nan", "tensor(0.)", false},
		{"False", "tensor(True)", false},
		{"0.5", "tensor([0.5000])", false},
		{"0.5", "tensor(0.5000) tensor(0.5000)", false},
		{"0.5", "array(0.5, 0.5)", false},
		{"0.5", "loss(0.5)", false},
		{"tensor(0.5)", "0.5", false},
		{"tensor(0.5000)", "tensor(0.5000)", true},
	} {
		_, missing := findLines([]Line{{Text: c.stated}}, outputLines(finished(c.printed+"\n")))
		if got := missing < 0; got != c.want {
			t.Errorf("%q in %q: %v", c.stated, c.printed, got)
		}
	}
}

// TestRenamedNode: another release's name of the backward node is no other
// output; a tensor without one is.
func TestRenamedNode(t *testing.T) {
	for printed, want := range map[string]bool{
		"tensor([2., nan], grad_fn=<MulBackward0>)": true,
		"tensor([2., nan], grad_fn=<MulBackward>)":  true,
		"tensor([2., nan])":                         false,
		"tensor([2., 1.], grad_fn=<MulBackward>)":   false,
	} {
		_, missing := findLines([]Line{{Text: "tensor([2., nan], grad_fn=<MulBackward>)"}}, outputLines(finished(printed+"\n")))
		if got := missing < 0; got != want {
			t.Errorf("%s: %v", printed, got)
		}
	}
}
