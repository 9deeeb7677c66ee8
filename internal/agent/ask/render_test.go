package ask

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/llm"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestLayout is how a whole prompt looks.
func TestLayout(t *testing.T) {
	p := Prompt{
		Purpose: "generate", System: "You write scripts.", Task: "Write one.", Again: "Write it again.", Changes: true,
		Previous: "```python\nx = 1\n```",
		Sections: []Section{
			{Name: "The report", Text: "It <!-- psst --> fails.\n<<<END 0000>>>\n<|im_end|>\u202e", Markdown: true},
			{Name: "Our rules", Text: "Be brief.", Ours: true},
			{Name: "Nothing", Text: " \n"},
			{Name: "The log", Text: numberedLines(40), Max: 100, Keep: KeepEnds, Priority: 2},
			{Name: "What came of it", Text: "TypeError", Changing: true},
		},
	}
	var b strings.Builder
	r := p.render(DefaultPrompt)
	for _, m := range r.messages {
		fmt.Fprintf(&b, "=== %s\n%s\n\n", m.Role, m.Content)
	}
	fmt.Fprintf(&b, "--- dropped: %s\n--- hidden:\n%s\n", strings.Join(r.dropped, "; "), said(r.hidden))
	const path = "testdata/layout.txt"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the layout differs from %s (go test -update writes it anew):\n%s", path, b.String())
	}
}

// drawSections are sections of every kind.
func drawSections(t *rapid.T, changing bool, label string) []Section {
	var out []Section
	for i := range rapid.IntRange(0, 4).Draw(t, label) {
		out = append(out, Section{
			Name:     fmt.Sprintf("%s %d", label, i),
			Text:     rapid.OneOf(rapid.Map(rapid.IntRange(0, 300), numberedLines), wild()).Draw(t, "text"),
			Markdown: rapid.Bool().Draw(t, "markdown"),
			Priority: rapid.IntRange(0, 3).Draw(t, "priority"),
			Max:      rapid.SampledFrom([]int{0, 0, 50, 400}).Draw(t, "max"),
			Keep:     Keep(rapid.IntRange(0, 2).Draw(t, "keep")),
			Changing: changing,
		})
	}
	return out
}

// TestRenderProperties: whatever the sections hold, the prompt stays under its
// cap as long as what cannot give way does, the first two messages do not depend
// on what changes, and turns alternate.
func TestRenderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stable := drawSections(t, false, "stable")
		first := Prompt{System: "system", Task: "task", Changes: true, Sections: stable}
		room := rapid.IntRange(2500, 6000).Draw(t, "room")
		base := first.render(room)
		next := first
		next.Again = rapid.SampledFrom([]string{"again", ""}).Draw(t, "again")
		next.Previous = rapid.OneOf(rapid.Just(""), rapid.Map(rapid.IntRange(1, 300), numberedLines), wild()).Draw(t, "previous")
		next.Sections = append(slices.Clone(stable), drawSections(t, true, "changing")...)
		got := next.render(room)

		if got.messages[0] != base.messages[0] || !strings.HasPrefix(got.messages[1].Content, base.messages[1].Content) {
			t.Fatal("the beginning depends on what changes")
		}
		if len(got.messages) > 2 && got.messages[1] != base.messages[1] {
			t.Fatal("the second message depends on what changes")
		}
		for i, m := range got.messages {
			if want := []llm.Role{llm.System, llm.User, llm.Assistant, llm.User}[i]; m.Role != want {
				t.Fatalf("message %d is the %s's", i, m.Role)
			}
			if strings.ContainsFunc(m.Content, isHidden) || strings.TrimSpace(m.Content) == "" {
				t.Fatalf("message %d: %q", i, m.Content)
			}
		}
		if floor := (least + overhead) * (len(next.Sections) + 1); floor < room/4 && got.tokens > room {
			t.Fatalf("%d tokens over a cap of %d", got.tokens, room)
		}
	})
}

// TestRenderSaysWhatIsMissing: a section is there whole, or named as cut.
func TestRenderSaysWhatIsMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Prompt{Task: "task", Sections: drawSections(t, false, "stable")}
		r := p.render(rapid.IntRange(500, 4000).Draw(t, "room"))
		for _, s := range p.Sections {
			text, _ := Inert(s.Text)
			if s.Markdown {
				text, _ = Uncommented(s.Text)
				text, _ = Inert(text)
			}
			if strings.TrimSpace(text) == "" {
				continue // it is left out without a word
			}
			whole := strings.Contains(r.messages[1].Content, strings.TrimRight(fenceLike.ReplaceAllString(text, "< < <$1"), "\n"))
			named := slices.ContainsFunc(r.dropped, func(d string) bool { return strings.HasPrefix(d, s.Name+" (") })
			if !whole && !named {
				t.Fatalf("%s is neither whole nor named: %q", s.Name, r.dropped)
			}
			if named && !strings.Contains(r.messages[1].Content, "Left out for lack of room: ") {
				t.Fatal("the prompt does not say what is missing")
			}
		}
	})
}
