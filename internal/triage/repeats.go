package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// wholeLines: the complaint is about a message, not about a value in it.
	wholeLines = lazyre.New(`(?i)\b(?:print(?:s|ed)?|log(?:s|ged)?|shown?|displayed|emitted|output|messages?|lines?|warnings?|outputs?)\b`)
	quotedText = lazyre.New("`([^`\n]{3,80})`|\"([^\"\n]{3,80})\"")
)

// repeatsClaim: "the same grid point is evaluated twice", "it is printed twice".
// The lines of the family are those that one print of the script writes again
// and again; without such a print nothing would show that something repeats.
//
// "Evaluated twice" is about values in like lines (Like), "the message is
// printed twice" about equal lines (Lines), "`ids` holds duplicates" about the
// elements of one name (Name).
func repeatsClaim(rd *reading) *oracle.Expectation {
	claim := func(r oracle.Repeats) *oracle.Expectation {
		return &oracle.Expectation{Oracle: oracle.OracleDuplicates, Repeats: &r}
	}
	for _, sentence := range sentencesOn(rd, symptom.Duplicates) {
		if name := targetIn(rd, sentence); name != "" {
			return claim(oracle.Repeats{Name: name})
		}
		if !wholeLines.MatchString(sentence) {
			continue
		}
		// The quoted text must be one that the script can show.
		for _, m := range quotedText.FindAllStringSubmatch(sentence, 4) {
			if text := m[1] + m[2]; inPrints(rd.script.file, text) {
				return claim(oracle.Repeats{Like: text, Lines: true})
			}
		}
	}
	if like := repeatedLabel(rd); like != "" {
		return claim(oracle.Repeats{Like: like})
	}
	return nil
}

// inPrints: one of the strings that the script prints holds the text.
func inPrints(f *pysyntax.File, text string) bool {
	for _, p := range f.Prints {
		if strings.Contains(strings.Join(p.Args, " "), text) {
			return true
		}
	}
	return false
}

// repeatedLabel is the text before the values of the only print that is reached
// more than once; where there are several, the one whose label the prose uses.
// Two families and no word of the prose give none: in the wrong one, values
// repeat on every release.
func repeatedLabel(rd *reading) string {
	var labels []string
	for _, p := range rd.script.file.Prints {
		l := printLabel(p)
		if l != "" && hasValue(p) && repeated(rd.script.file, p) && !contains(labels, l) {
			labels = append(labels, l)
		}
	}
	if len(labels) == 1 {
		return labels[0]
	}
	found := ""
	for _, l := range labels {
		word := strings.Trim(l, " =:")
		if strings.Contains(rd.prose, word+"=") || strings.Contains(rd.prose, word+" =") || strings.Contains(rd.prose, "`"+word+"`") {
			if found != "" {
				return ""
			}
			found = l
		}
	}
	return found
}

// repeated: the print stands in a function or a loop.
func repeated(f *pysyntax.File, p pysyntax.Print) bool {
	if p.Scope != "" {
		return true
	}
	for _, s := range f.Statements {
		if (s.Kind == "for" || s.Kind == "while") && p.Line > s.Line && p.Line <= s.EndLine {
			return true
		}
	}
	return false
}

// printLabel is the text that a print writes before its first value.
func printLabel(p pysyntax.Print) string {
	if len(p.Args) == 0 {
		return ""
	}
	arg := strings.TrimLeft(p.Args[0], "rbuRBUfF")
	if arg == "" || strings.IndexByte(`"'`, arg[0]) < 0 {
		return ""
	}
	body := strings.Trim(arg, `"'`)
	// What follows a replacement field, a format or an escape is no label.
	if i := strings.IndexAny(body, `{%\`); i >= 0 {
		body = body[:i]
	} else if len(p.Args) == 1 && !strings.Contains(arg, " % ") {
		return "" // a constant line
	}
	return strings.TrimSpace(body)
}

// hasValue: the print shows something that is no literal.
func hasValue(p pysyntax.Print) bool {
	for _, arg := range p.Args {
		if !plainString.MatchString(arg) {
			return true
		}
	}
	return false
}
