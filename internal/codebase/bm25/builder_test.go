package bm25

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSpansAtWordBorders: a span counts what its own text would.
func TestSpansAtWordBorders(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		lines := rapid.SliceOfN(codeLike(), 1, 6).Draw(r, "lines")
		src := []byte(strings.Join(lines, "\n"))
		from := rapid.IntRange(0, len(lines)-1).Draw(r, "from")
		to := rapid.IntRange(from, len(lines)).Draw(r, "to")
		start := min(len(strings.Join(lines[:from], "\n"))+min(from, 1), len(src))
		end := max(start, len(strings.Join(lines[:to], "\n")))
		more := codeLike().Draw(r, "more")

		b := NewBuilder()
		b.Text(src)
		b.Doc(start, end, more)
		want := append(Tokens(string(src[start:end])), Tokens(more)...)
		if got := counted(b, 0); !slices.Equal(got, sorted(want)) {
			r.Fatalf("span %q: %q, want %q", src[start:end], got, want)
		}
		if int(b.lengths[0]) != len(want) {
			r.Fatalf("length %d, want %d", b.lengths[0], len(want))
		}
	})
}

// counted are the tokens of a builder's document, sorted, repeated ones as
// often as they were counted.
func counted(b *Builder, k int) (out []string) {
	terms, counts := b.postings(k)
	for i, term := range terms {
		for range counts[i] {
			out = append(out, b.names[term])
		}
	}
	return sorted(out)
}

func sorted(tokens []string) []string {
	out := append([]string{}, tokens...)
	slices.Sort(out)
	return out
}

func TestBuilderIsUsedAgain(t *testing.T) {
	b := NewBuilder()
	texts := []string{"loss nan", "fit_generator", "", "loss fit"}
	for _, text := range texts {
		b.Text([]byte(text))
		b.Doc(0, len(text), "")
	}
	b.Text([]byte("never a document: unseen"))
	if b.Len() != len(texts) {
		t.Fatalf("%d documents", b.Len())
	}
	for k, text := range texts {
		if got := counted(b, k); !slices.Equal(got, sorted(Tokens(text))) {
			t.Errorf("document %d: %q", k, got)
		}
	}
	// Words of a text that stand in no document leave no term behind.
	data, err := Merge(Older{}, 4, []Part{{b, []int{3, 1, 0, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []byte("fitfit_generatorgeneratorlossnan"); !bytes.Equal(data.Terms, want) {
		t.Errorf("terms %q, want %q", data.Terms, want)
	}
	if !slices.Equal(data.Lengths, []uint32{0, 3, 2, 2}) {
		t.Errorf("lengths %v", data.Lengths)
	}
}

func TestTextIsNotKept(t *testing.T) {
	src := []byte("loss nan")
	b := NewBuilder()
	b.Text(src)
	copy(src, "xxxx xxx") // the caller's buffer is used again
	b.Doc(0, len(src), "")
	if got := counted(b, 0); !slices.Equal(got, []string{"loss", "nan"}) {
		t.Errorf("counted %q", got)
	}
}

// TestTermsVanish with the last document that held them, and old postings
// between new ones keep their places.
func TestTermsVanish(t *testing.T) {
	old := merge(t, Older{}, map[int]string{}, []string{"gone common", "stays common", "common"})
	b := NewBuilder()
	for _, text := range []string{"common first", "common", "common last"} {
		b.Text([]byte(text))
		b.Doc(0, len(text), "")
	}
	data, err := Merge(Older{old, []int32{Removed, 1, 3}}, 5, []Part{{b, []int{0, 2, 4}}})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := New(data, DefaultParams)
	if err != nil {
		t.Fatal(err)
	}
	for token, df := range map[string]int{"gone": 0, "stays": 1, "common": 5, "first": 1, "last": 1} {
		if got := ix.DF(token); got != df {
			t.Errorf("%s is in %d documents, want %d", token, got, df)
		}
	}
	if strings.Contains(string(data.Terms), "gone") {
		t.Errorf("terms %q", data.Terms)
	}
	term, _ := data.find("common")
	if docs, _ := data.postings(term); !slices.Equal(docs, []uint32{0, 1, 2, 3, 4}) {
		t.Errorf("postings %v", docs)
	}
}
