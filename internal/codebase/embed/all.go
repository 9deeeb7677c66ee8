package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/repgen/repgen/internal/codebase/chunk"
)

// Texts are what is to be embedded, by number. A text is asked for to measure
// it and again when its batch comes, so that never more than one batch of them
// is held. A store of chunks is one.
type Texts interface {
	Len() int
	Ident(i int) chunk.Ident
	EmbedText(ctx context.Context, i int) (string, error)
}

// Sink keeps finished vectors. A file of vectors is one; Has makes the work
// resumable. Both are called from All's goroutine.
type Sink interface {
	Has(id chunk.Ident) bool
	Add(ids []chunk.Ident, vectors [][]float32) error
}

// ErrInput marks an Embedder's error that is the text's fault (a server that
// finds it too long), not the model's: All leaves that text out and goes on.
var ErrInput = errors.New("text not accepted")

// Options of All; the zero value is usable.
type Options struct {
	// First are embedded before all others: candidates that a search waits for.
	// Numbers out of range are passed over.
	First []int
	// Only embeds nothing but First.
	Only bool
	// BatchTokens bounds a batch: its texts times its longest, in tokens;
	// BatchTexts bounds the texts. 0 is what a Sizer says, else the defaults.
	BatchTokens int
	BatchTexts  int
	// Progress is called after each batch, from All's goroutine.
	Progress func(Progress)
	// Now is the clock; time.Now when nil.
	Now func() time.Time

	anyLength bool // the embedder does not pad: nothing is measured or sorted
}

// Sizes of a batch. Source: 8 texts of 256 tokens are what the published
// pipeline's scripts use on a CPU; more only raises memory there (guess).
const (
	DefaultBatchTokens = 8 * 256
	DefaultBatchTexts  = 64
)

// Progress says how far All is.
type Progress struct {
	Done, Total int           // distinct texts that the sink lacked
	First       bool          // the First texts are under way
	Elapsed     time.Duration // since the first batch began
	// ETA is the time still to go: of the First texts while those are under way,
	// then of the others. It means something only when Known.
	ETA   time.Duration
	Known bool
}

// Stats is what All did.
type Stats struct {
	Embedded int      // distinct texts embedded now
	Present  int      // distinct texts that the sink had already
	Failed   []Failed // texts that were left out
}

// Failed is a text that could not be read or was not accepted.
type Failed struct {
	Text int // its number
	Err  error
}

// All embeds what the sink lacks, each distinct text once: First in the first
// place, then the rest. Texts of like length share a batch. After each batch
// the vectors are in the sink, so that ending ctx loses one batch at most and
// the next call goes on from there. Stats are right also with an error.
func All(ctx context.Context, e Embedder, texts Texts, sink Sink, o Options) (Stats, error) {
	r := &run{e: e, texts: texts, sink: sink, o: o.filled(e)}
	first, rest := r.plan()
	r.total = len(first) + len(rest)
	for _, part := range []struct {
		texts []item
		first bool
	}{{first, true}, {rest, false}} {
		if err := r.part(ctx, part.texts, part.first); err != nil {
			return r.stats, err
		}
	}
	return r.stats, nil
}

