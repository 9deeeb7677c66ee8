package report

import "strings"

// pastedStrings reads output that was pasted into the script as a string that
// nothing uses, below a comment that says so, or with that label as its first
// line:
//
//	print(f(x))
//	# Output
//	"""
//	[1, 5]
//	"""
func (p *parser) pastedStrings(i int, all []comment) {
	open := ""
	for k := 0; k < len(p.blks[i].lines); k++ {
		t := p.lineOf(i, k)
		quote := t[:min(len(t), 3)]
		if open != "" || quote != `"""` && quote != "'''" { // an indented one is a docstring
			open = stringAfter(t, open)
			continue
		}
		run, end := p.stringBody(i, k, quote)
		if end < 0 {
			return // never closed: no string
		}
		role, first := p.labelAbove(i, k, all)
		if role == "" && len(run) > 0 {
			if role = labelRole(p.text[run[0].start:run[0].end]); role != "" {
				run = run[1:]
			}
		}
		if role != "" && len(run) <= maxLines {
			p.pastedRun(i, role, run, first)
		}
		k = end
	}
}

// lineOf is line k of a block as it stands.
func (p *parser) lineOf(i, k int) string {
	l := p.blks[i].lines[k]
	return strings.TrimRight(p.text[l.start:l.end], " \t\r\n")
}

// stringBody are the lines of the string that opens line k, and the line that
// closes it; -1 when none does.
func (p *parser) stringBody(i, k int, quote string) (run []comment, end int) {
	lines := p.blks[i].lines
	for n := k; n < len(lines); n++ {
		s := trimmed(p.text, Span{lines[n].start, lines[n].end})
		if n == k {
			s.Start += len(quote)
		}
		closed := strings.Index(p.text[s.Start:s.End], quote)
		if closed >= 0 {
			s.End = s.Start + closed
		}
		if s = trimmed(p.text, s); s.End > s.Start {
			run = append(run, comment{n, s.Start, s.End, false})
		}
		if closed >= 0 {
			return run, n
		}
	}
	return nil, -1
}

// labelAbove is what the comment right above line k says of the string there,
// and that comment; without one, the place of the string.
func (p *parser) labelAbove(i, k int, all []comment) (Role, comment) {
	n := k - 1
	for n >= 0 && p.lineOf(i, n) == "" {
		n--
	}
	for _, c := range all {
		if c.line == n && !c.trailing {
			return labelRole(p.text[c.start:c.end]), c
		}
	}
	return "", comment{line: k}
}

// labelRole is the side that a label names ("## Outputs:"), "" for other words.
func labelRole(text string) Role {
	text = strings.Trim(text, " \t#-=*")
	switch {
	case labelWanted.MatchString(text):
		return RoleExpected
	case labelCame.MatchString(text):
		return RoleActual
	}
	return ""
}

// stringAfter is the quote of the string over several lines that is open behind
// the line, "" for none.
func stringAfter(t, open string) string {
	for at := 0; at+3 <= len(t); at++ {
		switch q := t[at : at+3]; {
		case open == "" && (q == `"""` || q == "'''"):
			open, at = q, at+2
		case open != "" && q == open:
			open, at = "", at+2
		}
	}
	return open
}
