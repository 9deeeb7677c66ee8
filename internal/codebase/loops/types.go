// Package loops finds the training loops of a module by the eight published
// rules, on the syntax tree: the loop itself, not only the file.
//
// The rules: (1) fit, fit_generator, train_on_batch of a Keras model; (2)
// apply_gradients, minimize of an optimizer; (3) a GradientTape that is asked
// for a gradient or told to watch; (4) run of a TensorFlow 1 session in a loop;
// (5) step, backward, zero_grad in a loop; (6) item of a loss in a loop; (7) to,
// cuda of what a loop over a loader gives; (8) training_step of a
// LightningModule. A rule (9) of our own knows the loops of JAX, optax and flax;
// Published leaves it out.
//
// What is given as the loop: the innermost one around what a rule met, or the
// loop over epochs around that, when it is not too long. Loops of which one
// holds the other become one with the rules of both. Without a loop it is the
// with-block up to where gradients are applied (3), the statement, for fit from
// its compile on (1, 2), or the method (8).
package loops

// Loop is one training loop.
type Loop struct {
	Path string `json:"path"`
	// Name is the qualified function it stands in; "" at module level.
	Name string `json:"name,omitempty"`
	// Rules are the rules that matched, 1 to 8, ascending.
	Rules []int `json:"rules"`
	// Lines are 1-based and inclusive; bytes half-open.
	StartLine int `json:"start_line"`
	EndLine   int `json:"end_line"`
	Start     int `json:"start"`
	End       int `json:"end"`
	// Score orders the loops of a project; Why says what it was made of.
	Score float64  `json:"score"`
	Why   []string `json:"why"`
}
