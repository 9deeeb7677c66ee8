package ask

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/llm"
)

// numberedLines are n lines that can be told apart.
func numberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the text\n", i+1)
	}
	return b.String()
}

func TestCut(t *testing.T) {
	text := numberedLines(400)
	for _, c := range []struct {
		keep        Keep
		first, last bool
	}{{KeepHead, true, false}, {KeepTail, false, true}, {KeepEnds, true, true}} {
		got, gone := Cut(text, 300, c.keep)
		if n := llm.EstimateTokens(got); n > 300 || n < 200 {
			t.Errorf("keep %d: %d tokens, want nearly 300", c.keep, n)
		}
		if kept := strings.Count(got, "line "); kept+gone < 395 || kept+gone > 405 {
			t.Errorf("keep %d: %d lines kept and %d gone of 400", c.keep, kept, gone)
		}
		if strings.HasPrefix(got, "line 1 of") != c.first || strings.HasSuffix(strings.TrimSpace(got), "line 400 of the text") != c.last {
			t.Errorf("keep %d: %.40q ... %q", c.keep, got, got[len(got)-40:])
		}
		if !strings.Contains(got, "lines left out ...]") {
			t.Errorf("keep %d: nothing says that lines are missing", c.keep)
		}
	}
	if got, gone := Cut(text, 1<<20, KeepHead); got != text || gone != 0 {
		t.Error("a text that fits was cut")
	}
}

func TestCutProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.IntRange(0, 300), numberedLines), wild()).Draw(t, "text")
		text = strings.ToValidUTF8(text, "")
		n := rapid.IntRange(-1, 400).Draw(t, "tokens")
		keep := Keep(rapid.IntRange(0, 2).Draw(t, "keep"))
		got, gone := Cut(text, n, keep)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		if size := llm.EstimateTokens(got); n >= 12 && size > n {
			t.Fatalf("%d tokens, %d allowed", size, n)
		}
		if (gone == 0) != (got == text) {
			t.Fatalf("%d lines gone, changed: %t", gone, got != text)
		}
	})
}

func TestFit(t *testing.T) {
	big := numberedLines(400) // 2,000 tokens
	sections := []Section{
		{Name: "report", Text: big, Priority: 0},
		{Name: "plan", Text: big, Priority: 1},
		{Name: "code", Text: big, Priority: 3},
		{Name: "facts", Text: big, Priority: 2},
	}
	for _, c := range []struct {
		room int
		want string
	}{
		{10000, ""},
		{8000, "code"},
		{6000, "code (all of it)"},
		{4300, "code (all of it); facts (all of it)"},
		{1500, "plan (all of it)"},
		{100, "report"},
	} {
		all := fit(sections, c.room)
		if said := strings.Join(leftOut(all), "; "); !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("room %d: left out %q, want %q", c.room, said, c.want)
		}
		total := 0
		for _, f := range all {
			if !f.dropped {
				total += llm.EstimateTokens(f.Text)
			}
		}
		if total > c.room && c.room > 300 {
			t.Errorf("room %d: %d tokens are left", c.room, total)
		}
		if all[0].dropped {
			t.Errorf("room %d: what matters most was dropped", c.room)
		}
	}
}

func TestFitSectionCap(t *testing.T) {
	all := fit([]Section{{Name: "log", Text: numberedLines(400), Max: 200, Keep: KeepTail}}, 10000)
	if n := llm.EstimateTokens(all[0].Text); n > 200 {
		t.Errorf("%d tokens over a cap of 200", n)
	}
	if got := leftOut(all); len(got) != 1 || !strings.HasPrefix(got[0], "log (") {
		t.Errorf("left out: %v", got)
	}
}

func TestFitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sections []Section
		for i := range rapid.IntRange(0, 6).Draw(t, "sections") {
			sections = append(sections, Section{
				Name:     fmt.Sprint(i),
				Text:     numberedLines(rapid.IntRange(0, 300).Draw(t, "lines")),
				Priority: rapid.IntRange(0, 3).Draw(t, "priority"),
				Max:      rapid.IntRange(0, 500).Draw(t, "max"),
				Keep:     Keep(rapid.IntRange(0, 2).Draw(t, "keep")),
			})
		}
		room := rapid.IntRange(-100, 4000).Draw(t, "room")
		total, floor := 0, 0
		all := fit(sections, room)
		if len(all) != len(sections) {
			t.Fatal("a section is gone without a word")
		}
		for i, f := range all {
			total += f.size
			if f.Priority == 0 {
				floor += least + overhead
			}
			if changed := f.Text != sections[i].Text; changed != (f.dropped || f.gone > 0) && !(f.dropped && sections[i].Text == "") {
				t.Fatalf("section %d: changed %t, dropped %t, %d lines gone", i, changed, f.dropped, f.gone)
			}
		}
		if total > max(room, floor) {
			t.Fatalf("%d tokens in %d (floor %d)", total, room, floor)
		}
	})
}
