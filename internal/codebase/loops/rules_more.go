package loops

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// loaderWord finds what loops over batches iterate over, by its name.
var loaderWord = regexp.MustCompile(`(?i)loader|(^|_)dl($|_)|batches|train_(ds|set|iter|data|gen)|(^|_)(dataset|trainset|batch_iter|iterator)$|^batch$`)

// countWord finds the names of numbers, as in range(num_batches).
var countWord = regexp.MustCompile(`(?i)^(n|num|len|max|total)_|size|count`)

// loader says whether a for loop goes over a loader.
func (f *facts) loader(loop int32) binding {
	s := f.n.Statements[loop]
	in := s.First
	for in < s.Last && f.n.Text(in) != "in" {
		in++
	}
	best := binding{}
	// Any name behind "in" counts: tqdm(enumerate(loader)) goes over a loader.
	for at := in + 1; at < s.Last; at++ {
		if !f.n.Identifier(at) {
			continue
		}
		name, after := f.n.Chain(at)
		at = after - 1
		if o, ok := f.originOf(name, loop); ok && strings.HasSuffix(o.full, "DataLoader") {
			return binding{bySource, name + " is " + o.full + " (line " + itoa(o.line) + ")"}
		}
		if strings.HasSuffix(f.resolve(name), "DataLoader") {
			return binding{bySource, "a loop over " + name}
		}
		if word := last(name); loaderWord.MatchString(word) && !countWord.MatchString(word) && best.sure == notIt {
			best = f.named(name, "a loader", torchTops)
		}
	}
	return best
}

// fromLoop: the receiver comes from the targets of the loop, itself or by the
// statement that the call stands in.
func (f *facts) fromLoop(c *call, loop int32) bool {
	targets := remember(&f.memo.targets, loop, func() map[string]bool {
		names := map[string]bool{}
		for _, b := range f.n.Binds(loop) {
			names[b.Name] = true
		}
		return names
	})
	root, _, _ := strings.Cut(base(c.Receiver), ".")
	if targets[root] {
		return true
	}
	switch plainName(c.Receiver) {
	// These are put on a device beside the batch, and are none of it.
	case "model", "net", "self", "criterion", "loss_fn", "device", "module":
		return false
	}
	// "{k: v.to(device) for k, v in batch.items()}", "x, y = batch" before
	s := f.n.Statements[c.Statement]
	for at := max(s.First, c.Token-maxTokens/10); at < min(s.Last, c.Token+maxTokens/10); at++ {
		if f.n.Identifier(at) && targets[f.n.Text(at)] {
			return true
		}
	}
	o, ok := f.originOf(root, c.Statement)
	first, _, _ := strings.Cut(o.full, ".")
	return ok && targets[first]
}

// lightningTops are the packages that LightningModule comes from.
var lightningTops = []string{"pytorch_lightning", "lightning", "lightning_fabric", "pl"}

// trainingStep is rule 8: the method of a LightningModule.
func (f *facts) trainingStep(i int32) *match {
	s := f.n.Statements[i]
	scope := f.n.Scope(i)
	if s.Name != "training_step" || scope < 0 || f.n.Statements[scope].Kind != "class" {
		return nil
	}
	m := &match{rule: 8, piece: f.whole(i)}
	name := f.n.Statements[scope].Name
	is := func(base string) bool { return last(base) == "LightningModule" }
	switch {
	case f.inherits(name, 0, is):
		m.sure, m.why = bySource, name+" is a LightningModule"
	case f.inherits(name, 0, func(base string) bool { return strings.HasSuffix(base, "Trainer") }):
		return nil // Transformers has a method of that name
	case f.any(lightningTops...):
		m.sure, m.why = byName, "training_step, and Lightning is imported"
	case f.takesBatch(i) && f.foreignBase(name):
		m.sure, m.why = byGuess, "training_step of a class with a base of another module"
	default:
		return nil
	}
	return m
}

// takesBatch: the parameters are those of Lightning's.
func (f *facts) takesBatch(i int32) bool {
	names := []string{}
	for _, p := range f.n.Params(i) {
		names = append(names, p.Name)
	}
	return slices.Contains(names, "batch") && !slices.Contains(names, "model")
}

// foreignBase: a base class is imported and no plain Module of torch.
func (f *facts) foreignBase(name string) bool {
	for _, b := range f.classes[name].bases {
		if _, here := f.classes[b]; !here && b != "object" && !strings.HasPrefix(b, "torch.") && !strings.HasPrefix(b, "nn.") {
			return true
		}
	}
	return false
}

