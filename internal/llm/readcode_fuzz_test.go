package llm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/llm"
)

// known says that an error is one of those that the readers promise.
func known(err error) bool {
	for _, e := range []error{llm.ErrEmpty, llm.ErrTruncated, llm.ErrNoJSON, llm.ErrNoCode, llm.ErrLanguage, llm.ErrTooLong} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func FuzzReadCode(f *testing.F) {
	for _, s := range []string{
		"```python\nprint(1)\n```", "~~~\nx = '''\n~~~\n'''\n~~~", ">>> x = 1\n>>> x", "<think>x</think>",
		`{"code":"import os\nprint(os)"}`, "```", "``` ``` ```", "- ```py\n  x = 1\n  ```", "\x00\xff", "import os\nos.(",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		code, _, err := llm.ReadCode(text)
		if err != nil && (!known(err) || code != "") {
			t.Fatalf("code %q with error %v", code, err)
		}
		if err == nil && (!strings.HasSuffix(code, "\n") || len(code) > llm.MaxScript+1) {
			t.Fatalf("code %q", code)
		}
	})
}

func FuzzReadJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":1}`, `{'a': True,}`, `{“a”: 1`, `{"s":"print("x")"}`, "{\"s\":\"\"\"x\"\"\"}", `[{"a":1`, `{"a":1e999}`,
		`{"a" : "\u12`, `{"a":1 /* x */}`, `{"l":["x" "y"]}`, `{a:1,b:.5e}`, "\xff{\"s\":\"\xff\"}", `{"a":-}`, `{"a":1]}`, `{"`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var loose any
		if _, err := llm.ReadJSON(text, nil, &loose); err != nil && !known(err) {
			t.Fatal(err)
		}
		got := answer{A: -99}
		if _, err := llm.ReadJSON(text, []byte(answerSchema), &got); err != nil && (!known(err) || got.A != -99) {
			t.Fatalf("%+v with error %v", got, err)
		}
	})
}

// Valid JSON is read as it is, and nothing is repaired.
func TestReadJSONKeepsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := answer{
			A: rapid.Int().Draw(t, "a"), S: rapid.String().Draw(t, "s"),
			L: rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "l"), B: rapid.Bool().Draw(t, "b"),
		}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got answer
		repairs, err := llm.ReadJSON("So:\n```json\n"+string(data)+"\n```", []byte(answerSchema), &got)
		if err != nil || len(repairs) > 0 {
			t.Fatalf("%s: %v, repairs %q", data, err, repairs)
		}
		back, err := json.Marshal(got)
		if err != nil || string(back) != string(data) {
			t.Fatalf("%s became %s (%v)", data, back, err)
		}
	})
}

// An answer that is cut inside is never taken for a whole one.
func TestReadJSONNeverTakesAPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := answer{A: 1, S: rapid.StringMatching(`[a-z "\\\n{}\[\],:]{1,20}`).Draw(t, "s"), L: []string{"p", "q"}, B: true}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		// The last two members are left out of the cut, so that a string or a list is open.
		cut := strings.LastIndex(string(data), `"q"`)
		at := rapid.IntRange(1, cut).Draw(t, "at")
		var got answer
		repairs, err := llm.ReadJSON(string(data[:at]), nil, &got)
		if err == nil && len(repairs) == 0 {
			t.Fatalf("%s was taken for whole", data[:at])
		}
		if err != nil && !errors.Is(err, llm.ErrTruncated) {
			t.Fatalf("%s: %v", data[:at], err)
		}
	})
}

// The time of reading grows with the length of an answer and not with its square,
// whatever it is made of. (A megabyte of each was measured: 0.1 to 1 s.)
func TestReadersAreLinear(t *testing.T) {
	for name, part := range map[string]string{
		"brackets": "[", "braces": `{"`, "objects": `{"a":`, "quotes": `"""`, "strings": `{"a":"`, "lists": `["""`, "comments": "/*{",
		"pairs": `{"x":1} `, "fences": "```python\n'''\n", "blocks": "```python\nx = 1\n```\n", "unclosed": "```python\n'''\n```\n",
		"smart": "{“", "prose": "Hello world. ", "prompts": ">>> x\n", "tags": "<think>", "lines": "\n", "nul": "\x00",
		"calls": "print(", "keys": `{"a":{"b":[`, "words": "{a ", "minus": "[-", "cut": "{\"a\":1,\n",
	} {
		t.Run(name, func(t *testing.T) {
			const size = 4 << 10
			short, long := time.Hour, time.Hour
			for try := 0; ; try++ {
				// The best of some tries: collecting garbage blurs them.
				short, long = min(short, timeToRead(t, part, size)), min(long, timeToRead(t, part, 8*size))
				// Linear is 8, quadratic 64.
				if long < 24*short || long < 100*time.Millisecond {
					return
				}
				if try == 5 {
					t.Fatalf("%s for %d bytes, %s for eight times as many", short, size, long)
				}
			}
		})
	}
}

// timeToRead is of the processor: other work on the machine is not in it.
func timeToRead(t *testing.T, part string, size int) time.Duration {
	text := strings.Repeat(part, size/len(part))
	began := cpuTime(t)
	var into answer
	_, _ = llm.ReadJSON(text, []byte(answerSchema), &into)
	_, _, _ = llm.ReadCode(text)
	return cpuTime(t) - began
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
