package wordpiece

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxFile bounds a vocabulary that is read: BERT's tokenizer.json is half a
// megabyte, the multilingual one nine (guess with room).
const maxFile = 64 << 20

// Load reads a vocab.txt or a tokenizer.json; of a folder tokenizer.json, and
// vocab.txt when there is none.
func Load(path string) (*Tokenizer, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		dir := path
		path = filepath.Join(dir, "tokenizer.json")
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			path = filepath.Join(dir, "vocab.txt")
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("read tokenizer %s: over %d MiB", path, maxFile>>20)
	}
	t, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read tokenizer %s: %w", path, err)
	}
	return t, nil
}

// Parse reads the bytes of a tokenizer.json (they begin with a brace) or of a
// vocab.txt (a token a line, its number the line's). Of tokenizer.json the
// vocabulary, the special tokens and the normaliser's flags are taken; the
// truncation and padding stored in it belong to whoever saved it and are
// passed over.
func Parse(data []byte) (*Tokenizer, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		return parseJSON(trimmed)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	vocab := make([]string, len(lines))
	for i, l := range lines {
		vocab[i] = strings.TrimSuffix(l, "\r")
	}
	return New(vocab)
}

// New makes a tokenizer from a vocabulary, each token's number its place, with
// BERT's uncased rules. It fails when [UNK], [CLS] or [SEP] is missing.
func New(vocab []string) (*Tokenizer, error) {
	t := &Tokenizer{norm: normalizer{lower: true, strip: true, spaced: true}}
	byName := map[string]int32{}
	for _, name := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		for i, v := range vocab {
			if v == name {
				byName[name] = int32(i)
				t.specials = append(t.specials, special{name, int32(i)})
				break
			}
		}
	}
	return t, t.fill(vocab, byName)
}

// fill builds the trie.
func (t *Tokenizer) fill(vocab []string, byName map[string]int32) error {
	for _, s := range []struct {
		name string
		to   *int32
	}{{"[UNK]", &t.unk}, {"[CLS]", &t.cls}, {"[SEP]", &t.sep}} {
		id, ok := byName[s.name]
		if !ok {
			return fmt.Errorf("the vocabulary has no %s", s.name)
		}
		*s.to = id
	}
	t.pad = byName["[PAD]"] // 0 when there is none, BERT's number for it
	t.norm.fold = makeFold(t.norm.lower)
	t.size = len(vocab)
	// Tokens share about half of their letters with others (measured on BERT's):
	// that many nodes, and the table need not grow.
	letters := 0
	for _, v := range vocab {
		letters += len(v)
	}
	t.trie = newTrie(letters / 2)
	for i, v := range vocab {
		if rest, ok := strings.CutPrefix(v, "##"); ok && rest != "" {
			t.trie.add(rootContinued, rest, int32(i))
		} else if v != "" {
			t.trie.add(rootInitial, v, int32(i))
		}
	}
	return nil
}

// file is the part of tokenizer.json that matters here.
type file struct {
	Added []struct {
		ID      int32  `json:"id"`
		Content string `json:"content"`
	} `json:"added_tokens"`
	Normalizer *struct {
		Type   string `json:"type"`
		Clean  *bool  `json:"clean_text"`
		Spaced *bool  `json:"handle_chinese_chars"`
		Strip  *bool  `json:"strip_accents"`
		Lower  *bool  `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer *struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type   string           `json:"type"`
		Prefix string           `json:"continuing_subword_prefix"`
		Max    int              `json:"max_input_chars_per_word"`
		Vocab  map[string]int32 `json:"vocab"`
	} `json:"model"`
}

func parseJSON(data []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if err := f.supported(); err != nil {
		return nil, err
	}
	vocab, err := f.vocabulary()
	if err != nil {
		return nil, err
	}
	n := f.Normalizer
	t := &Tokenizer{norm: normalizer{lower: isTrue(n.Lower, true), spaced: isTrue(n.Spaced, true)}}
	t.norm.strip = isTrue(n.Strip, t.norm.lower) // null means: as lowercase says
	byName := map[string]int32{}
	for _, name := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"} {
		if id, ok := f.Model.Vocab[name]; ok {
			byName[name] = id
		}
	}
	// The scanner looks for special tokens at a bracket only. Others ("<s>") are
	// of other tokenizers.
	for _, a := range f.Added {
		if strings.HasPrefix(a.Content, "[") {
			t.specials = append(t.specials, special{a.Content, a.ID})
		}
	}
	return t, t.fill(vocab, byName)
}

// supported says why the file needs rules that are not built here.
func (f *file) supported() error {
	switch {
	case f.Model.Type != "WordPiece" && f.Model.Type != "":
		return fmt.Errorf("a %s tokenizer is not supported, only WordPiece", f.Model.Type)
	case len(f.Model.Vocab) == 0:
		return errors.New("no vocabulary in it")
	case f.Normalizer == nil || f.Normalizer.Type != "BertNormalizer":
		return errors.New("its normalizer is not BertNormalizer")
	case !isTrue(f.Normalizer.Clean, true):
		return errors.New("a normalizer without clean_text is not supported")
	case f.PreTokenizer == nil || f.PreTokenizer.Type != "BertPreTokenizer":
		return errors.New("its pre-tokenizer is not BertPreTokenizer")
	case f.Model.Prefix != "" && f.Model.Prefix != "##":
		return fmt.Errorf("continuing prefix %q is not supported", f.Model.Prefix)
	case f.Model.Max != 0 && f.Model.Max != maxWordRunes:
		return fmt.Errorf("max_input_chars_per_word %d is not supported", f.Model.Max)
	}
	return nil
}

// vocabulary turns name to number round. Numbers may have gaps, but not more
// than there are names: a file cannot ask for a table of any size.
func (f *file) vocabulary() ([]string, error) {
	limit := int32(2*len(f.Model.Vocab) + 1000)
	var top int32
	for name, id := range f.Model.Vocab {
		if id < 0 || id >= limit {
			return nil, fmt.Errorf("token %q has the number %d, out of range", name, id)
		}
		top = max(top, id)
	}
	for _, a := range f.Added {
		if a.ID < 0 || a.ID > top {
			return nil, fmt.Errorf("added token %q has the number %d, out of range", a.Content, a.ID)
		}
	}
	vocab := make([]string, top+1)
	for name, id := range f.Model.Vocab {
		if vocab[id] == "" || name < vocab[id] { // of two names for a number always the same
			vocab[id] = name
		}
	}
	return vocab, nil
}

func isTrue(b *bool, unset bool) bool {
	if b == nil {
		return unset
	}
	return *b
}
