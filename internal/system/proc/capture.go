package proc

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// maxLine bounds one line handed to OnLine, in bytes.
const maxLine = 64 << 10

// capture keeps the start and the end of a stream of any length in bounded
// memory: the cause of a failure often stands first, its effect last.
type capture struct {
	keep    int64
	flood   int64
	onFlood func()
	onLine  func(string)

	mu    sync.Mutex
	head  []byte // at most keep/2
	tail  []byte // a ring of at most keep - keep/2 bytes
	next  int    // where the ring is written next, once full
	total int64
	line  []byte // the unfinished line
}

// readFrom takes everything until the stream ends or is closed.
func (c *capture) readFrom(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			c.add(buf[:n])
			c.lines(buf[:n])
		}
		if err != nil {
			break
		}
	}
	if c.onLine != nil && len(c.line) > 0 {
		c.onLine(string(c.line))
		c.line = nil
	}
}

func (c *capture) add(b []byte) {
	c.mu.Lock()
	c.total += int64(len(b))
	flooded := c.flood > 0 && c.total > c.flood
	if room := int(c.keep/2) - len(c.head); room > 0 {
		n := min(room, len(b))
		c.head = append(c.head, b[:n]...)
		b = b[n:]
	}
	c.addTail(b)
	c.mu.Unlock()
	if flooded {
		c.onFlood()
	}
}

// addTail writes into the ring.
func (c *capture) addTail(b []byte) {
	size := int(c.keep - c.keep/2)
	if len(b) > size {
		b = b[len(b)-size:]
	}
	if room := size - len(c.tail); room > 0 {
		n := min(room, len(b))
		c.tail = append(c.tail, b[:n]...)
		b = b[n:]
	}
	for len(b) > 0 {
		n := copy(c.tail[c.next:], b)
		c.next = (c.next + n) % size
		b = b[n:]
	}
}

// bytes is what was kept, with a note where bytes are missing, and the true
// length.
func (c *capture) bytes() ([]byte, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := append([]byte{}, c.head...)
	if left := c.total - int64(len(c.head)+len(c.tail)); left > 0 {
		out = fmt.Appendf(out, "\n... %d bytes left out ...\n", left)
	}
	out = append(out, c.tail[c.next:]...)
	return append(out, c.tail[:c.next]...), c.total
}

// lines cuts the stream for OnLine; an overlong line is handed on in pieces.
func (c *capture) lines(b []byte) {
	if c.onLine == nil {
		return
	}
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			c.line = append(c.line, b...)
			if len(c.line) >= maxLine {
				c.onLine(string(c.line[:maxLine]))
				c.line = append(c.line[:0], c.line[maxLine:]...)
			}
			return
		}
		c.line = append(c.line, b[:i]...)
		c.onLine(string(bytes.TrimSuffix(c.line, []byte("\r"))))
		c.line = c.line[:0]
		b = b[i+1:]
	}
}
