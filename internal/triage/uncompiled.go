package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// Contrasts that are named by what they do, not by what would have to be
// written: eager execution, one worker, another precision.

var (
	// jitted is the compiled side, uncompiled words for the other one.
	jitted      = lazyre.New(`(?i)\b(?:jit\w*|compiled|graph mode|under jit|torch\.compile)\b`)
	eagerly     = lazyre.New("(?i)\\b(?:eager(?:ly)?|non-?jit\\w*|un-?jitted|non-?compiled|uncompiled|(?:without|no|disabl\\w+|not using|outside(?: of)?|remov\\w+)(?: the)? `?@?(?:jax\\.)?(?:jit\\w*|compil\\w+|torch\\.compile|tf\\.function)|jit (?:is )?(?:disabled|off)|disable_jit\\w*)\\b")
	oneWorker   = lazyre.New(`(?i)\b(?:(?:one|a single|single|1) (?:worker|job)s?|single[ -](?:process|worker|thread)(?:ed)?|without (?:multi-?processing|workers|parallel\w*)|no workers|(?:not|un)[ -]?parallel\w*|sequential(?:ly)?)\b`)
	floatWord   = lazyre.New("(?i)(?:\\b(?:in|with|using|for|under|to|on) (?:dtype )?`?)((?:b?float|fp|double|single|half|full)[ -]?(?:16|32|64|precision)?)\\b")
	floatInCode = lazyre.New(`^(?:torch|np|numpy|jnp|jax\.numpy|tf)\.(b?float(?:16|32|64))$`)
)

// eager is "in eager mode it works", "without jit everything is fine".
func (ch *changes) eager(c clause) {
	if m := eagerly.FindStringIndex(c.text); m != nil {
		ch.uncompiled(c, m)
	}
}

// uncompiled turns the compiler of the script off: by its own switch where it
// has one, so that the script stays as it is.
func (ch *changes) uncompiled(c clause, at []int) {
	// JAX_DISABLE_JIT and TORCHDYNAMO_DISABLE are the libraries' documented
	// switches; tf.function has one in code only, so that it is left out.
	source := ch.rd.script.source
	for _, p := range ch.names.parts {
		switch last := bareClass(p); {
		case (last == "jit" || last == "pjit" || last == "filter_jit") && strings.Contains(source, "jax"):
			ch.contrast(Contrast{Kind: "env", Target: "JAX_DISABLE_JIT", Value: "1"}, c, at)
		case p == "torch.compile":
			ch.contrast(Contrast{Kind: "env", Target: "TORCHDYNAMO_DISABLE", Value: "1"}, c, at)
			ch.contrast(Contrast{Kind: "without", Target: p}, c, at)
		case p == "tf.function" || p == "tensorflow.function":
			ch.contrast(Contrast{Kind: "without", Target: p}, c, at)
		case last == "compile" && ch.keras() && len(ch.names.keywords["run_eagerly"]) == 0:
			ch.contrast(Contrast{Kind: "argument", Target: "run_eagerly", Value: "True"}, c, at)
		}
	}
}

// keras: the compile method of the script is that of a model.
func (ch *changes) keras() bool {
	return strings.Contains(ch.rd.script.source, "keras") && len(ch.names.keywords["loss"])+len(ch.names.keywords["optimizer"]) > 0
}

// workerKeywords say how many processes or threads do the work, with the value
// for one of them.
var workerKeywords = []struct{ name, value string }{
	{"num_workers", "0"}, {"n_jobs", "1"}, {"workers", "1"}, {"num_threads", "1"}, {"n_workers", "1"}, {"processes", "1"},
}

// workers is "with one worker it is fine".
func (ch *changes) workers(c clause) {
	m := oneWorker.FindStringIndex(c.text)
	if m == nil {
		return
	}
	for _, w := range workerKeywords {
		if len(ch.names.keywords[w.name]) > 0 && !ch.names.has(w.name, w.value) {
			ch.contrast(Contrast{Kind: "argument", Target: w.name, Value: w.value}, c, m)
			return
		}
	}
}

// precision is "in float32 everything is fine", where the script names exactly
// one other floating-point type. A wider type than the script's is no contrast:
// rounding and overflow go away with it on every release (bfloat16 is wider than
// float16 in range).
func (ch *changes) precision(c clause) {
	m := floatWord.FindStringSubmatchIndex(c.text)
	if m == nil {
		return
	}
	want := floatName(c.text[m[2]:m[3]])
	var has []string
	for _, p := range ch.names.parts {
		if floatInCode.MatchString(p) {
			has = append(has, p)
		}
	}
	if want == "" || len(has) != 1 || precisions[want] <= precisions[bareClass(has[0])] || want == "bfloat16" {
		return
	}
	module := strings.TrimSuffix(has[0], bareClass(has[0]))
	ch.contrast(Contrast{Kind: "instead", Target: has[0], Value: module + want}, c, m)
}

// floatName is the type behind a word; "" where it is not clear.
func floatName(word string) string {
	word = strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(word))
	switch word {
	case "float16", "fp16", "half", "halfprecision":
		return "float16"
	case "float32", "fp32", "single", "singleprecision", "fullprecision":
		return "float32"
	case "float64", "fp64", "double", "doubleprecision":
		return "float64"
	case "bfloat16", "bf16":
		return "bfloat16"
	}
	return ""
}
