package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// named are the parts of the script that words of the report may point at.
type named struct {
	// keywords are the arguments given by keyword: name -> distinct values.
	keywords map[string][]string
	// parts are calls, decorators and used names as they stand ("nn.Dropout").
	parts []string
}

// decorated finds decorators, the plain names among which are no attribute and
// no call in the facts of the script.
var decorated = lazyre.New(`(?m)^[ \t]*@([A-Za-z_][\w.]*)`)

// noPart are calls that no reporter means when blaming something: the
// measurement itself.
var noPart = setOf("print", "assert", "range", "len", "str", "int", "float", "list", "dict", "tuple", "set",
	"isinstance", "type", "repr", "open", "input", "super", "zip", "enumerate")

func namesIn(f *pysyntax.File) named {
	n := named{keywords: map[string][]string{}}
	seen := map[string]bool{}
	part := func(text string) {
		if text != "" && !seen[text] && !noPart[text] {
			seen[text] = true
			n.parts = append(n.parts, text)
		}
	}
	for _, c := range f.Calls {
		part(c.Func)
		for k, v := range c.Keywords {
			if !contains(n.keywords[k], v) {
				n.keywords[k] = append(n.keywords[k], v)
			}
		}
	}
	for _, m := range decorated.FindAllStringSubmatch(f.Source, -1) {
		part(m[1])
	}
	for _, a := range f.Attributes {
		part(a.Text)
	}
	return n
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

// valuesOf are the values that the script gives a keyword. Names that it assigns
// do not count: they are mostly the input, and another input gives another
// result on every release.
func (n named) valuesOf(name string) []string { return n.keywords[name] }

// tooCommon are words of ordinary prose that are names in many scripts as well;
// without backticks they point at nothing. A guess from reading reports.
var tooCommon = setOf("model", "models", "data", "dataset", "test", "train", "loss", "fit", "predict", "step", "call",
	"output", "input", "inputs", "outputs", "result", "results", "value", "values", "function", "code", "script",
	"name", "size", "shape", "dtype", "error", "version", "run", "main", "forward", "backward", "layer", "layers",
	"array", "tensor", "time", "seed", "sum", "mean", "max", "min", "random", "key", "axis", "x", "y", "a", "b",
	"update", "init", "apply", "set", "get", "load", "save", "add", "copy", "sample", "score", "device", "index",
	"problem", "issue", "using", "this", "that", "them", "config", "params", "numpy", "torch", "jax", "keras", "tensorflow")

// stands finds the part of the script that a word of the report points at, as
// it stands there: a keyword, a call, a decorator or a used name. It is empty
// when there is none, or more than one thing of that name.
func (n named) stands(word string, quoted bool) string {
	word = strings.TrimSuffix(strings.Trim(word, "`'\"@ "), "()")
	if i := strings.IndexByte(word, '('); i > 0 {
		word = word[:i]
	}
	plain := !quoted && !strings.ContainsAny(word, "._") && word == strings.ToLower(word)
	if word == "" || plain && (len(word) < 3 || tooCommon[word]) {
		return ""
	}
	if len(n.keywords[word]) > 0 {
		return word
	}
	found := ""
	// Prose and script may import differently: "torch.nn.Dropout" is the
	// script's nn.Dropout, and a bare "dropout" is it as well.
	last := bareClass(word)
	for _, p := range n.parts {
		same := p == word || bareClass(p) == last && (word == last || strings.HasSuffix(word, "."+p) || strings.HasSuffix(p, "."+word))
		if !same && plain {
			same = strings.EqualFold(bareClass(p), word)
		}
		switch {
		case !same:
		case p == word:
			return p
		case found != "" && found != p:
			return ""
		default:
			found = p
		}
	}
	return found
}

// sameValue compares values of Python source: quotes of either kind are alike.
func sameValue(a, b string) bool {
	return strings.ReplaceAll(strings.TrimSpace(a), "'", `"`) == strings.ReplaceAll(strings.TrimSpace(b), "'", `"`)
}

// has says whether some call of the script gives the keyword this value.
func (n named) has(name, value string) bool {
	for _, v := range n.valuesOf(name) {
		if sameValue(v, value) {
			return true
		}
	}
	return false
}
