package loops

import (
	"math"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/codebase/source"
)

// Weights of the score (guesses, to be measured with the ablations): how many
// rules, how sure the surest of them is, how complete the loop is.
const (
	weightRules    = 0.3
	weightSure     = 0.35
	weightComplete = 0.35
	// factorTest is for test files: their loops are short and made up.
	factorTest = 0.6
	// factorEval is for loops that only measure: no gradient, no update.
	factorEval = 0.5
	// factorLong is for loops over longLines lines, which hold much else.
	factorLong = 0.8
	longLines  = 200
)

// scoreSteps rounds the score, so that it does not depend on the order of sums.
const scoreSteps = 10_000

// parts of a training loop.
const (
	forward = 1 << iota
	loss
	gradient
	update
)

var partNames = []string{"forward", "loss", "backward", "step"}

// lossWords are in the names of what is minimised.
var lossWords = []string{"loss", "criterion", "cross_entropy", "objective", "nll", "elbo", "cost"}

// maxText is how much of a piece is searched for the word loss, in bytes.
const maxText = 64 << 10

// content is what a piece of code does.
type content struct {
	parts int
	eval  bool // gradients are switched off, or the model is
}

func (f *facts) content(p piece) content {
	var c content
	f.between(p.first, p.until, func(k *call) { c.add(f, k) })
	// A loss is often no call (outputs.loss), so the text is searched.
	a, b := f.n.Statements[p.first], f.n.Statements[p.until-1]
	text := strings.ToLower(f.n.Source[a.Start:min(max(a.Start, b.End), a.Start+maxText)])
	for _, word := range lossWords {
		if strings.Contains(text, word) {
			c.parts |= loss
		}
	}
	return c
}

// add notes what one call does. Keras's and Lightning's methods do the rest
// themselves.
func (c *content) add(f *facts, k *call) {
	name := plainName(k.Receiver)
	switch k.Method {
	case "backward", "manual_backward", "gradient", "value_and_grad", "compute_gradients":
		c.parts |= gradient
	case "grad":
		if k.Receiver != "" {
			c.parts |= gradient
		}
	case "apply_gradients", "apply_updates":
		c.parts |= update
	case "minimize":
		c.parts |= update | gradient
	case "step", "update", "apply", "stateless_apply":
		if f.optimizer(k).sure > notIt || name == "tx" {
			c.parts |= update
		} else if k.Method == "apply" {
			c.parts |= forward // of flax's modules
		}
	case "train_on_batch", "fit", "fit_generator":
		c.parts |= forward | gradient | update
	case "compile":
		c.parts |= loss
	case "no_grad", "inference_mode", "eval":
		c.eval = true
	case "forward", "predict", "__call__":
		c.parts |= forward
	}
	if word := strings.ToLower(k.Method); k.Func != "" && (modelWord(word) || k.Func == "self" || strings.HasPrefix(word, "forward")) {
		c.parts |= forward
	}
}

// given are the parts that a rule's own method does.
func given(rules []int) int {
	parts := 0
	for _, r := range rules {
		switch r {
		case 4:
			parts |= forward
		case 8:
			parts |= gradient | update
		}
	}
	return parts
}

// loop makes the Loop of a piece from its matches.
func (f *facts) loop(path string, p piece, found []match) Loop {
	l := Loop{Path: path, Name: f.nameOf(p.first)}
	l.Start, l.End, l.StartLine, l.EndLine = f.bytes(p)
	sure := 0.0
	for _, m := range found {
		if !slices.Contains(l.Rules, m.rule) {
			l.Rules = append(l.Rules, m.rule)
		}
		sure = max(sure, m.sure)
	}
	slices.Sort(l.Rules)
	l.Why = reasons(found)
	c := f.content(p)
	c.parts |= given(l.Rules)
	for _, m := range found {
		c.parts |= m.parts
	}
	if slices.Contains(l.Rules, 4) && strings.Contains(strings.ToLower(f.n.Source[l.Start:l.End]), "train") {
		c.parts |= gradient | update // a graph is trained by running its train operation
	}
	l.Score = weightRules*few(len(l.Rules)) + weightSure*sure + weightComplete*complete(c.parts)
	l.Why = append(l.Why, "has "+partText(c.parts))
	l.lower(c)
	l.Score = math.Round(l.Score*scoreSteps) / scoreSteps
	return l
}

// lower takes off for what makes a loop a worse pattern to follow.
func (l *Loop) lower(c content) {
	by := func(factor float64, why string) {
		l.Score *= factor
		l.Why = append(l.Why, why)
	}
	if source.IsTest(l.Path) {
		by(factorTest, "in a test file")
	}
	if c.eval && c.parts&(gradient|update) == 0 {
		by(factorEval, "only measures: no gradient, no update")
	}
	if l.EndLine-l.StartLine >= longLines {
		by(factorLong, "long")
	}
}

// few goes from a half for one rule towards 1.
func few(rules int) float64 {
	left := 1.0
	for range rules {
		left /= 2
	}
	return 1 - left
}

// complete is the share of the parts that are there.
func complete(parts int) float64 {
	n := 0.0
	for i := range partNames {
		if parts&(1<<i) != 0 {
			n++
		}
	}
	return n / float64(len(partNames))
}

func partText(parts int) string {
	var names []string
	for i, name := range partNames {
		if parts&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "none of forward, loss, backward, step"
	}
	return strings.Join(names, ", ")
}

// maxWhy bounds the reasons that are given of one rule (guess).
const maxWhy = 3

// reasons are those of the matches, the surest of each rule first, once each.
func reasons(found []match) []string {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b match) int {
		switch {
		case a.rule != b.rule:
			return a.rule - b.rule
		case a.sure > b.sure:
			return -1
		case a.sure < b.sure:
			return 1
		}
		return 0
	})
	var out []string
	count := map[int]int{}
	for _, m := range found {
		why := "rule " + itoa(m.rule) + ": " + m.why
		if count[m.rule] < maxWhy && !slices.Contains(out, why) {
			out = append(out, why)
			count[m.rule]++
		}
	}
	return out
}

// nameOf is the qualified function that a statement stands in, or is.
func (f *facts) nameOf(i int32) string {
	if k := f.n.Statements[i].Kind; k == "def" || k == "class" {
		return f.n.Qualified(i)
	}
	return f.n.Qualified(f.n.Scope(i))
}
