package exec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/system/proc"
)

// reply is what the command writes. Finish and Error are optional: they let a
// command say what it knows.
type reply struct {
	Text *string `json:"text"`
	// The rest is optional: of another type it is as good as left out, since the
	// answer itself has been paid for.
	Model  loose[string]     `json:"model"`
	Usage  loose[*llm.Usage] `json:"usage"`
	Finish loose[llm.Finish] `json:"finish"`
	Error  *struct {
		Kind       llm.Kind `json:"kind"`
		Message    string   `json:"message"`
		RetryAfter float64  `json:"retry_after"` // seconds
	} `json:"error"`
}

// loose is a value that stays zero where the JSON holds something else.
type loose[T any] struct{ is T }

// UnmarshalJSON implements json.Unmarshaler.
func (l *loose[T]) UnmarshalJSON(data []byte) error {
	var is T
	if json.Unmarshal(data, &is) == nil {
		l.is = is
	}
	return nil
}

// answer reads how the command ended.
func (m *Model) answer(r llm.Request, res proc.Result) (llm.Response, error) {
	switch {
	case res.TimedOut:
		return llm.Response{}, m.fail(llm.Timeout, fmt.Sprintf("the command did not answer within %s", m.o.Timeout),
			"give it more time, or see what it waits for", res)
	case res.Flooded:
		return llm.Response{}, m.fail(llm.BadResponse, fmt.Sprintf("the command wrote more than %d bytes", m.o.MaxBytes),
			"it must write one JSON object and nothing else to its standard output", res)
	}
	said, ok := parse(res.Stdout)
	if ok && said.Error != nil {
		return llm.Response{}, m.told(said, res)
	}
	switch {
	case res.Signal != "" || res.ExitCode != 0:
		return llm.Response{}, m.fail(llm.Crashed, "the command ended with "+ending(res), "run it by hand with a request of docs/llm.md", res)
	case len(bytes.TrimSpace(res.Stdout)) == 0:
		return llm.Response{}, m.fail(llm.BadResponse, "the command wrote nothing to its standard output",
			"it must write one JSON object there (docs/llm.md)", res)
	case !ok:
		why := fmt.Sprintf("the command's answer is no JSON object with a text: %q", head(m.clean(res.Stdout)))
		return llm.Response{}, m.fail(llm.BadResponse, why, "it must write one JSON object to its standard output (docs/llm.md)", res)
	}
	return m.response(r, said), nil
}

// response fills in what the command left out.
func (m *Model) response(r llm.Request, said reply) llm.Response {
	// A command that prints its environment must not bring a key into a record.
	out := llm.Response{Text: llm.Redact(*said.Text, m.secrets), Model: head(m.clean([]byte(said.Model.is))), Finish: said.Finish.is, Attempts: 1}
	if out.Model == "" {
		out.Model = m.o.Name
	}
	if used := said.Usage.is; used == nil || !sane(*used) {
		out.Usage = llm.EstimateUsage(r, out.Text)
	} else {
		out.Usage = *used
	}
	switch out.Finish {
	case llm.FinishStop, llm.FinishLength, llm.FinishFilter, llm.FinishOther:
	default:
		out.Finish = llm.FinishStop
		if !out.Usage.Estimated && out.Usage.OutputTokens >= r.MaxTokens {
			out.Finish = llm.FinishLength
		}
	}
	return out
}

// sane: a usage that was reported, and can be one.
func sane(u llm.Usage) bool {
	const most = 1 << 40 // tokens; sums must not overflow
	for _, n := range []int{u.InputTokens, u.OutputTokens, u.CachedTokens, u.WrittenTokens} {
		if n < 0 || n > most {
			return false
		}
	}
	return u.Tokens() > 0 && u.CachedTokens+u.WrittenTokens <= u.InputTokens
}

// parse reads the object: all of the output, or its last line that is one, since
// some programs log to their standard output.
func parse(stdout []byte) (reply, bool) {
	if said, ok := object(bytes.TrimSpace(stdout)); ok {
		return said, true
	}
	lines := bytes.Split(stdout, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		if line := bytes.TrimSpace(lines[i]); len(line) > 0 && line[0] == '{' {
			return object(line)
		}
	}
	return reply{}, false
}

func object(data []byte) (reply, bool) {
	var said reply
	if err := json.Unmarshal(data, &said); err != nil {
		return reply{}, false
	}
	return said, said.Text != nil || said.Error != nil
}

// told is the failure that the command itself names.
func (m *Model) told(said reply, res proc.Result) error {
	const longest = 24 * 60 * 60 // seconds
	kind := llm.Crashed
	switch k := said.Error.Kind; k {
	case llm.Auth, llm.RateLimited, llm.Overloaded, llm.Timeout, llm.Connection, llm.TooLong, llm.NotFound, llm.BadRequest, llm.BadResponse:
		kind = k
	}
	failure := m.fail(kind, "the command says: "+head(m.clean([]byte(said.Error.Message))), "see what the command's own documentation says of it", res)
	if s := said.Error.RetryAfter; s > 0 {
		failure.RetryAfter = time.Duration(min(s, longest) * float64(time.Second))
	}
	if used := said.Usage.is; used != nil && sane(*used) {
		failure.Usage = *used
	}
	return failure
}

// fail is an error with the end of what the command wrote to standard error.
func (m *Model) fail(kind llm.Kind, why, next string, res proc.Result) *llm.Error {
	if tail := tail(m.clean(res.Stderr)); tail != "" {
		why += "; its standard error ends with: " + tail
	}
	return &llm.Error{Kind: kind, Why: why, Next: next}
}

func ending(res proc.Result) string {
	if res.Signal != "" {
		return "signal " + res.Signal
	}
	return fmt.Sprintf("exit status %d", res.ExitCode)
}

// Parts of a command's output that an error shows, in bytes; guesses: the last
// lines of a traceback, and enough of an answer to see what it is.
const (
	stderrTail = 1500
	stdoutHead = 300
)

func head(s string) string { return strings.ToValidUTF8(s[:min(len(s), stdoutHead)], "") }

// tail begins with a whole line where it can.
func tail(s string) string {
	if len(s) <= stderrTail {
		return s
	}
	s = strings.ToValidUTF8(s[len(s)-stderrTail:], "")
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < stderrTail/2 {
		s = s[i+1:]
	}
	return s
}

// clean takes keys and what steers a terminal out of a command's words. It comes
// before any cut, or half a key would be left.
func (m *Model) clean(b []byte) string {
	s := llm.Redact(strings.ToValidUTF8(string(b), ""), m.secrets)
	s = strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t':
			return c
		case c < ' ' || c >= 0x7f && c < 0xa0 || c >= 0x200b && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069:
			return -1
		}
		return c
	}, s)
	return strings.TrimSpace(llm.Redact(s, m.secrets)) // one that was broken up
}