func (o Options) filled(e Embedder) Options {
	if z, ok := e.(Sizer); ok {
		tokens, texts := z.BatchSize()
		if o.BatchTokens <= 0 && tokens <= 0 {
			o.anyLength = true
		}
		o.BatchTokens = cmp.Or(o.BatchTokens, tokens)
		o.BatchTexts = cmp.Or(o.BatchTexts, texts)
	}
	if o.BatchTokens <= 0 {
		o.BatchTokens = DefaultBatchTokens
	}
	if o.BatchTexts <= 0 {
		o.BatchTexts = DefaultBatchTexts
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o
}

// run is one call of All.
type run struct {
	e     Embedder
	texts Texts
	sink  Sink
	o     Options
	stats Stats
	total int
	done  int
	began time.Time
	pace  pace
}

// item is one distinct text that is missing.
type item struct {
	text   int
	id     chunk.Ident
	tokens int
}

// plan lists what is missing. It reads no text.
func (r *run) plan() (first, rest []item) {
	// Copies of a definition are common (backends, versions of an interface):
	// one vector serves them all.
	seen := make(map[chunk.Ident]struct{}, r.texts.Len())
	missing := func(to []item, i int) []item {
		id := r.texts.Ident(i)
		if _, ok := seen[id]; ok {
			return to
		}
		seen[id] = struct{}{}
		if r.sink.Has(id) {
			r.stats.Present++
			return to
		}
		return append(to, item{text: i, id: id})
	}
	for _, i := range r.o.First {
		if i >= 0 && i < r.texts.Len() {
			first = missing(first, i)
		}
	}
	if r.o.Only {
		return first, nil
	}
	for i := range r.texts.Len() {
		rest = missing(rest, i)
	}
	return first, rest
}

// part embeds some of the texts.
func (r *run) part(ctx context.Context, items []item, first bool) error {
	if !r.o.anyLength {
		var err error
		if items, err = r.measure(ctx, items); err != nil {
			return err
		}
	}
	batches := pack(items, r.o.BatchTokens, r.o.BatchTexts)
	r.pace.begin(batches)
	for _, b := range batches {
		start := r.o.Now()
		if r.began.IsZero() {
			r.began = start
		}
		if err := r.batch(ctx, b); err != nil {
			return err
		}
		r.done += len(b)
		now := r.o.Now()
		r.pace.did(b, now.Sub(start))
		p := Progress{Done: r.done, Total: r.total, First: first, Elapsed: now.Sub(r.began)}
		p.ETA, p.Known = r.pace.eta()
		r.o.Progress(p)
	}
	return nil
}

// measure fills in how long each text is, and leaves out those that cannot be
// read.
func (r *run) measure(ctx context.Context, items []item) ([]item, error) {
	counter, _ := r.e.(Counter)
	kept := items[:0]
	for _, it := range items {
		text, err := r.read(ctx, it)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.done++
			continue
		}
		// Counting costs far under 1 % of embedding (measured: 50 MB/s against a
		// few KB/s), and texts of truly like length share a batch.
		if counter != nil {
			it.tokens = counter.Tokens(text)
		} else {
			it.tokens = guessTokens(text, r.e.Info().MaxTokens)
		}
		kept = append(kept, it)
	}
	return kept, nil
}

// read gets a text; one that cannot be read counts as failed.
func (r *run) read(ctx context.Context, it item) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	text, err := r.texts.EmbedText(ctx, it.text)
	if err != nil && ctx.Err() == nil {
		r.fail(it, fmt.Errorf("read text to embed: %w", err))
	}
	return text, err
}

func (r *run) fail(it item, err error) {
	r.stats.Failed = append(r.stats.Failed, Failed{it.text, err})
}

// batch embeds one batch and hands it to the sink.
func (r *run) batch(ctx context.Context, items []item) error {
	// Read again rather than kept since measure: a project's texts are many times
	// a batch, and the files are in the system's cache.
	texts := make([]string, 0, len(items))
	kept := make([]item, 0, len(items))
	for _, it := range items {
		text, err := r.read(ctx, it)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			texts, kept = append(texts, text), append(kept, it)
		}
	}
	return r.embed(ctx, kept, texts)
}

// embed halves a batch that has a text in it which is not accepted, until that
// text is alone.
func (r *run) embed(ctx context.Context, items []item, texts []string) error {
	if len(items) == 0 {
		return nil
	}
	vectors, err := r.e.Embed(ctx, texts)
	switch {
	case err == nil && len(vectors) != len(texts):
		return fmt.Errorf("embed %d texts: %s gave %d vectors", len(texts), r.e.Info().Backend, len(vectors))
	case err == nil:
		return r.keep(items, vectors)
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.Is(err, ErrInput):
		return fmt.Errorf("embed %d texts: %w", len(texts), err)
	case len(items) == 1:
		r.fail(items[0], err)
		return nil
	}
	half := len(items) / 2
	if err := r.embed(ctx, items[:half], texts[:half]); err != nil {
		return err
	}
	return r.embed(ctx, items[half:], texts[half:])
}

func (r *run) keep(items []item, vectors [][]float32) error {
	ids := make([]chunk.Ident, len(items))
	for i, it := range items {
		ids[i] = it.id
	}
	if err := r.sink.Add(ids, vectors); err != nil {
		return fmt.Errorf("keep %d vectors: %w", len(ids), err)
	}
	r.stats.Embedded += len(ids)
	return nil
}
