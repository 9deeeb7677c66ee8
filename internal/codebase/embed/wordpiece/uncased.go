package wordpiece

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"sync"
)

// uncasedGz is vocab.txt of bert-base-uncased, which all-MiniLM-L6-v2 and
// ms-marco-MiniLM-L12-v2 share (30,522 tokens; NOTICE has its source).
//
//go:embed uncased.txt.gz
var uncasedGz []byte

// Uncased is the tokenizer of BERT's uncased vocabulary, shipped inside.
var Uncased = sync.OnceValues(func() (*Tokenizer, error) {
	r, err := gzip.NewReader(bytes.NewReader(uncasedGz))
	if err != nil {
		return nil, fmt.Errorf("unpack vocabulary: %w", err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("unpack vocabulary: %w", err)
	}
	return Parse(data)
})
