package loops

import (
	"maps"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// match is one rule met by one piece of code.
type match struct {
	rule  int
	sure  float64
	why   string
	piece piece
	// parts are what a function does that the piece calls.
	parts int
}

// ruleJAX is no published rule: loops of JAX, optax and flax. Ablations leave
// it out with Published.
const ruleJAX = 9

// callRules are tried on every call, by the name of the method. The name alone
// never counts: each rule asks what the receiver is.
var callRules = map[string]func(*facts, *call) *match{
	"fit": keras, "fit_generator": keras, "train_on_batch": keras,
	"apply_gradients": applied, "minimize": applied,
	"run":  sessionRun,
	"step": stepped, "backward": backward, "manual_backward": backward, "zero_grad": zeroed,
	"item": lossItem,
	"to":   moved, "cuda": moved,
	"apply_updates": jaxStep, "value_and_grad": jaxStep, "grad": jaxStep, "update": jaxStep, "stateless_apply": jaxStep,
}

// matches are all of a module, in the order of the source.
func (f *facts) matches() []match {
	var found []match
	add := func(m *match) {
		if m != nil && m.sure > notIt {
			found = append(found, *m)
		}
	}
	for i := range f.calls {
		if rule, ok := callRules[f.calls[i].Method]; ok {
			add(rule(f, &f.calls[i]))
		}
	}
	for i, s := range f.n.Statements {
		switch s.Kind {
		case "with":
			add(f.tape(int32(i)))
		case "def":
			add(f.trainingStep(int32(i)))
		}
	}
	return found
}

// around is the match for a call that counts in a loop only.
func (f *facts) around(rule int, c *call, b binding) *match {
	loop := f.loopAround(c.Statement)
	if loop < 0 || b.sure == notIt {
		return nil
	}
	return &match{rule: rule, sure: b.sure, why: b.why, piece: f.whole(f.extent(loop))}
}

// anywhere is the match for a call that counts outside of loops too.
func (f *facts) anywhere(rule int, c *call, b binding, alone piece) *match {
	if m := f.around(rule, c, b); m != nil || b.sure == notIt {
		return m
	}
	return &match{rule: rule, sure: b.sure, why: b.why, piece: alone}
}

// fitArguments are the keywords that Keras's fit takes and others' do not.
var fitArguments = []string{
	"epochs", "validation_data", "validation_split", "steps_per_epoch", "initial_epoch", "validation_steps",
	"callbacks", "batch_size", "nb_epoch", "class_weight", "shuffle",
}

// keras is rule 1.
func keras(f *facts, c *call) *match {
	if c.Receiver == "" {
		return nil
	}
	b := f.kerasModel(c)
	// Nobody but Keras has fit_generator and train_on_batch, so a model that
	// another module makes may be taken for one. fit needs a second sign.
	if c.Method != "fit" && b.sure == notIt && !f.trains(c) {
		b = binding{byGuess, c.Method + " is a method of Keras only"}
	}
	if c.Method == "fit" && b.sure == notIt && f.any(kerasTops...) && !f.trains(c) {
		for _, arg := range fitArguments {
			if c.args[arg] {
				b = binding{byName, "fit takes " + arg + ", and Keras is imported"}
				break
			}
		}
	}
	if b.why != "" {
		b.why = c.Method + ": " + b.why
	}
	return f.anywhere(1, c, b, f.fromSetup(c))
}

// trains: the receiver is known to be something that is no Keras model.
func (f *facts) trains(c *call) bool {
	o, ok := f.originOf(base(c.Receiver), c.Statement)
	if !ok || o.full == "" {
		return plainName(c.Receiver) == "trainer"
	}
	top, _, _ := strings.Cut(o.full, ".")
	return slices.Contains(notKeras, top) || strings.HasSuffix(o.full, "Trainer") || strings.Contains(o.full, "preprocessing")
}

// applied is rule 2. The alone case is the call's own statement.
func applied(f *facts, c *call) *match {
	if c.Receiver == "" || strings.HasPrefix(c.full, "scipy.") {
		return nil
	}
	// flax: the state holds the optimizer, and the keyword is its own.
	if c.Method == "apply_gradients" && c.args["grads"] && f.any(jaxTops...) {
		return f.anywhere(ruleJAX, c, binding{bySource, "apply_gradients of a train state"}, f.function(c.Statement))
	}
	b := f.optimizer(c)
	if b.sure == notIt && c.Method == "apply_gradients" && f.any(kerasTops...) {
		b = binding{byName, "apply_gradients, and TensorFlow or Keras is imported"}
	}
	if b.sure > notIt {
		b.why = c.Method + ": " + b.why
	}
	return f.anywhere(2, c, b, f.whole(f.n.Statements[c.Statement].Head))
}

// tape is rule 3: a with-block of a GradientTape, up to where its gradients are
// applied.
func (f *facts) tape(i int32) *match {
	names := map[string]bool{}
	f.between(i, i+1, func(c *call) {
		if c.Method == "GradientTape" && f.n.Text(c.Close+1) == "as" && f.used(f.n.Text(c.Close+2), i) {
			names[f.n.Text(c.Close+2)] = true
		}
	})
	if len(names) == 0 {
		return nil
	}
	m := &match{rule: 3, sure: byGuess}
	if f.any(kerasTops...) {
		m.sure = bySource
	}
	m.why = "GradientTape " + strings.Join(slices.Sorted(maps.Keys(names)), ", ") + " with its gradient"
	if loop := f.loopAround(i); loop >= 0 {
		m.piece = f.whole(f.extent(loop))
		return m
	}
	m.piece = f.upTo(i, func(c *call) bool {
		return names[c.Receiver] && usesTape(c) || c.Method == "apply_gradients" || c.Method == "apply"
	})
	return m
}

// used: the tape is asked for a gradient, or told to watch, after statement i
// in its scope.
func (f *facts) used(tape string, i int32) bool {
	all := f.memo.tapes[tape]
	k, _ := slices.BinarySearch(all, i)
	return k < len(all) && all[k] < f.scopeEnd(f.n.Scope(i))
}

// scopeEnd is one past the last statement of a def, class or the module.
func (f *facts) scopeEnd(scope int32) int32 {
	if scope < 0 {
		return int32(len(f.n.Statements))
	}
	return f.last[scope]
}

// usesTape: the call is one of a tape's own.
func usesTape(c *call) bool {
	return c.Receiver != "" && (c.Method == "gradient" || c.Method == "watch" || c.Method == "jacobian")
}

// sessionRun is rule 4, bound to a session: any other run does not count.
func sessionRun(f *facts, c *call) *match {
	b := f.session(c)
	if b.sure > notIt {
		b.why = "session run: " + b.why
	}
	return f.around(4, c, b)
}

// stepped is the step of rule 5: of an optimizer, or of what wraps one.
func stepped(f *facts, c *call) *match {
	if c.Receiver == "" {
		return nil
	}
	b := f.optimizer(c)
	if b.sure == notIt && f.engine(c) {
		b = binding{byName, c.Receiver + " also runs backward"}
	}
	if b.sure > notIt {
		b.why = "step: " + b.why
	}
	return f.around(5, c, b)
}

// engine: the same receiver's backward is called in the same scope, as with
// DeepSpeed's engine; a gradient scaler's step takes the optimizer.
func (f *facts) engine(c *call) bool {
	if strings.Contains(plainName(c.Receiver), "scaler") && c.positional > 0 {
		return true
	}
	loop := f.loopAround(c.Statement)
	if loop < 0 {
		return false
	}
	return remember(&f.memo.backwards, loop, func() map[string]bool {
		found := map[string]bool{}
		f.within(loop, func(o *call) {
			if o.Method == "backward" {
				found[o.Receiver] = true
			}
		})
		return found
	})[c.Receiver]
}

// backward is that of rule 5. A turtle goes backward by a number.
func backward(f *facts, c *call) *match {
	if c.Receiver == "" || f.tops["turtle"] {
		return nil
	}
	torch := f.any(torchTops...)
	// A gradient is a tensor or nothing; only distances are numbers.
	if !torch && c.Open+1 < c.Close && f.n.Tokens[c.Open+1].Kind == pysyntax.NumberToken {
		return nil
	}
	b := binding{bySource, c.Receiver + ".backward, and torch is imported"}
	if !torch {
		loss := strings.Contains(strings.ToLower(c.Receiver), "loss")
		b = binding{byGuess, c.Receiver + ".backward, no framework is imported"}
		if !loss && !f.steps(c) {
			return nil
		}
	} else if !strings.Contains(strings.ToLower(c.Receiver), "loss") && !f.steps(c) {
		b.sure = byGuess // a gradient that is only looked at
	}
	return f.around(5, c, b)
}

// steps: the loop around the call also steps or zeroes gradients.
func (f *facts) steps(c *call) bool {
	loop := f.loopAround(c.Statement)
	if loop < 0 {
		return false
	}
	all := f.extent(loop)
	return remember(&f.memo.steps, all, func() bool {
		found := false
		f.within(all, func(o *call) {
			found = found || o.Method == "zero_grad" || o.Method == "step" && f.optimizer(o).sure > notIt
		})
		return found
	})
}

// zeroed is the zero_grad of rule 5: nothing else has that name.
func zeroed(f *facts, c *call) *match {
	if c.Receiver == "" {
		return nil
	}
	b := binding{byGuess, c.Receiver + ".zero_grad"}
	if f.any(torchTops...) {
		b = binding{bySource, c.Receiver + ".zero_grad, and torch is imported"}
	}
	return f.around(5, c, b)
}

// lossItem is rule 6.
func lossItem(f *facts, c *call) *match {
	receiver := strings.ToLower(c.Receiver)
	if !strings.Contains(receiver, "loss") || c.positional > 0 {
		return nil
	}
	return f.around(6, c, f.named(c.Receiver, "a loss", torchTops))
}

// moved is rule 7: what a loop over a loader gives is put on a device.
func moved(f *facts, c *call) *match {
	if c.Receiver == "" || c.Method == "to" && c.positional+len(c.args) == 0 {
		return nil
	}
	loop := f.loopAround(c.Statement)
	if loop < 0 || f.n.Statements[loop].Kind != "for" {
		return nil
	}
	b := remember(&f.memo.loaders, loop, func() binding { return f.loader(loop) })
	if b.sure == notIt || !f.fromLoop(c, loop) {
		return nil
	}
	b.why = c.Receiver + "." + c.Method + ": " + b.why
	return f.around(7, c, b)
}
