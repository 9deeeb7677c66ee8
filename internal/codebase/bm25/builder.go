package bm25

import (
	"math"
	"slices"
	"sort"
	"strings"
)

// Builder counts the words of documents. It serves one goroutine; a build on
// several has one each, which Merge puts together.
//
// Documents are spans of a text, and spans may overlap (a class and its
// methods): the text is cut into words once.
//
// A word is looked up as it is written and only then, once for each distinct
// one, taken apart: most words of a project have been met before.
type Builder struct {
	words    map[string]uint32 // word as written -> its number
	wordEnds []uint32          // where its terms end in wordIDs
	wordIDs  []uint32

	terms map[string]uint32 // token -> term number of this builder
	names []string          // the same by number
	count []uint32          // of the document being counted, by term
	seen  []uint32          // terms whose count is not 0

	occurrences []occurrence // of the current text

	// The documents: where the postings of each end, and its length.
	docEnds    []uint32
	lengths    []uint32
	postTerms  []uint32
	postCounts []uint16
}

// occurrence is one word of the current text.
type occurrence struct{ start, end, word uint32 }

// NewBuilder gives an empty one.
func NewBuilder() *Builder {
	return &Builder{words: map[string]uint32{}, terms: map[string]uint32{}}
}

// Len is the number of documents so far.
func (b *Builder) Len() int { return len(b.docEnds) }

// Text sets the text whose spans are the next documents. At most 4 GiB.
func (b *Builder) Text(src []byte) {
	b.occurrences = b.occurrences[:0]
	for i := 0; ; {
		start, end := nextWord(src, i)
		if start == end {
			return
		}
		if end-start <= maxWord {
			b.occurrences = append(b.occurrences, occurrence{uint32(start), uint32(end), b.word(src[start:end])})
		}
		i = end
	}
}

// word is the number of a word as written.
func (b *Builder) word(w []byte) uint32 {
	if id, ok := b.words[string(w)]; ok {
		return id
	}
	word := string(w)
	for _, t := range tokensOf(word) {
		b.wordIDs = append(b.wordIDs, b.term(t))
	}
	id := uint32(len(b.wordEnds))
	b.wordEnds = append(b.wordEnds, uint32(len(b.wordIDs)))
	b.words[word] = id
	return id
}

// term is the number of a token.
func (b *Builder) term(token string) uint32 {
	if id, ok := b.terms[token]; ok {
		return id
	}
	id := uint32(len(b.names))
	b.terms[token] = id
	b.names = append(b.names, token)
	b.count = append(b.count, 0)
	return id
}

// Doc adds the words between two offsets of the current text as a document,
// with the words of more. A word that a border cuts belongs to neither side.
func (b *Builder) Doc(start, end int, more string) {
	first := sort.Search(len(b.occurrences), func(i int) bool { return int(b.occurrences[i].start) >= start })
	// Words lie in order, so that a method costs what it is long, not what its
	// file is.
	length := 0
	for _, o := range b.occurrences[first:] {
		if int(o.end) > end {
			break
		}
		length += b.add(o.word)
	}
	src := []byte(more)
	for i := 0; ; {
		s, e := nextWord(src, i)
		if s == e {
			break
		}
		if e-s <= maxWord {
			length += b.add(b.word(src[s:e]))
		}
		i = e
	}
	b.flush(length)
}

// add counts the terms of a word and says how many they are.
func (b *Builder) add(word uint32) int {
	first := uint32(0)
	if word > 0 {
		first = b.wordEnds[word-1]
	}
	ids := b.wordIDs[first:b.wordEnds[word]]
	for _, t := range ids {
		if b.count[t] == 0 {
			b.seen = append(b.seen, t)
		}
		b.count[t]++
	}
	return len(ids)
}

// flush turns the counts into the postings of one document and clears only
// those that were used: most documents hold few of the project's terms.
func (b *Builder) flush(length int) {
	for _, t := range b.seen {
		b.postTerms = append(b.postTerms, t)
		b.postCounts = append(b.postCounts, uint16(min(b.count[t], math.MaxUint16)))
		b.count[t] = 0
	}
	b.seen = b.seen[:0]
	b.docEnds = append(b.docEnds, uint32(len(b.postTerms)))
	b.lengths = append(b.lengths, uint32(length))
}

// postings are the terms and counts of the k-th document.
func (b *Builder) postings(k int) ([]uint32, []uint16) {
	first := uint32(0)
	if k > 0 {
		first = b.docEnds[k-1]
	}
	return b.postTerms[first:b.docEnds[k]], b.postCounts[first:b.docEnds[k]]
}

// sorted are the builder's terms by their bytes.
func (b *Builder) sorted() []uint32 {
	order := make([]uint32, len(b.names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(b.names[x], b.names[y]) })
	return order
}
