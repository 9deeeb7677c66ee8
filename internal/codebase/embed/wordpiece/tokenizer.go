// Package wordpiece is BERT's uncased tokenizer: text to the numbers of word
// pieces, the same numbers as the published tokenizer gives (tokenizers 0.23,
// BertNormalizer, BertPreTokenizer, WordPiece).
package wordpiece

import "sync"

// maxWordRunes is the longest word that is taken apart; a longer one is
// [UNK]. Source: BERT's tokenizer, max_input_chars_per_word.
const maxWordRunes = 100

// Tokenizer turns texts into token numbers. It is safe for concurrent use.
type Tokenizer struct {
	trie     trie
	size     int
	specials []special // found in the raw text before anything else
	unk      int32
	cls      int32
	sep      int32
	pad      int32
	norm     normalizer
	scratch  sync.Pool // *scanner
}

// special is a token that stands for itself in a text ("[MASK]").
type special struct {
	text string
	id   int32
}

// Size is the number of entries in the vocabulary: every token is below it.
func (t *Tokenizer) Size() int { return t.size }

// PadID is the number of [PAD], for the caller that fills a batch.
func (t *Tokenizer) PadID() int32 { return t.pad }

// Encode gives [CLS] text [SEP], the text's end cut so that there are at most
// max tokens in all. A max under 2 is taken as 2. Reading stops where the cut
// is, so a long text costs no more than its beginning.
func (t *Tokenizer) Encode(text string, max int) []int32 {
	room := atLeast(max-2, 0)
	s := t.scanner(room)
	defer t.scratch.Put(s)
	s.scan(text)
	ids := make([]int32, 0, len(s.ids)+2)
	ids = append(ids, t.cls)
	ids = append(ids, s.ids...)
	return append(ids, t.sep)
}

// EncodePair gives [CLS] a [SEP] b [SEP] and the segment (0 or 1) of each
// token, cut to max tokens in all: the longer text is cut first, down to the
// shorter one's length, then both alike. A max under 3 is taken as 3.
func (t *Tokenizer) EncodePair(a, b string, max int) (ids, types []int32) {
	s := t.scanner(noLimit)
	defer t.scratch.Put(s)
	s.scan(a)
	na := len(s.ids)
	s.scan(b)
	nb := len(s.ids) - na
	ka, kb := longestFirst(na, nb, atLeast(max-3, 0))

	ids = make([]int32, 0, ka+kb+3)
	ids = append(ids, t.cls)
	ids = append(ids, s.ids[:ka]...)
	ids = append(ids, t.sep)
	first := len(ids)
	ids = append(ids, s.ids[na:na+kb]...)
	ids = append(ids, t.sep)
	types = make([]int32, len(ids))
	for i := first; i < len(types); i++ {
		types[i] = 1
	}
	return ids, types
}

// Count is len(Encode(text, max)).
func (t *Tokenizer) Count(text string, max int) int {
	s := t.scanner(atLeast(max-2, 0))
	defer t.scratch.Put(s)
	s.scan(text)
	return len(s.ids) + 2
}

// Append adds at most limit tokens of text to dst, without [CLS] and [SEP].
func (t *Tokenizer) Append(dst []int32, text string, limit int) []int32 {
	s := t.scanner(atLeast(limit, 0))
	defer t.scratch.Put(s)
	s.scan(text)
	return append(dst, s.ids...)
}

// longestFirst says how many of na and nb tokens are kept of room. It is the
// published tokenizer's rule, the odd token included: which of two equally
// long texts gets it.
func longestFirst(na, nb, room int) (ka, kb int) {
	if na+nb <= room {
		return na, nb
	}
	short, long := na, nb
	swapped := short > long
	if swapped {
		short, long = long, short
	}
	if short > room {
		long = short
	} else {
		long = atLeast(room-short, short)
	}
	if short+long > room {
		short = room / 2
		long = short + room%2
	}
	if swapped {
		return long, short
	}
	return short, long
}

func atLeast(n, floor int) int {
	if n < floor {
		return floor
	}
	return n
}

// scanner gives a cleared one from the pool.
func (t *Tokenizer) scanner(limit int) *scanner {
	s, ok := t.scratch.Get().(*scanner)
	if !ok {
		s = &scanner{}
	}
	s.t, s.limit = t, limit
	s.ids, s.word, s.runes = s.ids[:0], s.word[:0], 0
	return s
}
