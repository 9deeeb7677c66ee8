package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Lines is the transport over a pair of streams, one message a line. The SDK's
// own ends the session at the first line that is no message; here such a line
// is answered with an error of the protocol and passed over, so that a stray
// print of a client's wrapper does not take running work down.
func Lines(in io.Reader, out io.WriteCloser) sdk.Transport {
	w := &lineWriter{out: out}
	return &sdk.IOTransport{Reader: io.NopCloser(&lineReader{in: bufio.NewReader(in), out: w, longest: sdk.DefaultMaxLineLength}), Writer: w}
}

// lineWriter keeps whole writes apart: the SDK and the reader below both answer.
type lineWriter struct {
	mu  sync.Mutex
	out io.WriteCloser
}

// Write implements io.Writer; the SDK writes a message at once.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Close implements io.Closer.
func (w *lineWriter) Close() error { return w.out.Close() }

// lineReader hands on the lines that are messages.
type lineReader struct {
	in      *bufio.Reader
	out     io.Writer
	longest int    // bytes of a line
	rest    []byte // of the line that is handed on
}

// Read implements io.Reader.
func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.line()
		if why := fault(line, err); why != nil {
			if _, err := r.out.Write(why); err != nil {
				return 0, fmt.Errorf("answer a line that is no message: %w", err)
			}
			line, err = nil, nil
		}
		if len(line) == 0 && err != nil {
			return 0, err
		}
		r.rest = line
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

var errLong = errors.New("the line is too long")

// line is the next one with its end, and errLong, with the line passed over,
// where it is longer than any message. The last line may lack its end.
func (r *lineReader) line() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > r.longest; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long:
			return nil, errLong
		case err != nil && len(bytes.TrimSpace(line)) > 0:
			return append(line, '\n'), nil // its error comes again
		default:
			return line, err
		}
	}
}

// fault is the answer to a line that is no message, nil for one that is, or is
// empty.
func fault(line []byte, err error) []byte {
	line = bytes.TrimSpace(line)
	code, why := int64(0), ""
	switch {
	case errors.Is(err, errLong):
		code, why = jsonrpc.CodeInvalidRequest, "the line is longer than any message may be"
	case len(line) == 0 || line[0] == '[' && json.Valid(line): // a batch is the SDK's matter
		return nil
	case !json.Valid(line):
		code, why = jsonrpc.CodeParseError, "each line of standard input must be one JSON-RPC message, this one is no JSON"
	default:
		if _, err := jsonrpc.DecodeMessage(line); err == nil {
			return nil
		}
		code, why = jsonrpc.CodeInvalidRequest, "each line of standard input must be one JSON-RPC 2.0 message"
	}
	answer, err := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", nil, &jsonrpc.Error{Code: code, Message: why}})
	if err != nil {
		return nil // of plain strings and a number: cannot happen
	}
	return append(answer, '\n')
}
