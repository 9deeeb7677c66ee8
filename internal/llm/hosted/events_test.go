package hosted

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"
)

// all reads the events of a stream.
func all(r io.Reader) ([]string, error) {
	e := NewEvents(r)
	var out []string
	for {
		one, err := e.Next()
		if err != nil {
			return out, err
		}
		out = append(out, one.Name+"|"+string(one.Data))
	}
}

func TestEvents(t *testing.T) {
	tests := map[string]struct {
		stream string
		want   []string
	}{
		"nothing":               {"", nil},
		"one":                   {"data: a\n\n", []string{"|a"}},
		"named":                 {"event: x\ndata: a\n\ndata: b\n\n", []string{"x|a", "|b"}},
		"name last":             {"data: a\nevent: x\n\n", []string{"x|a"}},
		"two names":             {"event: x\nevent: y\ndata: a\n\n", []string{"y|a"}},
		"name without data":     {"event: x\n\ndata: a\n\n", []string{"|a"}},
		"lines":                 {"data: a\ndata:\ndata:  b\n\n", []string{"|a\n\n b"}},
		"no data but its field": {"data\n\ndata:\n\ndata\ndata\n\n", []string{"|", "|", "|\n"}},
		"one space only":        {"data:a\n\ndata:  a\n\ndata:\ta\n\n", []string{"|a", "| a", "|\ta"}},
		"comments":              {": ping\n\n:\n\ndata: a\n: b\ndata: c\n\n", []string{"|a\nc"}},
		"other fields":          {"id: 7\nretry: 10\ndatum: x\nDATA: y\n data: z\ndata: a\n\n", []string{"|a"}},
		"colons":                {`data: {"a":"b: c"}` + "\n\n", []string{`|{"a":"b: c"}`}},
		"CRLF":                  {"event: x\r\ndata: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", []string{"x|a\nb", "|c"}},
		"CR":                    {"event: x\rdata: a\rdata: b\r\rdata: c\r\r", []string{"x|a\nb", "|c"}},
		"mixed":                 {"data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", []string{"|a", "|b", "|c"}},
		"CR and two LF":         {"data: a\r\n\n\ndata: b\n\n", []string{"|a", "|b"}},
		"byte order mark":       {"\ufeffdata: a\n\n", []string{"|a"}},
		"a second mark":         {"\ufeff\ufeffdata: a\n\ndata: b\n\n", []string{"|b"}},
		"a mark later":          {"data: a\n\n\ufeffdata: b\n\n", []string{"|a"}},
		"cut in an event":       {"data: a\n\ndata: b\n", []string{"|a"}},
		"cut in a line":         {"data: a\n\ndata: b", []string{"|a"}},
		"no UTF-8":              {"data: \xff\x00\n\n", []string{"|\xff\x00"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := all(strings.NewReader(tt.stream))
			if !errors.Is(err, io.EOF) || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// A line or an event without an end takes no memory without one.
func TestEventsTooBig(t *testing.T) {
	for name, stream := range map[string]string{
		"a line":    strings.Repeat("x", 200),
		"a comment": ":" + strings.Repeat("x", 200) + "\n\n",
		"an event":  strings.Repeat("data: 0123456789\n", 20),
		"empty":     strings.Repeat("data\n", 200),
	} {
		e := NewEvents(strings.NewReader(stream))
		e.most = 100
		if _, err := e.Next(); !errors.Is(err, errBigEvent) {
			t.Errorf("%s: %v", name, err)
		}
	}
	e := NewEvents(strings.NewReader("data: " + strings.Repeat("x", 94) + "\n\n"))
	e.most = 100
	if one, err := e.Next(); err != nil || len(one.Data) != 94 {
		t.Errorf("a line of the most: %v", err)
	}
}

// What breaks the line is told as it is.
func TestEventsBroken(t *testing.T) {
	broken := errors.New("reset")
	got, err := all(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("%q %v", got, err)
	}
}

// An event is given when its end is there, and nothing after it is waited for.
func TestEventsAtOnce(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		r, w := io.Pipe()
		e := NewEvents(r)
		came := make(chan error, 1)
		go func() {
			_, err := e.Next()
			came <- err
		}()
		if _, err := io.WriteString(w, "data: a"+end); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-came:
			if err != nil {
				t.Errorf("%q: %v", end, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("%q: the event is held back", end)
		}
		_ = w.Close()
	}
}

// inPieces gives a text as it comes over a line.
type inPieces struct {
	text []byte
	size func() int
}

func (p *inPieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.size(), len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

// Where a stream is cut into pieces does not matter, nor how its lines end.
func TestEventsPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "data: a", "data:", "data: {\"b\":1}", "event: x", ": c", "data", "id: 7", "ünï"}), 0, 30).Draw(t, "lines")
		want, _ := all(strings.NewReader(strings.Join(append(lines, ""), "\n")))
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		stream := []byte(strings.Join(append(lines, ""), end))
		got, err := all(&inPieces{stream, func() int { return rapid.IntRange(1, 5).Draw(t, "size") }})
		if !errors.Is(err, io.EOF) || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %q, %v, want %q", stream, got, err, want)
		}
	})
}

// What is written as events is read as it was.
func TestEventsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab: \n\ufeffü{}")), 1, 40, -1)
		var stream strings.Builder
		var want []string
		for range rapid.IntRange(0, 5).Draw(t, "events") {
			data := text.Draw(t, "data")
			want = append(want, "e|"+data)
			fmt.Fprintf(&stream, "event: e\ndata: %s\n\n", strings.ReplaceAll(data, "\n", "\ndata: "))
		}
		if got, _ := all(strings.NewReader(stream.String())); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// FuzzEvents: nothing makes the reader panic or stay, one byte at a time is as
// good as all, and no more comes out than went in.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "event: x\r\ndata: a\r\n\r\n", "\ufeffdata\r\rdata:b\r\n\n", ": c\n\nid: 3\nretry: x\n\ndata: a"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, err := all(bytes.NewReader(stream))
		slow, slowErr := all(iotest.OneByteReader(bytes.NewReader(stream)))
		if !errors.Is(err, io.EOF) || !errors.Is(slowErr, io.EOF) || !reflect.DeepEqual(got, slow) {
			t.Errorf("%q, %v; by the byte %q, %v", got, err, slow, slowErr)
		}
		size := 0
		for _, one := range got {
			size += len(one)
		}
		if size > len(stream) {
			t.Errorf("%d bytes of %d", size, len(stream))
		}
	})
}
