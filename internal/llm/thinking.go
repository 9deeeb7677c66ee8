package llm

import (
	"regexp"
	"strings"
)

// thinks opens what a model thinks aloud, at the start of an answer.
var thinks = regexp.MustCompile(`^\s*<(think|thinking|thought|reasoning)>`)

// thoughtEnds stands at the end of the thoughts, thoughtsEnd where a server left
// the opening tag out: a script may well hold such a tag in a string.
var thoughtEnds = regexp.MustCompile(`</(think|thinking|thought|reasoning)>`)

var thoughtsEnd = regexp.MustCompile(`(?m)^[^\n<` + "`" + `]*</(think|thinking|thought|reasoning)>`)

// withoutThinking takes a model's thinking aloud from the start of an answer,
// for it holds drafts. An answer that ends within leaves nothing, and thought
// says why.
func withoutThinking(text string) (rest string, thought bool) {
	text = strings.TrimPrefix(text, "\uFEFF")
	if !strings.Contains(text, "</") && !thinks.MatchString(text) {
		return text, false // as nearly always
	}
	opened, ends := thinks.MatchString(text), thoughtsEnd
	if opened {
		ends = thoughtEnds
	}
	if end := ends.FindStringIndex(text); end != nil {
		return text[end[1]:], true
	}
	if opened {
		return "", true
	}
	return text, false
}
