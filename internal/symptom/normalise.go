package symptom

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// rule rewrites what changes between machines and versions.
type rule struct {
	re   *lazyre.Regexp
	with string
}

// rules are applied in this order. Each was seen to differ between a report
// and a run of the same defect, or between two releases that both show it.
var rules = []rule{
	{lazyre.New("[`\u2018\u2019\u201a\u201c\u201d\u00b4\"]"), "'"},
	{lazyre.New(`''+`), "'"},
	{lazyre.New(`0x[0-9a-fA-F]+`), "ADDR"},
	// numpy 2 writes its scalars with their type, numpy 1 does not.
	{lazyre.New(`\b(?:np|numpy|jnp)\.(?:float|int|uint|complex|bool|str|bytes)\w*\(([^()]*)\)`), "$1"},
	{lazyre.New(`(?:[A-Za-z]:\\|\\\\)[^\s'")\]]+`), "PATH"},
	{lazyre.New(`(^|[\s'(\[=:,])(?:~|\.{1,3}|…)?(?:/[\w.+@-]+){2,}/?`), "${1}PATH"},
	// A module path may move between versions; the last name stays.
	{lazyre.New(`\b(?:[A-Za-z_]\w*\.)+([A-Za-z_<]\w*)`), "$1"},
	{lazyre.New(`\b[Cc]annot not\b|\b[Cc]an not\b|\b[Cc]an't\b`), "cannot"},
	{lazyre.New(`(?i)[.?]? ?did you mean:? .*$`), ""},
	{lazyre.New(`(?i)\[op:\w+\](?: name:.*)?$`), ""},
	// CPython's own wording changed: max() in 3.12, int() in 3.10.
	{lazyre.New(`\bmax\(\) (?:iterable argument is empty|arg is an empty sequence)`), "max() empty"},
	{lazyre.New(`\bmin\(\) (?:iterable argument is empty|arg is an empty sequence)`), "min() empty"},
	{lazyre.New(`\ba real number\b`), "a number"},
	{lazyre.New(`\b\d+(?:x\d+)+\b`), "N"},
	// Digits as a class; sequences of sizes too, whatever their length.
	{lazyre.New(`[-+]?\b\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?\b`), "N"},
	{lazyre.New(`([(\[])\s*(?:N|None|\?)(?:\s*,\s*(?:N|None|\?))*\s*,?\s*([)\]])`), "${1}N${2}"},
	{lazyre.New(`\s+`), " "},
}

// Normalise reduces one line of a message to what is stable across machines,
// releases and ways of quoting.
func Normalise(s string) string {
	for _, r := range rules {
		s = r.re.ReplaceAllString(s, r.with)
	}
	return strings.TrimRight(strings.TrimSpace(s), ".!,;: ")
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

// SameFatalLine compares native log lines with digits and paths masked.
func SameFatalLine(expected, observed string) bool {
	a, b := Normalise(expected), Normalise(observed)
	return a == b || fragment(a) && wordsIn(b, a)
}
