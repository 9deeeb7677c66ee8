package triage

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// acrossRuns and insideOne say what differs: whole executions, or two calls
	// of one execution.
	acrossRuns = lazyre.New(`(?i)\b(?:(?:every|each|between|across|multiple|several|different|two|from) (?:\w+ )?(?:runs?|executions?|sessions?|process(?:es)?|restarts?|invocations?)|run to run|(?:each|every) time (?:i|we|you|it|the script|this)|re-?run\w*|restart\w*|run (?:it|this|the script|the code) (?:again|twice|several|multiple|a few))\b`)
	insideOne  = lazyre.New("(?i)\\b(?:(?:each|every|second|two|repeated|successive|consecutive|subsequent|identical) (?:\\w+ )?calls?|call(?:ed|ing)? (?:it |this |`?[\\w.]+`?(?:\\(\\))? )?(?:twice|again|repeatedly)|second time|in a loop|fit(?:ting)? twice|same (?:object|instance|model)|first and (?:the )?second)\\b")
	// readsClock are values that differ between equal executions of any script.
	readsClock = lazyre.New(`\b(?:time|perf_counter|monotonic|process_time|now|today|elapsed|duration|t[01]|start|end|pid|id)\b`)
)

// spreadClaim: equal executions, or two calls of one, give different results.
func spreadClaim(rd *reading) *oracle.Expectation {
	if !rd.script.prints() && lastAssert(rd.script.file) == 0 {
		return nil
	}
	inside, across := insideOne.MatchString(rd.prose), acrossRuns.MatchString(rd.prose)
	spread := &oracle.Spread{}
	left, right, compared := twins(rd)
	switch {
	case left != "" && (inside || compared && !across):
		spread.Within, spread.Left, spread.Right = true, left, right
	case inside && !across, !rd.script.prints():
		// Two calls of one execution are said to differ, but which two values of
		// the script that are cannot be told: no claim.
		return nil
	case ownChance(rd.script.source):
		return nil
	default:
		spread.Labels = steadyLabels(rd)
	}
	return &oracle.Expectation{Oracle: oracle.OracleSpread, Spread: spread}
}

var (
	// ownDraw takes from a generator of the whole process; fixesChance is any
	// word of a seed.
	ownDraw     = lazyre.New(`\b(?:torch\.(?:rand\w*|normal|bernoulli|multinomial)|(?:np|numpy|tf)\.random\.\w+|random\.(?:random|randint|randrange|uniform|choices?|shuffle|sample|gauss|normalvariate))\(`)
	fixesChance = lazyre.New(`(?i)seed|random_?state|PRNGKey|Generator|default_rng\(\s*[^\s)]`)
)

// ownChance: the script draws numbers and fixes no seed, so that no two of its
// executions are equal, whatever the package does.
func ownChance(source string) bool {
	return ownDraw.MatchString(source) && !fixesChance.MatchString(source)
}

// sameClaim: two values that the script computes in the same way "should be the
// same", although nobody speaks of chance.
func sameClaim(rd *reading, c claims) *oracle.Expectation {
	left, right, _ := twins(rd)
	if left == "" || !contains(c.relations, "equal") {
		return nil
	}
	e := &oracle.Expectation{
		Oracle:  oracle.OracleSpread,
		Symptom: symptom.Symptom{Kind: symptom.WrongValue},
		Spread:  &oracle.Spread{Within: true, Left: left, Right: right},
	}
	for _, st := range rd.r.Statements {
		if st.Kind == report.SaysRelation && st.Role == report.RoleExpected {
			e.Symptom.Start, e.Symptom.End = st.Span.Start, st.Span.End
			break
		}
	}
	return e
}

// twins are two global names that the script computes in the same way: the
// same text, but for names that are twins themselves. Those that the script
// compares come first, and compared says so; else it is the last pair. What
// comes from a generator with a state is no twin: its second value differs by
// design.
func twins(rd *reading) (left, right string, compared bool) {
	f := rd.script.file
	key := twinKeys(f)
	for _, c := range append(comparisons(f, false), append(comparisons(f, true), assertCalls(f)...)...) {
		if c.Op != "!=" && c.Left != c.Right && key[c.Left] != "" && key[c.Left] == key[c.Right] {
			return c.Left, c.Right, true
		}
	}
	byKey := map[string][]string{}
	for _, a := range f.Assigns {
		k := key[a.Target]
		if k == "" || contains(byKey[k], a.Target) {
			continue
		}
		if byKey[k] = append(byKey[k], a.Target); len(byKey[k]) == 2 {
			left, right = byKey[k][0], byKey[k][1]
		}
	}
	return left, right, false
}

var (
	identifiers = lazyre.New(`[A-Za-z_]\w*`)
	// drawsNext are calls that take the next value of a generator.
	drawsNext = lazyre.New(`\b(?:normal|rand\w*|uniform|choice|permutation|shuffle|sample|integers|next|standard_\w+|bernoulli|multinomial|read\w*|pop)\(`)
	// seedsItself is a value that fixes its own state.
	seedsItself = lazyre.New(`\b(?:seed|random_state|key|rng|generator)\s*=|\b(?:RandomState|default_rng|PRNGKey|manual_seed)\(\s*\d`)
)

// twinKeys gives each global name what it is computed from, in canonical names;
// names assigned more than once have none, since which value is meant depends
// on the place.
func twinKeys(f *pysyntax.File) map[string]string {
	keys, canon := map[string]string{}, map[string]string{}
	first := map[string]string{}
	place := map[int]int{}
	for _, a := range f.Assigns {
		if a.Kind != "name" || a.Scope != "" {
			continue
		}
		position := place[a.Line] // of several targets in one line
		place[a.Line]++
		if _, again := keys[a.Target]; again {
			keys[a.Target] = ""
			continue
		}
		keys[a.Target] = ""
		if a.Literal || !strings.Contains(a.Value, "(") || drawsNext.MatchString(a.Value) && !seedsItself.MatchString(a.Value) {
			continue
		}
		k := identifiers.ReplaceAllStringFunc(strings.Join(strings.Fields(a.Value), " "), func(name string) string {
			return firstOf(canon[name], name)
		}) + "#" + strconv.Itoa(position)
		keys[a.Target] = k
		if first[k] == "" {
			first[k] = a.Target
		}
		canon[a.Target] = first[k]
	}
	return keys
}

// steadyLabels are the labels of the printed lines that should be the same in
// each execution, when others show the clock; nil means all lines.
func steadyLabels(rd *reading) []string {
	var steady []string
	clock := false
	for _, p := range rd.script.file.Prints {
		if readsClock.MatchString(strings.Join(p.Reads, " ")) {
			clock = true
		} else if l := printLabel(p); l != "" && hasValue(p) {
			steady = append(steady, l)
		}
	}
	if !clock {
		return nil
	}
	return steady
}
