package triage

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// meantFor are, for each kind of claim, the parts of a script that exist to
// choose what is complained of: the shape does follow keepdims, dropout is
// random, another learning rate learns. That the symptom goes away with them is
// how a right library behaves as well, so that such a change is no control. The
// list is made of names that many libraries share; it is not complete.
var meantFor = map[oracle.Name]*lazyre.Regexp{
	oracle.OracleSpread:     lazyre.New(`(?i)dropout|shuffl|seed|random|noise|sampl|temperature|stochastic|augment|generator|\brng\b|training|\beval\b|\btrain\b|\bkey\b`),
	oracle.OracleDuplicates: lazyre.New(`(?i)replace|unique|duplicate|dedup|shuffl|seed|random`),
	oracle.OracleShape:      lazyre.New(`(?i)keep_?dims?|dtype|\baxis\b|\bdims?\b|squeeze|^return_|^as_|shape|^output_|flatten|ravel|transpose|\bT\b|\bndmin\b`),
	oracle.OracleNonFinite:  lazyre.New(`(?i)dtype|half|float|autocast|nan_to_num|nan_policy|clip|clamp|\babs\b`),
	oracle.OracleException:  lazyre.New(`(?i)^(?:errors?|on_\w*error\w*|\w*_error|raise\w*|strict|divide|over|under|invalid|all|check_\w+|valid\w+|allow_\w+|handle_unknown|weights_only|safe\w*|verify\w*|nan_policy|force_\w+)$`),
	oracle.OracleWarning:    lazyre.New(`(?i)verbos|warn|filter|max_iter|n_iter`),
	oracle.OracleSlow:       lazyre.New(`(?i)n_jobs|workers|threads|batch|verbos|iter|epoch|^n_|size|samples`),
	oracle.OracleMemory:     lazyre.New(`(?i)batch|cache|size|samples|retain_graph|keep`),
	oracle.OracleHang:       lazyre.New(`(?i)timeout|iter|epoch|steps|size`),
	oracle.OracleLearning:   lazyre.New(`(?i)^lr$|learning_rate|epoch|batch|momentum|decay|optim|iter|gamma|warmup|schedul|dropout|seed|size|steps`),
}

// howNotWhat are the parts of a script that say how something is computed and
// promise the same result: compilers, workers, backends, caches. A claim about
// values can rest on nothing else, since any other argument exists to give
// another value: of ddof, num or axis, the one that gives what the reporter
// wants says only that he wants that one. The list is made of names that many
// libraries share; a name that is missing costs a grade and no truth.
var howNotWhat = lazyre.New(`(?i)jit|compil|eager|dynamo|xla|fuse|foreach|n_jobs|worker|thread|n_?procs?\b|processes|parallel|backend|engine|impl|flash|sdpa|cudnn|mkl|onednn|vectori[sz]|unroll|use_\w*cache|use_fast|prefetch|pin_memory|persistent|donat|remat|checkpoint|pure_callback|legacy`)

// ofValues: the claim is one about what comes out, and not about whether or
// when it does.
func ofValues(n oracle.Name) bool {
	switch n {
	case oracle.OraclePrinted, oracle.OracleAssert, oracle.OracleShape, oracle.OracleNonFinite,
		oracle.OracleDuplicates, oracle.OracleSpread:
		return true
	}
	return false
}

// onlyTelling leaves the contrasts and triggers that say something of the claim
// at hand; one that was made for any of its readings is left out.
func onlyTelling(d *Decision, f *pysyntax.File) {
	e := d.Expectation
	if e == nil {
		return
	}
	readings := append([]oracle.Expectation{*e}, e.Also...)
	impure := compilesImpure(f)
	meant := func(target string) bool {
		name, _, _ := strings.Cut(target, "=")
		return slices.ContainsFunc(readings, func(reading oracle.Expectation) bool {
			if re := meantFor[reading.Oracle]; re != nil && re.MatchString(name) {
				return true
			}
			return ofValues(reading.Oracle) && (!howNotWhat.MatchString(name) || impure && compiler.MatchString(name))
		})
	}
	d.Contrasts = slices.DeleteFunc(d.Contrasts, func(c Contrast) bool { return meant(c.Target) })
	d.Triggers = slices.DeleteFunc(d.Triggers, func(t Trigger) bool { return meant(t.Target) })
}

var (
	// compiler is what traces a function once instead of running it each time.
	compiler = lazyre.New(`(?i)jit|compil|eager|dynamo|tf\.function`)
	// impureCall is what a traced function does once only, as every such
	// library documents: printing, the clock, random numbers of another library.
	impureCall = lazyre.New(`^(?:print|input|open|next|time\.\w+|random\.\w+|(?:np|numpy)\.random\.\w+|[\w.]+\.append)$`)
	// compiles finds the name that a compiler is called with ("jax.jit(f)").
	compiles  = lazyre.New(`\b(?:\w*jit|compile|pmap|tf\.function)\(\s*(\w+)\b`)
	decorates = lazyre.New(`@[^\n]*(?:jit|compile|pmap|tf\.function)[^\n]*(?:\n[ \t]*@[^\n]*)*\n[ \t]*(?:async )?def (\w+)`)
)

// compilesImpure: a function of the script that is compiled has effects beside
// its result. Without the compiler it then behaves otherwise by design.
func compilesImpure(f *pysyntax.File) bool {
	if f == nil {
		return false
	}
	compiled := map[string]bool{}
	for _, re := range []*lazyre.Regexp{compiles, decorates} {
		for _, m := range re.FindAllStringSubmatch(f.Source, -1) {
			compiled[m[1]] = true
		}
	}
	return slices.ContainsFunc(f.Defined, func(d pysyntax.Def) bool {
		return compiled[d.Name] && slices.ContainsFunc(d.Reads, impureCall.MatchString)
	})
}
