package ask

import (
	"fmt"

	"github.com/repgen/repgen/internal/llm"
)

// overhead is what a section costs besides its text: heading and fence, whose
// ids are hexadecimal and so dear.
const overhead = 60

// least is the size under which a section is dropped rather than cut: a stub of
// a log or of code teaches nothing (a guess).
const least = 150

// fitted is a section as it will be sent.
type fitted struct {
	Section
	size    int
	gone    int // lines that were cut
	dropped bool
}

// fit makes sections fit into room tokens. The least important are cut, then
// dropped, the last of equals first; those of priority 0 are only cut. What is
// left may still be too much when they are many: the model then says so.
func fit(sections []Section, room int) []fitted {
	all := make([]fitted, 0, len(sections))
	total := 0
	for _, s := range sections {
		f := fitted{Section: s}
		if s.Max > 0 {
			f.Text, f.gone = Cut(s.Text, s.Max, s.Keep)
		}
		f.size = llm.EstimateTokens(f.Text) + overhead
		total += f.size
		all = append(all, f)
	}
	for total > room {
		i := weakest(all)
		if i < 0 {
			break
		}
		before := all[i].size
		all[i].shrink(before - overhead - (total - room))
		total += all[i].size - before
	}
	return all
}

// weakest is the section that gives way next, -1 when none can.
func weakest(all []fitted) int {
	worst := -1
	for i, f := range all {
		if f.dropped || f.Priority == 0 && f.size <= least+overhead {
			continue
		}
		if worst < 0 || f.Priority >= all[worst].Priority {
			worst = i
		}
	}
	return worst
}

// shrink cuts a section to n tokens of text, or drops it.
func (f *fitted) shrink(n int) {
	if n < least && f.Priority > 0 {
		f.dropped, f.Text, f.size = true, "", 0
		return
	}
	text, gone := Cut(f.Text, max(n, least), f.Keep)
	f.Text, f.gone = text, f.gone+gone
	f.size = llm.EstimateTokens(text) + overhead
	if f.Priority == 0 && n <= least {
		f.size = min(f.size, least+overhead) // it can give no more
	}
}

// leftOut says in words what does not go along.
func leftOut(all []fitted) []string {
	var said []string
	for _, f := range all {
		switch {
		case f.dropped:
			said = append(said, f.Name+" (all of it)")
		case f.gone > 0:
			said = append(said, fmt.Sprintf("%s (%d lines)", f.Name, f.gone))
		}
	}
	return said
}
