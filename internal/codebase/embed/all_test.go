package embed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/codebase/chunk"
)

// project is texts in memory; equal texts have equal idents.
type project struct {
	texts  []string
	broken map[int]bool
	reads  int
}

func (p *project) Len() int { return len(p.texts) }

func (p *project) Ident(i int) chunk.Ident {
	sum := sha256.Sum256([]byte(p.texts[i]))
	return chunk.Ident(sum[:16])
}

func (p *project) EmbedText(ctx context.Context, i int) (string, error) {
	p.reads++
	if p.broken[i] {
		return "", errors.New("gone")
	}
	return p.texts[i], nil
}

// shelf is a sink in memory that wants each ident once.
type shelf struct {
	order []chunk.Ident
	has   map[chunk.Ident]float32
	fail  error
}

func newShelf() *shelf { return &shelf{has: map[chunk.Ident]float32{}} }

func (s *shelf) Has(id chunk.Ident) bool { _, ok := s.has[id]; return ok }

func (s *shelf) Add(ids []chunk.Ident, vectors [][]float32) error {
	if s.fail != nil {
		return s.fail
	}
	for i, id := range ids {
		if _, ok := s.has[id]; ok {
			return fmt.Errorf("%x twice", id)
		}
		s.has[id] = vectors[i][0]
		s.order = append(s.order, id)
	}
	return nil
}

// fake embeds a text as its length; a text with "bad" in it is not accepted.
type fake struct {
	batches [][]string
	after   func(texts []string) error
	short   bool
}

func (f *fake) Info() Info             { return Info{Backend: "fake", Dims: 1, MaxTokens: 256} }
func (f *fake) Close() error           { return nil }
func (f *fake) Tokens(text string) int { return min(len(text)+2, 256) }

func (f *fake) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.batches = append(f.batches, texts)
	if f.after != nil {
		if err := f.after(texts); err != nil {
			return nil, err
		}
	}
	var out [][]float32
	for _, t := range texts {
		if strings.Contains(t, "bad") {
			return nil, fmt.Errorf("server: %w", ErrInput)
		}
		out = append(out, []float32{float32(len(t))})
	}
	if f.short {
		out = out[1:]
	}
	return out, nil
}

func words(n int) *project {
	p := &project{}
	for i := range n {
		p.texts = append(p.texts, strings.Repeat("x", i*37%240)+fmt.Sprint(i))
	}
	return p
}

func TestAll(t *testing.T) {
	p := words(300)
	p.texts = append(p.texts, p.texts[:50]...) // duplicates
	s, e := newShelf(), &fake{}
	present := p.Ident(3)
	s.has[present] = 0
	stats, err := All(t.Context(), e, p, s, Options{})
	if err != nil || stats.Embedded != 299 || stats.Present != 1 || len(stats.Failed) != 0 {
		t.Fatalf("%+v, %v", stats, err)
	}
	for i := range p.texts {
		if want := float32(len(p.texts[i])); s.has[p.Ident(i)] != want && i%300 != 3 {
			t.Errorf("text %d has the vector of another", i)
		}
	}
	stats, err = All(t.Context(), e, p, s, Options{})
	if err != nil || stats.Embedded != 0 || stats.Present != 300 {
		t.Errorf("again: %+v, %v", stats, err)
	}
}

// TestBatches holds the bounds for any lengths, and wants little padding.
func TestBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var items []item
		used := 0
		for i, n := range rapid.SliceOfN(rapid.IntRange(2, 256), 0, 300).Draw(t, "lengths") {
			items = append(items, item{text: i, tokens: n})
			used += n
		}
		maxTokens, maxTexts := rapid.IntRange(1, 4000).Draw(t, "tokens"), rapid.IntRange(1, 70).Draw(t, "texts")
		seen := map[int]bool{}
		for _, b := range pack(append([]item(nil), items...), maxTokens, maxTexts) {
			if len(b) > maxTexts || len(b) > 1 && len(b)*b[len(b)-1].tokens > maxTokens {
				t.Fatalf("batch of %d texts, longest %d", len(b), b[len(b)-1].tokens)
			}
			for _, it := range b {
				if seen[it.text] || it.tokens > b[len(b)-1].tokens {
					t.Fatalf("text %d twice, or not sorted", it.text)
				}
				seen[it.text] = true
			}
		}
		if len(seen) != len(items) {
			t.Fatalf("%d of %d texts", len(seen), len(items))
		}
	})
}

