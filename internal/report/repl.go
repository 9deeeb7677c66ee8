package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// inPrompt: ">>> x", "In [3]: x", and "In[3]: x" of an editor's console.
	inPrompt = lazyre.New(`^(\s*)(?:>>> ?|In ?\[\d*\]: ?)`)
	// contPrompt: "... x", "   ...: x", " ... : x".
	contPrompt = lazyre.New(`^\s*(?:\.\.\. : ?|\.\.\.:? ?| *\.\.\.+: ?)`)
	// outPrompt: "Out[3]: x".
	outPrompt = lazyre.New(`^\s*Out\[\d*\]: ?`)
)

// cells cuts a transcript at its prompts. What stands before the first prompt
// is no cell. The prompts are stripped, the printed lines kept as they are.
func (b *blk) cells(text string) []Cell {
	var out []Cell
	var cur *cellBuilder
	flush := func() {
		if cur != nil {
			out = append(out, cur.cell())
		}
	}
	for _, l := range b.lines {
		t := text[l.start:l.end]
		m := inPrompt.FindStringIndex(t)
		switch {
		case m != nil && strings.TrimSpace(t[m[1]:]) == "" && cur != nil && strings.TrimSpace(t) == ">>>":
			flush() // an empty prompt ends the cell before it
			cur = nil
		case m != nil:
			flush()
			cur = &cellBuilder{start: l.start, end: l.end, code: []string{t[m[1]:]}, notebook: strings.Contains(t[:m[1]], "In")}
		case cur != nil:
			cur.line(t, l.end)
		}
	}
	flush()
	return out
}

type cellBuilder struct {
	start, end int
	code, out  []string
	notebook   bool
}

// line adds a line to the cell: code that goes on, or output.
func (c *cellBuilder) line(t string, end int) {
	bare := c.notebook && c.code[0] == "" && len(c.out) == 0
	switch {
	case bare && strings.TrimSpace(t) != "" && !outPrompt.MatchString(t):
		c.code = append(c.code, t) // a saved notebook: the code stands below the prompt
	case len(c.out) == 0 && contPrompt.MatchString(t):
		c.code = append(c.code, t[len(contPrompt.FindString(t)):])
	case len(c.out) == 0 && strings.TrimSpace(t) == "...":
		c.code = append(c.code, "")
	case outPrompt.MatchString(t):
		c.out = append(c.out, t[len(outPrompt.FindString(t)):])
	case c.notebook && strings.TrimSpace(t) == "" && len(c.out) == 0:
		return
	default:
		c.out = append(c.out, t)
	}
	if strings.TrimSpace(t) != "" {
		c.end = end
	}
}

// cell is what was collected.
func (c *cellBuilder) cell() Cell {
	return Cell{
		Code:   strings.Trim(strings.TrimRight(strings.Join(c.code, "\n"), " \n"), "\n"),
		Output: strings.TrimRight(strings.Join(c.out, "\n"), " \n"),
		Span:   Span{c.start, c.end},
	}
}

// cellsCode is the transcript's code without prompts and output.
func cellsCode(cells []Cell) string {
	var parts []string
	for _, c := range cells {
		parts = append(parts, c.Code)
	}
	return strings.Join(parts, "\n")
}
