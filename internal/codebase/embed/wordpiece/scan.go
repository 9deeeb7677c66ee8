package wordpiece

import (
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// noLimit is the limit of a scan that reads to the end.
const noLimit = math.MaxInt

// scanner walks over one text and collects its tokens.
type scanner struct {
	t     *Tokenizer
	limit int
	ids   []int32
	// word holds what is known of a word that the fast way could not take:
	// normalised text, at most maxWordRunes+1 runes of it.
	word  []byte
	runes int
	buf   []byte // of the normaliser
}

// scan adds the tokens of text until the limit is reached, and cuts there.
func (s *scanner) scan(text string) {
	for i := 0; i < len(text) && len(s.ids) < s.limit; {
		switch classOf[text[i]] {
		case classWord:
			i = s.asciiWord(text, i)
		case classPunct:
			s.flush()
			i = s.punct(text, i)
		case classSpace:
			s.flush()
			i++
		case classDrop:
			i++
		default:
			i = s.foreign(text, i)
		}
	}
	s.flush()
	if len(s.ids) > s.limit {
		s.ids = s.ids[:s.limit]
	}
}

// asciiWord takes the letters and digits from i on. When they are a whole
// word, they are looked up where they stand: nearly all of source code is so.
func (s *scanner) asciiWord(text string, i int) int {
	j := i + 1
	for j < len(text) && classOf[text[j]] == classWord {
		j++
	}
	end := j == len(text) || classOf[text[j]] == classPunct || classOf[text[j]] == classSpace
	if end && s.runes == 0 {
		if j-i > maxWordRunes {
			s.ids = append(s.ids, s.t.unk)
		} else {
			s.ids = pieces(s, text[i:j], &s.t.norm.fold)
		}
		return j
	}
	for k := i; k < j; k++ {
		if !s.put(s.t.norm.fold[text[k]]) {
			break
		}
	}
	return j
}

// put adds one ASCII letter to the word; false when the word is too long for
// more to matter.
func (s *scanner) put(b byte) bool {
	if s.runes > maxWordRunes {
		return false
	}
	s.word = append(s.word, b)
	s.runes++
	return true
}

// punct takes one ASCII sign, or a special token that begins with it.
func (s *scanner) punct(text string, i int) int {
	if text[i] == '[' {
		for _, sp := range s.t.specials {
			if strings.HasPrefix(text[i:], sp.text) {
				s.ids = append(s.ids, sp.id)
				return i + len(sp.text)
			}
		}
	}
	s.ids = pieces(s, text[i:i+1], &identity)
	return i + 1
}

// foreign takes the run of bytes beyond ASCII that begins at i. An ASCII
// character never changes how its neighbour decomposes, so the run can be
// normalised alone.
func (s *scanner) foreign(text string, i int) int {
	j := i + 1
	for j < len(text) && text[j] >= utf8.RuneSelf {
		j++
	}
	for a := i; a < j && len(s.ids) < s.limit; {
		b := foreignEnd(text[:j], a)
		s.buf = s.t.norm.append(s.buf[:0], text[a:b])
		s.feed(s.buf)
		a = b
	}
	return j
}

// foreignEnd cuts a long run into pieces, so that the limit is seen early and
// no text of one script alone is copied whole: at the first character after 256
// bytes that combines with nothing before it.
func foreignEnd(text string, a int) int {
	const piece = 256
	for b := a + piece; b < len(text); b++ {
		r, _ := utf8.DecodeRuneInString(text[b:])
		if r != utf8.RuneError && norm.NFD.PropertiesString(text[b:]).BoundaryBefore() {
			return b
		}
	}
	return len(text)
}

// feed takes normalised text: words, signs and blanks.
func (s *scanner) feed(text []byte) {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case isSpace(r):
			s.flush()
		case isPunct(r):
			s.flush()
			s.ids = pieces(s, text[:n], &identity)
		case s.runes <= maxWordRunes:
			s.word = append(s.word, text[:n]...)
			s.runes++
		}
		text = text[n:]
	}
}

// flush ends the word.
func (s *scanner) flush() {
	if s.runes == 0 {
		return
	}
	if s.runes > maxWordRunes {
		s.ids = append(s.ids, s.t.unk)
	} else {
		s.ids = pieces(s, s.word, &identity)
	}
	s.word, s.runes = s.word[:0], 0
}

// pieces adds the tokens of one word: the longest known beginning, then the
// longest known continuation, and so on; one [UNK] for the whole word when it
// cannot be taken apart.
func pieces[T string | []byte](s *scanner, word T, fold *[256]byte) []int32 {
	ids, from := s.ids, len(s.ids)
	tr := &s.t.trie
	node := rootInitial
	for i := 0; i < len(word); {
		id, end := int32(-1), i
		for j := i; j < len(word); j++ {
			node = tr.next(node, fold[word[j]])
			if node == 0 {
				break
			}
			if v := tr.value[node]; v >= 0 {
				id, end = v, j+1
			}
		}
		if id < 0 {
			return append(ids[:from], s.t.unk)
		}
		ids = append(ids, id)
		i, node = end, rootContinued
	}
	return ids
}