func TestFirst(t *testing.T) {
	p := words(200)
	s := newShelf()
	first := []int{150, 7, 150, -1, 999, 30}
	var marks []bool
	_, err := All(t.Context(), &fake{}, p, s, Options{First: first, Progress: func(p Progress) { marks = append(marks, p.First) }})
	if err != nil || len(s.order) != 200 {
		t.Fatalf("%d, %v", len(s.order), err)
	}
	got := map[chunk.Ident]bool{}
	for _, id := range s.order[:3] {
		got[id] = true
	}
	for _, i := range []int{150, 7, 30} {
		if !got[p.Ident(i)] {
			t.Errorf("text %d is not among the first three", i)
		}
	}
	if !marks[0] || marks[len(marks)-1] {
		t.Errorf("marks %v", marks)
	}
	s = newShelf()
	p.reads = 0
	stats, err := All(t.Context(), &fake{}, p, s, Options{First: first, Only: true})
	if err != nil || stats.Embedded != 3 || p.reads > 6 {
		t.Errorf("only the first: %+v, %d texts read, %v", stats, p.reads, err)
	}
}

// TestCancel ends the context in the middle: what was finished is kept and the
// next call does the rest only.
func TestCancel(t *testing.T) {
	p, s := words(200), newShelf()
	ctx, cancel := context.WithCancel(t.Context())
	e := &fake{}
	e.after = func([]string) error {
		if len(e.batches) == 5 {
			cancel()
			return ctx.Err()
		}
		return nil
	}
	stats, err := All(ctx, e, p, s, Options{})
	if !errors.Is(err, context.Canceled) || stats.Embedded == 0 || stats.Embedded != len(s.has) {
		t.Fatalf("%+v, %d kept, %v", stats, len(s.has), err)
	}
	kept := len(s.has)
	stats, err = All(t.Context(), &fake{}, p, s, Options{})
	if err != nil || stats.Embedded != 200-kept || stats.Present != kept {
		t.Errorf("%+v, kept %d, %v", stats, kept, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := All(ended, &fake{}, p, newShelf(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended before: %v", err)
	}
}

// TestBadTexts leaves out what cannot be read and what the model refuses, and
// goes on.
func TestBadTexts(t *testing.T) {
	p := words(100)
	p.texts[10] += "bad"
	p.texts[80] += "bad"
	p.broken = map[int]bool{5: true, 6: true}
	s := newShelf()
	var last Progress
	stats, err := All(t.Context(), &fake{}, p, s, Options{Progress: func(p Progress) { last = p }})
	if err != nil || stats.Embedded != 96 || len(stats.Failed) != 4 {
		t.Fatalf("%+v, %v", stats, err)
	}
	for _, f := range stats.Failed {
		if f.Text != 5 && f.Text != 6 && f.Text != 10 && f.Text != 80 || f.Err == nil {
			t.Errorf("failed: %+v", f)
		}
	}
	if last.Done != 100 || last.Total != 100 || last.ETA != 0 {
		t.Errorf("at the end: %+v", last)
	}
}

// bag does not pad: it wants large batches in the order of the project.
type bag struct{ fake }

func (b *bag) BatchSize() (tokens, texts int) { return 0, 40 }

func TestSizer(t *testing.T) {
	p, s, e := words(100), newShelf(), &bag{}
	p.broken = map[int]bool{50: true}
	stats, err := All(t.Context(), e, p, s, Options{})
	if err != nil || stats.Embedded != 99 || len(stats.Failed) != 1 || p.reads != 100 {
		t.Fatalf("%+v, %d reads, %v", stats, p.reads, err)
	}
	if len(e.batches) != 3 {
		t.Errorf("%d batches", len(e.batches))
	}
	e = &bag{}
	if _, err := All(t.Context(), e, p, newShelf(), Options{BatchTexts: 10}); err != nil || len(e.batches) != 10 {
		t.Errorf("told 10 texts a batch: %d batches, %v", len(e.batches), err)
	}
}

func TestFaults(t *testing.T) {
	full := newShelf()
	full.fail = errors.New("no space left")
	for name, c := range map[string]struct {
		e    *fake
		s    *shelf
		want string
	}{
		"model":     {&fake{after: func([]string) error { return errors.New("model broke") }}, newShelf(), "model broke"},
		"too few":   {&fake{short: true}, newShelf(), "vectors"},
		"disk full": {&fake{}, full, "no space left"},
	} {
		if _, err := All(t.Context(), c.e, words(20), c.s, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if stats, err := All(t.Context(), &fake{}, &project{}, newShelf(), Options{}); err != nil || stats.Embedded != 0 {
		t.Errorf("nothing to do: %+v, %v", stats, err)
	}
}

// TestETA wants the time to go to be honest for models that cost differently
// from what cost says: cheap or dear attention, a dear call, a machine that
// slows down. The first batch is slow, as a real model's is.
func TestETA(t *testing.T) {
	for name, m := range map[string]struct{ call, token, pair, slow float64 }{
		"as counted":       {0.01, 1e-3, 1e-3 / quadratic, 1},
		"no attention":     {0, 1e-3, 0, 1},
		"dear attention":   {0.01, 1e-3, 4e-5, 1},
		"dear call":        {0.5, 1e-3, 4e-7, 1},
		"half as fast now": {0.01, 1e-3, 4e-7, 2},
	} {
		now := time.Unix(0, 0)
		var spent []float64
		e := &fake{}
		e.after = func(texts []string) error {
			longest := 0
			for _, s := range texts {
				longest = max(longest, e.Tokens(s))
			}
			sec := m.call + float64(len(texts)*longest)*(m.token+m.pair*float64(longest))
			if len(e.batches) == 1 {
				sec += 20
			}
			if len(e.batches) > 40 {
				sec *= m.slow
			}
			spent = append(spent, sec)
			now = now.Add(time.Duration(sec * float64(time.Second)))
			return nil
		}
		var seen []Progress
		o := Options{Now: func() time.Time { return now }, Progress: func(p Progress) { seen = append(seen, p) }}
		if _, err := All(t.Context(), e, words(3000), newShelf(), o); err != nil {
			t.Fatal(err)
		}
		total := now.Sub(time.Unix(0, 0)).Seconds()
		if seen[0].Known || !seen[1].Known {
			t.Errorf("%s: known from the second batch on", name)
		}
		tolerance := 0.12
		if m.slow > 1 {
			tolerance = 0.25 // it cannot be foreseen, but must be seen soon
		}
		for _, at := range []float64{0.05, 0.1, 0.25, 0.5, 0.75, 0.9} {
			p := seen[int(at*float64(len(seen)))]
			left := total - p.Elapsed.Seconds()
			if m.slow > 1 && at < 0.5 {
				continue
			}
			if off := (p.ETA.Seconds() - left) / (total - 20); off > tolerance || off < -tolerance {
				t.Errorf("%s: after %.0f %%: %.0f s to go, said %.0f", name, 100*at, left, p.ETA.Seconds())
			}
		}
	}
}

// TestResume ends again and again after one batch: the calls together do the
// work once.
func TestResume(t *testing.T) {
	p, s := words(150), newShelf()
	total := 0
	for calls := 0; ; calls++ {
		ctx, cancel := context.WithCancel(t.Context())
		e := &fake{}
		e.after = func([]string) error {
			if len(e.batches) == 2 {
				cancel()
				return ctx.Err()
			}
			return nil
		}
		stats, err := All(ctx, e, p, s, Options{})
		cancel()
		total += stats.Embedded
		if err == nil {
			break
		}
		if calls > 200 {
			t.Fatal("no end")
		}
	}
	if total != 150 || len(s.has) != 150 {
		t.Errorf("%d embedded, %d kept, want 150 once each", total, len(s.has))
	}
}

// TestGuessedTokens embeds with a model that cannot count.
func TestGuessedTokens(t *testing.T) {
	if n := guessTokens(strings.Repeat("x", 400), 256); n != 102 {
		t.Errorf("%d tokens", n)
	}
	if n := guessTokens(strings.Repeat("x", 40_000), 256); n != 256 {
		t.Errorf("%d tokens, more than the model takes", n)
	}
	stats, err := All(t.Context(), struct{ Embedder }{&fake{}}, words(60), newShelf(), Options{})
	if err != nil || stats.Embedded != 60 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func TestNormalize(t *testing.T) {
	v := []float32{3, 4}
	if !Normalize(v) || v[0] != 0.6 || v[1] != 0.8 {
		t.Errorf("%v", v)
	}
	nan := float32(0)
	nan /= nan
	for _, v := range [][]float32{{}, {0, 0}, {nan, 1}, {1 / v[0] * 1e38 * 10, 1}} {
		if Normalize(v) {
			t.Errorf("%v has a length", v)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32Range(-1e18, 1e18), 1, 20).Draw(t, "v")
		if !Normalize(v) {
			return
		}
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if sum < 0.9999 || sum > 1.0001 {
			t.Fatalf("length %g", sum)
		}
	})
}
