package inert

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown is a text as one line of words in a page of GitHub's Markdown: a
// heading, an item, a cell of a table, a paragraph. What the reader sees is Line
// of the text, and none of it is a link, a picture, a mention or markup. What
// Markdown itself would read is escaped; what a tracker brings to life in the
// finished page, where no escape is left (a mention, a reference, an address), is
// code, in which it looks for nothing.
func Markdown(s string) string {
	words := strings.Fields(Line(s))
	for i, w := range words {
		words[i] = cells(w, func(part string) string {
			if alive.MatchString(part) {
				return span(part)
			}
			return escape(part)
		})
	}
	if len(words) > 0 {
		words[0] = begin(words[0])
	}
	return strings.Join(words, " ")
}

// Code is a name or a value as a span of code, good wherever Markdown is. Empty
// words stay empty: two backticks alone would be the beginning of a span.
func Code(s string) string { return cells(Line(s), span) }

// Fence is a text of many lines as a block of code in a language, ended by no
// line of its own.
func Fence(s, language string) string {
	s = strings.TrimRight(Text(s), "\n")
	f := strings.Repeat("`", max(3, longest(s)+1))
	return f + language + "\n" + s + "\n" + f
}

// cells treats the parts of a word between upright bars, which end the cell of a
// table even inside of code.
func cells(s string, treat func(string) string) string {
	parts := strings.Split(s, "|")
	for i, part := range parts {
		if part != "" {
			parts[i] = treat(part)
		}
	}
	return strings.Join(parts, `\|`)
}

// span is fenced by more backticks than stand in it anywhere.
func span(s string) string {
	if strings.Trim(s, " ") == "" {
		return s
	}
	f := strings.Repeat("`", longest(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " " // Markdown takes these two away again
	}
	return f + s + f
}

// longest is the length of the longest run of backticks.
func longest(s string) int {
	most, n := 0, 0
	for _, c := range s {
		if n++; c != '`' {
			n = 0
		}
		most = max(most, n)
	}
	return most
}

// alive is what GitHub looks for in the text of a finished page: mentions and
// addresses of mail (@), references (#1, GH-1, owner/repo#1, and JIRA-1 where a
// repository has set it up), commits, links without markup, emoji and formulas;
// and the commands that bots take at the beginning of a line (/close).
// Source: GitHub's "Autolinked references and URLs", "Basic writing and
// formatting syntax" and "Writing mathematical expressions".
var alive = regexp.MustCompile(`[@#$]|://|^/|\b[A-Z][A-Z0-9]*-[0-9]|:[A-Za-z0-9_+-]+:|(?i:www\.|mailto:|xmpp:|\bgh-[0-9]|\b[0-9a-f]{7,40}\b)`)

// escape is a word without what Markdown would read in it. An underscore between
// letters is none of that.
func escape(s string) string {
	var b strings.Builder
	var before rune
	for i, c := range s {
		if strings.ContainsRune("\\`*[]<&~", c) || c == '_' && !(wordy(before) && wordy(after(s[i+1:]))) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
		before = c
	}
	return b.String()
}

func wordy(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

func after(s string) rune {
	c, _ := utf8.DecodeRuneInString(s)
	return c
}

// begin escapes what is markup at the beginning of a block only: a list, a
// quotation, the line below a heading, the rule of a table.
func begin(word string) string {
	if m := ordinal.FindStringIndex(word); m != nil {
		return word[:m[1]-1] + `\` + word[m[1]-1:]
	}
	if strings.ContainsAny(word[:1], `>-+=:`) {
		return `\` + word
	}
	return word
}

// ordinal opens a numbered list.
var ordinal = regexp.MustCompile(`^[0-9]{1,9}[.)]$`)
