package sections

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/agent/ask"
	"github.com/repgen/repgen/internal/codebase"
)

// maxCode caps the code context; the search's own budget is larger, because a
// person reads it too.
const maxCode = 4000

// Module is the code of one file that the report is about: the best pieces, the
// training loop, then what they need. A nil module gives an empty section.
func Module(m *codebase.Module) ask.Section {
	s := ask.Section{Name: "Code of the release that the report is about", Priority: 3, Max: maxCode}
	if m == nil {
		return s
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", m.Path)
	if m.Loop != nil {
		piece(&b, fmt.Sprintf("lines %d-%d, a training loop", m.Loop.StartLine, m.Loop.EndLine), m.Loop.Text, m.Loop.Cut)
	}
	for _, c := range m.Chunks {
		name := c.Chunk.Name
		if name == "" {
			name = "module"
		}
		piece(&b, fmt.Sprintf("lines %d-%d, %s", c.Chunk.StartLine, c.Chunk.EndLine, name), c.Text, c.Cut)
	}
	for _, d := range m.Dependencies {
		piece(&b, fmt.Sprintf("needed: %s of %s", d.Name, d.Path), d.Text, d.Cut)
	}
	s.Text = b.String()
	return s
}

func piece(b *strings.Builder, head, text string, cut bool) {
	fmt.Fprintf(b, "\n# %s\n%s\n", head, strings.TrimRight(text, "\n"))
	if cut {
		b.WriteString("# ... its end is left out\n")
	}
}
