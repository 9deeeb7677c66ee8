package mcp

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

type keepOpen struct{ *bytes.Buffer }

func (keepOpen) Close() error { return nil }

func reader(in io.Reader, longest int) (*lineReader, *bytes.Buffer) {
	var out bytes.Buffer
	return &lineReader{in: bufio.NewReaderSize(in, 16), out: &lineWriter{out: keepOpen{&out}}, longest: longest}, &out
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// TestLines: what is no message is answered and passed over, all else goes on.
func TestLines(t *testing.T) {
	for name, tt := range map[string]struct{ in, out, says string }{
		"a message":        {ping + "\n", ping + "\n", ""},
		"no end":           {ping, ping + "\n", ""},
		"words before one": {"starting up...\n" + ping + "\n", ping + "\n", "-32700"},
		"not JSON-RPC":     {`{"a":1}` + "\n" + ping + "\n", ping + "\n", "-32600"},
		"a number":         {"7\n" + ping + "\n", ping + "\n", "-32600"},
		"empty lines":      {"\n \n" + ping + "\n", "\n \n" + ping + "\n", ""},
		"a batch":          {"[" + ping + "]\n", "[" + ping + "]\n", ""},
		"too long":         {strings.Repeat("x", 500) + "\n" + ping + "\n", ping + "\n", "longer"},
		"half at the end":  {ping + "\n{\"json", ping + "\n", "-32700"},
		"not UTF-8":        {"\xff\xfe\x00\n" + ping + "\n", ping + "\n", "-32700"},
		"nothing":          {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				r, out := reader(in, 200)
				got, err := io.ReadAll(r)
				if err != nil || string(got) != tt.out {
					t.Errorf("it hands on %q, %v", got, err)
				}
				if (out.Len() > 0) != (tt.says != "") || !strings.Contains(out.String(), tt.says) {
					t.Errorf("it answers %q", out)
				}
			}
		})
	}
}

// TestSessionOutlivesNoise: the session goes on after a line that is no message.
func TestSessionOutlivesNoise(t *testing.T) {
	in, say := io.Pipe()
	hear, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), Lines(in, out), Options{Log: slog.New(slog.DiscardHandler)}) }()
	answers := bufio.NewScanner(hear)
	for _, step := range []struct{ line, want string }{{"noise", "-32700"}, {ping, `"result"`}, {`{"jsonrpc":1}`, "-32600"}, {ping, `"result"`}} {
		if _, err := io.WriteString(say, step.line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() || !strings.Contains(answers.Text(), step.want) {
			t.Fatalf("%s was answered with %q, %v", step.line, answers.Text(), answers.Err())
		}
	}
	_ = say.Close()
	go func() { _, _ = io.Copy(io.Discard, hear) }()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestLinesKeepMessages: whatever stands between them, messages arrive whole
// and in order, and each other line is answered once.
func TestLinesKeepMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{ping, "noise", `{"x":`, `"s"`, "{}", strings.Repeat("y", 300)})).Draw(t, "lines")
		want, bad := "", 0
		for _, l := range lines {
			if l == ping {
				want += ping + "\n"
			} else {
				bad++
			}
		}
		r, out := reader(strings.NewReader(strings.Join(lines, "\n")), 250)
		got, err := io.ReadAll(r)
		if err != nil || string(got) != want || strings.Count(out.String(), "\n") != bad {
			t.Fatalf("%q, %v, answers %q", got, err, out)
		}
	})
}
