package pysyntax

import "strings"

// wide are characters that input methods of East Asian scripts and word
// processors write for Python's own, and blanks that nobody sees.
var wide = strings.NewReplacer(
	"（", "(", "）", ")", "［", "[", "］", "]", "｛", "{", "｝", "}", "，", ",", "：", ":", "；", ";", "＝", "=",
	"＋", "+", "．", ".", "＊", "*", "　", " ", "–", "-", "—", "-", "−", "-",
	"\u200c", "", "\u200d", "", "\u2060", "", "\u2009", " ", "\u2002", " ", "\u2003", " ", "\u00ad", "",
)

// wideCharacters replaces them outside strings and comments, where they are data.
func wideCharacters(src string, _ *File) (string, []Fix) {
	lines := strings.Split(src, "\n")
	fixed := make([]string, len(lines))
	var lx lexer
	for i, line := range lines {
		fixed[i] = lx.outside(line, wide.Replace)
	}
	return strings.Join(fixed, "\n"), inLines(lines, fixed, "quotes", "typographic characters are no Python")
}

// outside maps the code of one line and leaves strings and comments alone.
func (lx *lexer) outside(s string, change func(string) string) string {
	var out strings.Builder
	at := 0
	flush := func(to int, code bool) {
		if code {
			out.WriteString(change(s[at:to]))
		} else {
			out.WriteString(s[at:to])
		}
		at = to
	}
	for i := 0; i < len(s); i++ {
		switch {
		case lx.quote != "" && s[i] == '\\':
			i++
		case lx.quote != "" && strings.HasPrefix(s[i:], lx.quote):
			i += len(lx.quote) - 1
			lx.quote = ""
			flush(i+1, false)
		case lx.quote != "":
		case s[i] == '#':
			flush(i, true)
			flush(len(s), false)
			return out.String()
		case s[i] == '"' || s[i] == '\'':
			flush(i, true)
			lx.quote = s[i : i+1]
			if triple := strings.Repeat(lx.quote, 3); strings.HasPrefix(s[i:], triple) {
				lx.quote, i = triple, i+2
			}
		}
	}
	flush(len(s), lx.quote == "")
	if len(lx.quote) == 1 && !strings.HasSuffix(s, `\`) {
		lx.quote = ""
	}
	return out.String()
}