// jaxStep is one call of rule 9: the transformation of a gradient or the
// applying of an update, each only together with the other.
func jaxStep(f *facts, c *call) *match {
	if !f.any(jaxTops...) {
		return nil
	}
	kind := f.jaxKind(c)
	if kind == "" {
		return nil
	}
	unit := f.function(c.Statement)
	loop := f.loopAround(c.Statement)
	if loop >= 0 {
		unit = f.whole(f.extent(loop))
	}
	kinds := remember(&f.memo.jax, unit.first, func() map[string]bool {
		found := map[string]bool{}
		f.between(unit.first, unit.until, func(o *call) { found[f.jaxKind(o)] = true })
		return found
	})
	if !kinds["gradient"] || !kinds["update"] {
		return nil
	}
	return &match{rule: ruleJAX, sure: bySource, why: last(c.Func) + ": gradient and update together", piece: unit}
}

// jaxKind is "gradient", "update" or "".
func (f *facts) jaxKind(c *call) string {
	top, _, _ := strings.Cut(c.full, ".")
	jax := slices.Contains(jaxTops, top)
	switch c.Method {
	case "value_and_grad", "grad":
		if jax || c.Receiver == "" {
			return "gradient"
		}
	case "apply_updates", "stateless_apply": // the latter is Keras's own for JAX
		return "update"
	case "apply_gradients":
		if c.args["grads"] {
			return "update"
		}
	case "update":
		name := plainName(c.Receiver)
		o, _ := f.originOf(base(c.Receiver), c.Statement)
		if strings.HasPrefix(o.full, "optax.") || strings.Contains(o.full, "nnx.Optimizer") || strings.Contains(name, "optim") || name == "tx" {
			return "update"
		}
	}
	return ""
}

// function is the def around a statement, the statement itself at module level.
func (f *facts) function(i int32) piece {
	for at := i; at >= 0; at = f.n.Statements[at].Parent {
		if f.n.Statements[at].Kind == "def" {
			return f.whole(at)
		}
	}
	return f.whole(f.n.Statements[i].Head)
}

// jaxLoops are the loops of rule 9 that call a step function of this module in
// which gradient and update stand together.
func (f *facts) jaxLoops(found []match) []match {
	steps := map[int32]bool{}
	for _, m := range found {
		if m.rule == ruleJAX && f.n.Statements[m.piece.first].Kind == "def" {
			steps[m.piece.first] = true
		}
	}
	return f.callers(ruleJAX, steps)
}

// stepLoops are the loops of rule 5 that leave the step to a function of this
// module: "for batch in loader: train_step(batch)". The function is no loop, and
// the loop alone shows none of the words that the rule is about.
func (f *facts) stepLoops() []match {
	backwards, steps := map[int32]bool{}, map[int32]bool{}
	for i := range f.calls {
		c := &f.calls[i]
		def := f.function(c.Statement).first
		if f.n.Statements[def].Kind != "def" || f.loopAround(c.Statement) >= 0 {
			continue
		}
		switch c.Method {
		case "backward", "manual_backward":
			backwards[def] = f.any(torchTops...)
		case "step":
			steps[def] = steps[def] || f.optimizer(c).sure > notIt
		}
	}
	maps.DeleteFunc(steps, func(def int32, is bool) bool { return !is || !backwards[def] })
	return f.callers(5, steps)
}

// maxSameName bounds the step functions of one name (guess: a module with more
// classes of agents was not met).
const maxSameName = 16

// callers are the loops that call one of the functions, by name or by the
// method of an object whose class is known.
func (f *facts) callers(rule int, defs map[int32]bool) []match {
	byName := map[string][]int32{}
	for _, def := range slices.Sorted(maps.Keys(defs)) {
		name := f.n.Statements[def].Name
		if len(byName[name]) < maxSameName {
			byName[name] = append(byName[name], def)
		}
	}
	if len(byName) == 0 {
		return nil
	}
	parts := map[int32]int{}
	var out []match
	for i := range f.calls {
		c := &f.calls[i]
		for _, def := range byName[c.Method] {
			if !f.calledBy(c, def) {
				continue
			}
			why := c.Method + " (line " + itoa(int(f.n.Statements[def].Line)) + ") computes gradients and updates"
			if m := f.around(rule, c, binding{bySource, why}); m != nil {
				m.parts = remember(&parts, def, func() int { return f.content(f.whole(def)).parts })
				out = append(out, *m)
			}
			break
		}
	}
	return out
}

// calledBy: the call reaches that function. A method needs an object whose
// class is its own: the step of an environment is not that of an agent.
func (f *facts) calledBy(c *call, def int32) bool {
	scope := f.n.Scope(def)
	method := scope >= 0 && f.n.Statements[scope].Kind == "class"
	switch {
	case !method:
		return c.Receiver == ""
	case c.Receiver == "self":
		return f.enclosingClass(c.Statement) == f.n.Statements[scope].Name
	case c.Receiver == "":
		return false
	}
	o, ok := f.originOf(base(c.Receiver), c.Statement)
	return ok && o.full == f.n.Statements[scope].Name
}
