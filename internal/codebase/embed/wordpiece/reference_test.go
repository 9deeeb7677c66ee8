package wordpiece

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// reference is the published algorithm as it is usually written down: slow,
// word by word, with the vocabulary in a map.
func reference(vocab []string, text string) []int32 {
	number := map[string]int32{}
	for i, v := range vocab {
		if _, ok := number[v]; !ok {
			number[v] = int32(i)
		}
	}
	var clean strings.Builder
	for _, r := range strings.ToValidUTF8(text, "") {
		switch {
		case r == 0 || r == 0xfffd || unicode.Is(unicode.Cc, r) && !strings.ContainsRune("\t\n\r", r) || r >= 128 && unicode.Is(dropped, r):
		case unicode.IsSpace(r):
			clean.WriteByte(' ')
		case isCJK(r):
			clean.WriteString(" " + string(r) + " ")
		default:
			clean.WriteRune(r)
		}
	}
	var folded strings.Builder
	for _, r := range norm.NFD.String(clean.String()) {
		if unicode.Is(marks, r) {
			continue
		}
		if isPunct(r) {
			folded.WriteString(" " + string(r) + " ")
			continue
		}
		folded.WriteRune(unicode.ToLower(r))
	}
	var ids []int32
	for _, w := range strings.Fields(folded.String()) {
		ids = append(ids, referenceWord(number, []rune(w))...)
	}
	return ids
}

func referenceWord(number map[string]int32, word []rune) []int32 {
	unknown := []int32{number["[UNK]"]}
	if len(word) > maxWordRunes {
		return unknown
	}
	var ids []int32
	for at := 0; at < len(word); {
		end := len(word)
		for ; end > at; end-- {
			piece := string(word[at:end])
			if at > 0 {
				piece = "##" + piece
			}
			if id, ok := number[piece]; ok {
				ids = append(ids, id)
				break
			}
		}
		if end == at {
			return unknown
		}
		at = end
	}
	return ids
}

// TestReference wants the reference's tokens for any small vocabulary and any
// text made of its letters and of what is awkward.
func TestReference(t *testing.T) {
	letters := []string{"a", "b", "A", "é", "e\u0301", "ß", "日", " ", "\t", "\u00a0", ".", "_", "\u200b", "\x00", "\xff", "ab", "\u0301", "Σ", "[", "≠"}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`(##)?[abeσs日._=\[]{1,4}`), 0, 30).Draw(t, "vocabulary")
		vocab := append([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, words...)
		tk, err := New(vocab)
		if err != nil {
			t.Fatal(err)
		}
		parts := rapid.SliceOfN(rapid.SampledFrom(letters), 0, 200).Draw(t, "text")
		text := strings.Join(parts, "")
		want := reference(vocab, text)
		if got := tk.Append(nil, text, noLimit); !slices.Equal(got, want) {
			t.Fatalf("%q with %q: %d, want %d", text, words, got, want)
		}
	})
}

// TestLongRuns has runs beyond ASCII that are taken in pieces.
func TestLongRuns(t *testing.T) {
	tk := uncased(t)
	vocab := make([]string, tk.Size())
	for text, id := range words(tk) {
		vocab[id] = text
	}
	for _, text := range []string{
		strings.Repeat("日", 400),
		strings.Repeat("é", 90) + strings.Repeat("\u0301", 400) + "é b",
		strings.Repeat("\u0301", 700) + "é",
		strings.Repeat("привет。", 60),
		strings.Repeat("ไ", 300),
		strings.Repeat("\xc3", 255) + "éé" + strings.Repeat("\xff", 300) + "é",
		strings.Repeat("가각", 100) + "\u1100\u1161",
		strings.Repeat("o\u0302\u0323", 200) + "ộ",
	} {
		want := reference(vocab, text)
		if got := tk.Append(nil, text, noLimit); !slices.Equal(got, want) {
			t.Errorf("%.40q...: %d, want %d", text, got, want)
		}
	}
}

// TestReferenceUncased does the same with the whole vocabulary and any text.
func TestReferenceUncased(t *testing.T) {
	tk := uncased(t)
	vocab := make([]string, tk.Size())
	for text, id := range words(tk) {
		vocab[id] = text
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 60, -1).Draw(t, "text")
		if strings.Contains(text, "[") || strings.ContainsRune(text, 'İ') {
			return
		}
		want := reference(vocab, text)
		if got := tk.Append(nil, text, noLimit); !slices.Equal(got, want) {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
	})
}

// words reads the vocabulary back out of the trie.
func words(tk *Tokenizer) map[string]int32 {
	spelled := map[uint32]string{rootInitial: "", rootContinued: "##"}
	out := map[string]int32{}
	// A node's number is above its parent's: in order, each parent is known.
	edges := slices.DeleteFunc(slices.Clone(tk.trie.edges), func(e edge) bool { return e.key == 0 })
	slices.SortFunc(edges, func(a, b edge) int { return int(a.next) - int(b.next) })
	for _, e := range edges {
		spelled[e.next] = spelled[e.key>>8] + string([]byte{byte(e.key)})
		if id := tk.trie.value[e.next]; id >= 0 {
			out[spelled[e.next]] = id
		}
	}
	return out
}

// TestTrie wants every token to be found, and nothing else, through growth.
func TestTrie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.MapOfN(rapid.StringN(1, 12, -1), rapid.Int32Range(0, 1<<20), 0, 300).Draw(t, "tokens")
		tr := newTrie(1) // too small on purpose
		for _, text := range slices.Sorted(maps.Keys(tokens)) {
			tr.add(rootInitial, text, tokens[text])
		}
		find := func(root uint32, text string) int32 {
			for i := range len(text) {
				if root = tr.next(root, text[i]); root == 0 {
					return -1
				}
			}
			return tr.value[root]
		}
		for text, id := range tokens {
			if got := find(rootInitial, text); got != id {
				t.Fatalf("%q: %d, want %d", text, got, id)
			}
			if got := find(rootContinued, text); got != -1 {
				t.Fatalf("%q is found as a continuation: %d", text, got)
			}
			if _, ok := tokens[text+"x"]; !ok && find(rootInitial, text+"x") != -1 {
				t.Fatalf("%qx is found", text)
			}
		}
	})
}

// TestLongestFirst holds the rule's promises: the room is used up, the shorter
// text is not cut while the longer one is longer, no more than there is.
func TestLongestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		na, nb := rapid.IntRange(0, 600).Draw(t, "a"), rapid.IntRange(0, 600).Draw(t, "b")
		room := rapid.IntRange(0, 600).Draw(t, "room")
		ka, kb := longestFirst(na, nb, room)
		if ka > na || kb > nb || ka < 0 || kb < 0 || ka+kb != min(na+nb, room) {
			t.Fatalf("%d and %d in %d: %d and %d", na, nb, room, ka, kb)
		}
		if ka < na && kb > ka+1 || kb < nb && ka > kb+1 {
			t.Fatalf("%d and %d in %d: %d and %d: the shorter one is cut", na, nb, room, ka, kb)
		}
	})
}
