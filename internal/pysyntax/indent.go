package pysyntax

// indentation reports what the grammar forgives: statements of one block at
// different columns, and a body that is not deeper than its header.
func (c *collector) indentation(root *node) {
	root.walk(func(n *node) bool {
		if n.kind != "module" && n.kind != "block" {
			return true
		}
		if n.kind == "block" && n.start == n.end {
			c.indentError(n, "expected an indented block")
			return false
		}
		column, line := -1, 0
		if n.kind == "module" {
			column = 0
		}
		for _, k := range n.namedKids() {
			switch {
			case k.kind == "ERROR", k.line == line, !c.beginsLine(k):
			case column < 0:
				column = k.col
				if n.parent != nil && column <= c.column(n.parent) {
					c.indentError(k, "expected an indented block")
				}
			case k.col != column:
				c.indentError(k, "unexpected indentation")
			}
			line = k.endLine
		}
		return true
	})
}

// beginsLine: only blanks stand before n on its line.
func (c *collector) beginsLine(n *node) bool {
	for i := n.start - 1; i >= 0 && c.src[i] != '\n'; i-- {
		if c.src[i] != ' ' && c.src[i] != '\t' && c.src[i] != '\f' {
			return false
		}
	}
	return true
}

// column of the line on which n begins: else and except stand deeper in the
// tree than in the text.
func (c *collector) column(n *node) int {
	begin := n.start
	for begin > 0 && c.src[begin-1] != '\n' {
		begin--
	}
	indent := 0
	for begin+indent < n.start && (c.src[begin+indent] == ' ' || c.src[begin+indent] == '\t') {
		indent++
	}
	return indent
}

func (c *collector) indentError(n *node, text string) {
	if len(c.f.SyntaxErrors) < maxErrors {
		c.f.SyntaxErrors = append(c.f.SyntaxErrors, SyntaxError{Line: n.line, Col: n.col, Text: text})
	}
}
