package store

import (
	"container/list"
	"context"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/repgen/repgen/internal/codebase/chunk"
)

// textBytes is what of the project's text is kept for the next question: all
// of keras is 14 MB, and embedding asks for chunks in the order of their
// length (guess).
const textBytes = 16 << 20

// Text is the source of the i-th chunk, read from the tree again. The error is
// ErrChanged, wrapped, when the file is another one by now, or what reading it
// gave.
func (s *Store) Text(ctx context.Context, i int) (string, error) {
	c, src, err := s.source(ctx, i)
	if err != nil {
		return "", err
	}
	return string(src[c.Start:c.End]), nil
}

// EmbedText is what of the i-th chunk is embedded; errors are those of Text.
func (s *Store) EmbedText(ctx context.Context, i int) (string, error) {
	c, src, err := s.source(ctx, i)
	if err != nil {
		return "", err
	}
	return s.o.EmbedText(c, src), nil
}

// Source is the text of a file, which must not be changed; errors are those of
// Text.
func (s *Store) Source(ctx context.Context, path string) ([]byte, error) {
	// Not under the lock: reading a tree may take long, and Close must not wait.
	s.mu.RLock()
	f, ok := s.img.find(path)
	var sum, size uint32
	if ok {
		sum, size = s.img.files[f].TextSum, s.img.files[f].TextLen
	}
	closed := s.img.data == nil
	s.mu.RUnlock()
	if closed {
		return nil, fmt.Errorf("read %s: %w", path, ErrClosed)
	}
	if !ok {
		return nil, fmt.Errorf("read %s: not in the index", path)
	}
	// A kept text is the one that was indexed, whatever the file is by now.
	if src, ok := s.texts.get(path); ok {
		return src, nil
	}
	src, err := s.tree.Read(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("read %s again: %w", path, err)
	}
	if uint64(len(src)) != uint64(size) || crc32.Checksum(src, castagnoli) != sum {
		return nil, fmt.Errorf("%s: %w", path, ErrChanged)
	}
	s.texts.put(path, src)
	return src, nil
}

// source is a chunk and the text of its file.
func (s *Store) source(ctx context.Context, i int) (chunk.Chunk, []byte, error) {
	s.mu.RLock()
	if !s.has(i) {
		n := len(s.img.chunks)
		s.mu.RUnlock()
		return chunk.Chunk{}, nil, fmt.Errorf("chunk %d of %d: not in the index", i, n)
	}
	c := s.chunk(i)
	s.mu.RUnlock()
	src, err := s.Source(ctx, c.Path)
	return c, src, err
}

// textCache keeps the texts that were asked for last, up to textBytes.
type textCache struct {
	mu    sync.Mutex
	at    map[string]*list.Element
	order list.List // of text, the latest first
	bytes int
}

type text struct {
	path string
	src  []byte
}

func (c *textCache) get(path string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[path]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(text).src, true
}

func (c *textCache) put(path string, src []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.at[path]; ok {
		return
	}
	if c.at == nil {
		c.at = map[string]*list.Element{}
	}
	c.at[path] = c.order.PushFront(text{path, src})
	c.bytes += len(src)
	for c.bytes > textBytes && c.order.Len() > 1 {
		last := c.order.Remove(c.order.Back()).(text)
		delete(c.at, last.path)
		c.bytes -= len(last.src)
	}
}
