package symptom

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// rule rewrites what changes between machines and versions.
type rule struct {
	hint hint // nil: always
	re   *lazyre.Regexp
	with string
}

// rules are applied in this order: what needs the text as written (quotes,
// node names, types) before paths, paths before module names, all of them
// before digits become one sign. Each was seen to differ between a report
// and a run of the same defect, or between two releases that both show it.
var rules = []rule{
	{nil, lazyre.New("[`\u2018\u2019\u201a\u201c\u201d\u00b4\"]"), "'"},
	{hasAny("''"), lazyre.New(`''+`), "'"},
	// TensorFlow names the wrapper, the node and the traced graph, each with
	// numbers of the session; releases differ in whether they do.
	{hasAny("{{function_node"), lazyre.New(`\{\{function_node [^}]*\}\}\s*`), ""},
	{hasAny("[["), lazyre.New(`\s*\[\[(?:\{\{)?node [^\]]*\]\]`), ""},
	{hasAny("__inference_"), lazyre.New(`__inference_\w+`), "GRAPH"},
	{hasAny("/job:"), lazyre.New(`/job:\S+?/device:(\w+):\d+`), "$1"},
	{hasAny("cuda:", "pu:", "PU:", "mps:"), lazyre.New(`\b(cuda|cpu|gpu|mps|xpu|tpu|CPU|GPU|TPU):\d+\b`), "$1"},
	// Keras numbers its layers by how many came before in the session.
	{hasAny("layer", "node", "model"), lazyre.New(`\b(layer|node|model) '?([A-Za-z]\w*?)_\d+\b'?`), "$1 '$2'"},
	{hasAny("_input"), lazyre.New(`\b([a-z]\w*?)_\d+_input\b`), "${1}_input"},
	{hasAny("-"), lazyre.New(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "ID"},
	{hasAny("torch_"), lazyre.New(`\btorch_\d+_\d+_\d+\b`), "torch_ID"},
	// How an array type is written: dtype('float32'), <dtype: 'float32'>,
	// dtype=float32; and numpy 2 dropped the underscore of its scalar types.
	{hasAny("dtype"), lazyre.New(`<dtype: '(\w+)'>|\bdtype\('(\w+)'\)`), "$1$2"},
	{hasAny("_"), lazyre.New(`\b(True|False|bool|int|float|str|complex|object)_\b`), "$1"},
	{hasAny("Size(", "Shape("), lazyre.New(`\b(?:Size|TensorShape)\((\[[^\]]*\])\)`), "($1)"},
	{hasAny("(["), lazyre.New(`\(\[([^\]]*)\]\)`), "($1)"},
	{hasAny("0x"), lazyre.New(`0x[0-9a-fA-F]+`), "ADDR"},
	// numpy 2 writes its scalars with their type, numpy 1 does not.
	{hasAny("np.", "numpy."), lazyre.New(`\b(?:np|numpy|jnp)\.(?:float|int|uint|complex|bool|str|bytes)\w*\(([^()]*)\)`), "$1"},
	{hasAny("\\"), lazyre.New(`(?:[A-Za-z]:\\|\\\\)[^\s'")\]]+`), "PATH"},
	{hasAny("/"), lazyre.New(`(^|[\s'(\[=:,])(?:~|\.{1,3}|…)?(?:/[\w.+@-]+){2,}/?`), "${1}PATH"},
	// A module path may move between versions; the last name stays.
	{hasAny("."), lazyre.New(`\b(?:[A-Za-z_]\w*\.)+([A-Za-z_<]\w*)`), "$1"},
	{hasAny("an"), lazyre.New(`\b[Cc]annot not\b|\b[Cc]an not\b|\b[Cc]an't\b`), "cannot"},
	{hasAny("you mean"), lazyre.New(`(?i)[.?]? ?did you mean:? .*$`), ""},
	{hasAny("[op:", "[Op:"), lazyre.New(`(?i)\[op:\w+\](?: name:.*)?$`), ""},
	{hasAny("erhaps you", "aybe you"), lazyre.New(`(?i)\. (?:perhaps you forgot|maybe you meant) .*$`), ""},
	{hasAny(", line "), lazyre.New(` \([^()]*, line \d+\)$`), ""},
	{hasAny("partially"), lazyre.New(`from partially initialized module ('[\w.]+') \(most likely due to a circular import\)`), "from $1"},
	{hasAny(" ("), lazyre.New(` \((?:PATH|unknown location)\)$`), ""},
	{hasAny("attribute", "no setter"), lazyre.New(`(?:can't|cannot) set attribute\b.*|property '\w+' of '\w+' object has no setter`), "no setter"},
	// CPython's own wording changed: max() in 3.12, int() in 3.10.
	{hasAny("max()"), lazyre.New(`\bmax\(\) (?:iterable argument is empty|arg is an empty sequence)`), "max() empty"},
	{hasAny("min()"), lazyre.New(`\bmin\(\) (?:iterable argument is empty|arg is an empty sequence)`), "min() empty"},
	{hasAny("a real"), lazyre.New(`\ba real number\b`), "a number"},
	{hasDigit, lazyre.New(`\b\d+(?:x\d+)+\b`), "N"},
	// numpy prints 1.0 as "1.".
	{hasDigit, lazyre.New(`(\d)\.([\s,\])]|$)`), "$1$2"},
	{hasDigit, lazyre.New(`\b\d+(?:\.\d+)? (?:[KMGTP]i?B|[Bb]ytes)\b`), "N bytes"},
	// Digits as a class; sequences of sizes too, whatever their length.
	{hasDigit, lazyre.New(`[-+]?\b\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?\b`), "N"},
	{hasAny("(", "["), lazyre.New(`([(\[])\s*(?:N|None|\?)(?:[\s,]+(?:N|None|\?))*\s*,?\s*([)\]])`), "${1}N${2}"},
	{hasAny("N, N"), lazyre.New(`\bN(?:, N)+\b`), "N"},
	{nil, lazyre.New(`\s+`), " "},
}

// Normalise reduces one line of a message to what is stable across machines,
// releases and ways of quoting.
func Normalise(s string) string {
	s = missingModule(plainText(s))
	for _, r := range rules {
		if r.hint != nil && !r.hint(s) {
			continue
		}
		s = r.re.ReplaceAllString(s, r.with)
	}
	return strings.TrimRight(strings.TrimSpace(s), ".!,;: ")
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

var noModule = lazyre.New(`(No module named )['"]?([\w.]+)`)

// missingModule keeps the whole name of a module that is missing, which is the
// point of that message, by writing it with slashes.
func missingModule(s string) string {
	m := noModule.FindStringSubmatchIndex(s)
	if m == nil {
		return s
	}
	return s[:m[4]] + strings.ReplaceAll(strings.TrimRight(s[m[4]:m[5]], "."), ".", "/") + s[m[5]:]
}

// sentence cuts a normalised message behind its leading sentence. Below
// minSentence characters a sentence says too little to stand for the rest.
func sentence(s string) string {
	const minSentence = 16 // guess: "Invalid value. ..." needs its second half
	for from := 0; from < len(s); {
		i := strings.Index(s[from:], ". ")
		if i < 0 {
			return s
		}
		if from+i >= minSentence {
			return s[:from+i]
		}
		from += i + 2
	}
	return s
}

// sameMessage compares messages by their stable part and says why.
func sameMessage(expected, observed string) (equal bool, why string) {
	want := firstLine(expected)
	switch {
	case want == "":
		return true, "no message was stated"
	case strings.Contains(want, "...") || strings.Contains(want, "…"):
		if inOrder(pieces(want), Normalise(flat(observed))) {
			return true, "stated in part"
		}
	}
	a, b := Normalise(want), Normalise(firstLine(observed))
	// "Error(s) in loading state_dict for Net:" says nothing without the line
	// below it; when both sides have one it counts.
	if more, moreObserved := secondLine(expected), secondLine(observed); a == b && more != "" && moreObserved != "" && opens(want) {
		if Normalise(more) != Normalise(moreObserved) {
			return false, "the line below says something else"
		}
		return true, ""
	}
	switch {
	case a == b:
		return true, ""
	case a == "" || b == "":
		return false, ""
	case sentence(a) == sentence(b) && len(sentence(a)) >= 8:
		return true, "same leading sentence"
	case fragment(a) && wordsIn(Normalise(flat(observed)), a):
		return true, "the stated text is part of the message"
	}
	return false, ""
}

// opens says whether a first line only introduces the next.
func opens(first string) bool {
	return strings.HasSuffix(strings.TrimSpace(first), ":") || validation.MatchString(first)
}

var validation = lazyre.New(`^\d+ validation errors? for `)

// secondLine is the first line with text below the first one.
func secondLine(s string) string {
	seen := false
	for l := range strings.SplitSeq(s, "\n") {
		if t := strings.TrimSpace(l); t != "" {
			if seen {
				return t
			}
			seen = true
		}
	}
	return ""
}

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// pieces are the parts of a statement between its dots.
func pieces(s string) []string {
	var out []string
	for p := range strings.SplitSeq(strings.ReplaceAll(s, "…", "..."), "...") {
		if p = Normalise(strings.Trim(p, ".")); p != "" {
			out = append(out, p)
		}
	}
	return out
}

func inOrder(parts []string, s string) bool {
	if len(parts) == 0 || len(strings.Join(parts, "")) < 8 {
		return false
	}
	for _, p := range parts {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return true
}

// fragment says whether a text is long enough to be looked for inside another:
// two words and eight characters (guess; "is not" would be in half of all).
func fragment(s string) bool { return len(s) >= 8 && strings.Contains(s, " ") }

// wordsIn looks for part at word boundaries of s.
func wordsIn(s, part string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], part)
		if i < 0 {
			return false
		}
		i += from
		if !wordAt(s, i-1) && !wordAt(s, i+len(part)) {
			return true
		}
		from = i + 1
	}
}

func wordAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '_' || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z')
}

// heapCheck is what glibc says when it finds the heap damaged. Which of its checks
// finds it depends on what lay next to the damage, on another machine and in
// another run: "corrupted size vs. prev_size" here is "free(): invalid next size"
// there.
var heapCheck = lazyre.New(`^\s*(?:double free or corruption|(?:free|malloc|realloc|munmap_chunk)\(\): \S|corrupted (?:size|double))`)

// SameFatalLine compares native log lines with digits and paths masked.
func SameFatalLine(expected, observed string) bool {
	if heapCheck.MatchString(expected) && heapCheck.MatchString(observed) {
		return true
	}
	a, b := Normalise(expected), Normalise(observed)
	return a == b || fragment(a) && wordsIn(b, a)
}
