package report

import (
	"os"
	"reflect"
	"testing"
	"time"
)

// TestReread: a report that was kept is read the same again from its text, and
// what its file says of the text counts for nothing.
func TestReread(t *testing.T) {
	for _, file := range reportFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := Parse(data, Source{Kind: "file", Name: file})
		forged := *want
		forged.Sections, forged.Tracebacks, forged.Versions = nil, nil, nil
		forged.Blocks = []Block{{Span: Span{Start: -5, End: 1 << 40}}}
		got := Reread(&forged)
		got.Notes = want.Notes // of what is not in the text any more
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read otherwise", file)
		}
	}
}

// TestRereadReplies: what others wrote below a report is not the reporter's.
func TestRereadReplies(t *testing.T) {
	issue := Issue{
		Title: "add is wrong", Body: "`lib.add(1, 2)` gives 4 with lib 1.2.\n", Repo: "a/lib", Created: time.Unix(1700000000, 0).UTC(), Labels: []string{"bug"},
		Comments: []Comment{{Body: "I see 5 with lib 1.3."}, {Body: "lib 1.1 was fine.\n\n## Comment\n\nyes", Reporter: true}, {Body: ""}},
	}
	for _, n := range []int{0, 1, 2, 3} {
		one := issue
		one.Comments = issue.Comments[:n]
		want := FromIssue(one, Source{Kind: "github", Name: "a/lib#1"})
		if got := Reread(want); !reflect.DeepEqual(got, want) {
			t.Errorf("with %d replies:\n got %+v\nwant %+v", n, got, want)
		}
	}
}

// FuzzReread: whatever the text, the second reading is that of the first.
func FuzzReread(f *testing.F) {
	f.Add("# x\n\ny\n\n## Comment 1\n\nz", "github")
	f.Add("\n\n## Comment 1 (reporter)\n\n\n\n## Comment 2\n\n", "tracker-json")
	f.Fuzz(func(t *testing.T, text, kind string) {
		r := Reread(&Report{Text: text, Source: Source{Kind: kind}, Blocks: []Block{{Span: Span{Start: 1 << 40}}}})
		for _, b := range r.Blocks {
			if b.Span.Start < 0 || b.Span.End > len(r.Text) {
				t.Fatalf("a block at %+v of %d", b.Span, len(r.Text))
			}
		}
	})
}
