package ask

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Uncommented leaves out the HTML comments of a Markdown text that stand
// outside of its code: whoever reads the rendered report does not see them, so
// they are no part of what the reporter says, and a text that only a model sees
// is there for a reason. A comment that does not end stays.
func Uncommented(text string) (string, []Hidden) {
	var out strings.Builder
	var hidden []Hidden
	at := 0
	for _, c := range Comments(text) {
		said := strings.TrimSpace(text[c[0]+len("<!--") : c[1]-len("-->")])
		fmt.Fprintf(&out, "%s[a hidden comment of %d characters]", text[at:c[0]], utf8.RuneCountInString(said))
		hidden = append(hidden, Hidden{Kind: "comment", Text: OneLine(said, maxHidden)})
		at = c[1]
	}
	if at == 0 {
		return text, nil
	}
	return out.String() + text[at:], hidden
}

// Comments are the places of those comments, as half-open byte ranges.
func Comments(text string) [][2]int {
	if !strings.Contains(text, "<!--") {
		return nil
	}
	var found [][2]int
	code := codeFence{}
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		open := strings.Index(line, "<!--")
		if code.line(line) || open < 0 || strings.Count(line[:open], "`")%2 == 1 {
			at += len(line) + 1
			continue
		}
		inside := at + open + len("<!--")
		end := strings.Index(text[inside:], "-->")
		if end < 0 {
			break
		}
		found = append(found, [2]int{at + open, inside + end + len("-->")})
		at = inside + end + len("-->")
	}
	return found
}

// codeFence follows the fenced code of a Markdown text from line to line.
type codeFence struct{ mark string }

// line says whether a line belongs to fenced code, its fences included.
func (c *codeFence) line(line string) bool {
	trimmed := strings.TrimLeft(line, " ")
	if c.mark != "" {
		rest, ok := strings.CutPrefix(trimmed, c.mark)
		if ok && strings.Trim(rest, c.mark[:1]+" \t") == "" {
			c.mark = ""
		}
		return true
	}
	if len(line)-len(trimmed) > 3 {
		return false
	}
	for _, mark := range []string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, mark))
		if n >= 3 && !(mark == "`" && strings.Contains(trimmed[n:], "`")) {
			c.mark = strings.Repeat(mark, n)
			return true
		}
	}
	return false
}
