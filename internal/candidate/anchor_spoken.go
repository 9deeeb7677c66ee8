package candidate

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// What is looked at must be spoken of: an object of the report's own class has
// attributes that changed between two releases for reasons of their own, and a
// sign or a NaN is in any array that one looks for it.

var (
	// plainParts pick a value out of a result and say nothing of the subject.
	plainParts = wordSet(`item items keys values tolist to_list numpy to_numpy asnumpy detach cpu copy clone astype float int double
		long half bool real imag shape dtype ndim size T data name mean sum max min std var prod any all abs argmax argmin argsort sort
		norm round flatten ravel reshape view squeeze unsqueeze transpose permute iloc loc index columns to block_until_ready
		append extend split strip count get nonzero unique tobytes array asarray eval`)
	partOf   = lazyre.New(`([A-Za-z_]\w*|[)\]])((?:\s*\.\s*[A-Za-z_]\w*)+)`)
	infinite = lazyre.New(`(?i)nan|inf\b|infinit|finite|overflow|not a number|diverg`)
	nought   = lazyre.New(`(?i)\b(?:zeros?|empty|negative|positive|non-?negative|signs?|vanish\w*|none|nothing|one|ones|once|twice|single|True|False)\b`)
)

// spoken says what of the claim, and of what it looks at, the report does not
// speak of.
func (a *anchors) spoken() {
	o := a.e.Observed
	text := o.Bad + " " + o.Good
	if functionsOfNaN.MatchString(text) && !infinite.MatchString(a.r.Text) {
		a.say("the report speaks of nothing that is not finite")
	}
	// "out.nonfinite > 0" counts what is not finite: its 0 is no value of the report's.
	counts := functionsOfNaN.MatchString(text) && infinite.MatchString(a.r.Text)
	if len(oracle.ObservedNames(o)) == 1 && !counts && !nought.MatchString(a.r.Text) {
		for _, l := range oracle.ObservedLiterals(o) {
			if !l.String && trivialNumber(l.Number) && !a.said.number(l.Number) {
				a.say("the report has no %v", l.Number)
			}
		}
	}
	a.parts()
}

var functionsOfNaN = lazyre.New(`\b(?:isnan|isinf|isfinite)\b|\.(?:nonfinite|finite)\b`)

// parts: the attributes on the way from what was returned to what is observed.
func (a *anchors) parts() {
	named := a.fromNamed()
	for _, step := range a.way() {
		for _, m := range partOf.FindAllStringSubmatch(step.text, -1) {
			if a.f.Imported(m[1]) || words(m[1]) != nil && !named[m[1]] {
				continue
			}
			for _, part := range words(m[2]) {
				if !plainParts[part] && !a.said.word(part) && !a.said.inWords(part) {
					a.say("line %d: looks at %s, which the report does not speak of", step.line, part)
				}
			}
		}
	}
}

// inWords: the report has no such name and speaks of it all the same: most of the
// telling parts of "rotate_queries_and_keys", and two at least.
func (s *said) inWords(name string) bool {
	all, have := 0, 0
	for _, part := range strings.Split(name, "_") {
		if len(part) < minPart || commonParts[part] {
			continue
		}
		all++
		if s.word(part) {
			have++
		}
	}
	return have >= 2 && 2*have > all
}

type step struct {
	line int
	text string
}

// way are the expressions that an observed value goes through, the observed one
// itself among them.
func (a *anchors) way() (steps []step) {
	names := oracle.ObservedNames(a.e.Observed)
	seen := map[string]bool{}
	var queue []string
	reads := func(list []string) {
		for _, name := range list {
			if first := firstOf(name); !seen[first] {
				seen[first] = true
				queue = append(queue, first)
			}
		}
	}
	for _, call := range a.f.Calls {
		if name, _ := unquoted(arg(call, 0)); call.Func == "observe" && slices.Contains(names, name) {
			steps = append(steps, step{call.Line, codeOnly(pysyntax.Parse(arg(call, 1)))})
			reads(call.ArgReads)
		}
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, s := range a.f.Assigns {
			if firstOf(s.Target) == name && s.Value != "" && !strings.Contains(s.Value, "observe(") {
				steps = append(steps, step{s.Line, codeOnly(pysyntax.Parse(s.Value))})
				reads(s.Reads)
			}
		}
		for _, d := range a.f.Defined {
			if d.Name == name && d.Kind == "function" {
				steps = append(steps, step{d.Line, codeOnly(pysyntax.Parse(a.f.Source[d.Span.Start:d.Span.End]))})
				reads(d.Reads)
			}
		}
	}
	return steps
}
