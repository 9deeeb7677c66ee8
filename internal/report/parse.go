package report

import (
	"fmt"
	"strings"
	"time"
)

// parse reads normalised text in a fixed order; each step uses only what the
// steps before it left in the parser.
func parse(raw []byte, issue Issue, src Source) *Report {
	text, notes := normalise(raw)
	p := &parser{r: &Report{Source: src, Notes: append(issue.Notes, notes...)}}
	p.compose(text, issue)
	p.r.Text = p.text
	p.prose = []byte(p.text)
	p.lines = splitLines(p.text)
	p.inBlock = make([]int, len(p.lines))
	for i := range p.inBlock {
		p.inBlock[i] = -1
	}
	p.scan()
	p.readFront()
	p.readTracker(issue)
	p.readSections()
	p.limitProse()
	p.plain = plainOf(string(p.prose))
	p.lower = lowered(p.plain)
	p.readBlocks()
	p.main = p.findSubject()
	p.readVersions()
	p.readEnv()
	p.readPlatform()
	p.readTracebacks()
	p.readStatements()
	p.finish()
	return p.r
}

// compose appends the comments under headings of ours and remembers where they
// begin: what others wrote is never the reporter's statement.
func (p *parser) compose(text string, issue Issue) {
	p.text, p.replies = text, len(text)
	if len(issue.Comments) == 0 {
		return
	}
	var b strings.Builder
	b.WriteString(text)
	for i, c := range issue.Comments[:min(len(issue.Comments), MaxComments)] {
		body, _ := normalise([]byte(c.Body))
		head := replyHead(i+1, c.Reporter)
		if c.Reporter {
			p.own = append(p.own, Span{b.Len(), b.Len() + len(head) + len(strings.TrimSpace(body))})
		}
		if b.Len()+len(head)+len(body) > MaxSize {
			p.note(fmt.Sprintf("only the first %d comments fit", i))
			break
		}
		b.WriteString(head + strings.TrimSpace(body))
	}
	p.text = b.String()
}

// inReply says whether the position lies in the thread below the report.
func (p *parser) inReply(pos int) bool { return pos >= p.replies && p.replies < len(p.text) }

// ownReply says whether it lies in a reply by the reporter.
func (p *parser) ownReply(pos int) bool {
	for _, s := range p.own {
		if pos >= s.Start && pos < s.End {
			return true
		}
	}
	return false
}

// readTracker takes over what only a tracker knows.
func (p *parser) readTracker(issue Issue) {
	if issue.Repo != "" {
		p.r.Repo = issue.Repo
	}
	p.r.Labels = append(p.r.Labels, issue.Labels...)
	if !issue.Created.IsZero() {
		p.r.Created = issue.Created.UTC()
	}
}

// limitProse blanks the prose after the part that is searched for facts.
func (p *parser) limitProse() {
	if len(p.prose) <= maxProse {
		return
	}
	seen := 0
	for i, c := range p.prose {
		if c != ' ' && c != '\n' {
			seen++
		}
		if seen > maxProse {
			p.note(fmt.Sprintf("facts were read from the first %d bytes of prose only", seen))
			p.blank(i, len(p.prose))
			return
		}
	}
}

// finish adds the notes that sum up, and gives the worst report its title.
func (p *parser) finish() {
	if p.dropped > 0 {
		p.note(fmt.Sprintf("%d blocks after the first %d were not read", p.dropped, MaxBlocks))
	}
	if n := len(p.hidden); n > 0 {
		p.note(fmt.Sprintf("%d HTML comments were dropped", n))
	}
	if p.pictures > 0 {
		p.note(fmt.Sprintf("%d pictures were not read", p.pictures))
	}
	if strings.TrimSpace(p.r.Title) == "" {
		p.r.Title, p.r.TitleSpan = "(no title)", Span{}
	}
}

// parseDay reads the date forms that front matter uses.
func parseDay(s string) (time.Time, bool) {
	s = strings.Trim(strings.TrimSpace(s), `"'`)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02", "2006/01/02", "2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006", time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
