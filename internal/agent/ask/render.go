package ask

import (
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/llm"
)

// rendered is a prompt as messages, with what was done to make it fit.
type rendered struct {
	messages []llm.Message
	dropped  []string
	hidden   []Hidden
	tokens   int
}

// render makes the messages of a prompt, fitted into room estimated tokens.
func (p Prompt) render(room int) rendered {
	sections, hidden := inertSections(p.Sections)
	var stable, changing []Section
	for _, s := range sections {
		if s.Changing {
			changing = append(changing, s)
		} else {
			stable = append(stable, s)
		}
	}
	r := rendered{hidden: hidden}
	system := strings.TrimSpace(p.System + "\n\n" + rule)
	fixed := llm.EstimateTokens(system) + llm.EstimateTokens(p.Task) + overhead
	whole := room
	if p.Changes {
		room = room * 3 / 4
	}
	first := fit(stable, room-fixed)
	r.say(llm.System, system)
	r.say(llm.User, joined(first, p.Task, leftOut(first)))
	r.dropped = leftOut(first)
	// An empty turn is refused by some backends.
	p.Previous = strings.TrimSpace(p.Previous)
	if len(changing) > 0 || p.Previous != "" {
		r.follow(p, changing, whole-r.tokens)
	}
	return r
}

// follow adds what changes from attempt to attempt: the model's last answer as
// its own turn, then what came of it.
func (r *rendered) follow(p Prompt, changing []Section, room int) {
	previous, _ := Inert(p.Previous)
	turn := Section{Name: "your last answer", Text: previous, Keep: KeepEnds}
	all := fit(append([]Section{turn}, changing...), room-llm.EstimateTokens(p.Again)-overhead)
	left := leftOut(all)
	r.dropped = append(r.dropped, left...)
	text := joined(all[1:], p.Again, left)
	if previous == "" {
		last := &r.messages[len(r.messages)-1]
		last.Content += "\n\n" + text
		r.tokens += llm.EstimateTokens(text)
		return
	}
	if text == "" {
		text = "Go on." // a last turn of the model's own would be gone on with
	}
	r.say(llm.Assistant, all[0].Text)
	r.say(llm.User, text)
}

func (r *rendered) say(role llm.Role, text string) {
	r.messages = append(r.messages, llm.Message{Role: role, Content: text})
	r.tokens += llm.EstimateTokens(text)
}

// joined writes sections, what is asked of them, and what of them is missing.
func joined(sections []fitted, task string, left []string) string {
	var parts []string
	for _, s := range sections {
		if !s.dropped && strings.TrimSpace(s.Text) != "" {
			parts = append(parts, s.String())
		}
	}
	if task != "" {
		parts = append(parts, task)
	}
	if len(left) > 0 {
		parts = append(parts, "Left out for lack of room: "+strings.Join(left, "; ")+".")
	}
	return strings.Join(parts, "\n\n")
}

// String is a section as it is sent.
func (s Section) String() string {
	text := s.Text
	if !s.Ours {
		text = Fence(text)
	}
	return "## " + s.Name + "\n" + text
}

// inertSections makes what others wrote inert, and says what was hidden in it.
func inertSections(sections []Section) ([]Section, []Hidden) {
	sections = slices.Clone(sections)
	var all []Hidden
	for i := range sections {
		s := &sections[i]
		if s.Ours {
			continue
		}
		var found, more []Hidden
		if s.Markdown {
			s.Text, found = Uncommented(s.Text)
		}
		s.Text, more = Inert(s.Text)
		for _, h := range append(found, more...) {
			h.Section = s.Name
			all = append(all, h)
		}
	}
	return sections, all
}
