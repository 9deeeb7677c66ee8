package hosted

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent bounds a line and an event, in bytes. A guess: half of what a whole
// answer may have, since a gateway may put all of it into one event.
const maxEvent = maxAnswer / 2

// errBigEvent ends a stream with a line or an event that does not end.
var errBigEvent = errors.New("the answer has an event of more than 32 MiB")

// Event of a stream of server-sent events.
type Event struct {
	// Name is the event's type, "" where none is told.
	Name string
	// Data are its lines, joined by line feeds. It is valid until the next event.
	Data []byte
}

// Events reads server-sent events as the HTML standard, section 9.2.6, says: a
// line ends with CR, LF or both, a byte order mark may come first, lines that
// begin with a colon are comments, and an event that the stream's end cuts is
// none. An event's id and the time to wait are of no use here.
type Events struct {
	r    *bufio.Reader
	most int
	// line and data keep their room between events.
	line, data []byte
	// begun: the first line was read. afterCR: the last one ended with CR, so
	// that a LF that comes next belongs to it. It is not waited for: it may be
	// that nothing comes until we answered.
	begun, afterCR bool
}

// NewEvents reads r, which is not closed.
func NewEvents(r io.Reader) *Events {
	return &Events{r: bufio.NewReader(r), most: maxEvent}
}

// Next gives the next event that has data; io.EOF after the last.
func (e *Events) Next() (Event, error) {
	name, has := "", false
	e.data = e.data[:0]
	for {
		line, err := e.next()
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			if has {
				return Event{Name: name, Data: e.data}, nil
			}
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if has {
				e.data = append(e.data, '\n')
			}
			has = true
			if len(e.data)+len(value) > e.most {
				return Event{}, errBigEvent
			}
			e.data = append(e.data, value...)
		}
	}
}

// next gives a line without its end.
func (e *Events) next() ([]byte, error) {
	e.line = e.line[:0]
	for {
		b, err := e.r.ReadByte()
		if err != nil {
			return nil, err // a line without an end belongs to an event without one
		}
		lateLF := e.afterCR && b == '\n'
		e.afterCR = b == '\r'
		switch {
		case lateLF:
		case b == '\r', b == '\n':
			return e.marked(e.line), nil
		case len(e.line) >= e.most:
			return nil, errBigEvent
		default:
			e.line = append(e.line, b)
		}
	}
}

// marked takes the byte order mark off the first line.
func (e *Events) marked(line []byte) []byte {
	if e.begun {
		return line
	}
	e.begun = true
	return bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
}
