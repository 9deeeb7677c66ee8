package probe

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const startLine = `{"k":"KEY","p":7,"t":"start","v":{"python":"3.11.7","seeds":{"PYTHONHASHSEED":"0"}}}` + "\n"

func line7(kind, body string) string {
	return fmt.Sprintf(`{"k":"KEY","p":7,"t":%q,"v":%s}`+"\n", kind, body)
}

func TestParse(t *testing.T) {
	fatal := "Fatal Python error: Aborted\n\nCurrent thread 0x00 (most recent call first):\n  File \"/box/reproduce.py\", line 3 in <module>\n"
	for _, c := range []struct {
		name, in string
		want     Record
	}{
		{"empty", "", Record{}},
		{"start only", startLine, Record{Started: true}},
		{"whole", startLine + line7("end", `{"rss":5000000}`), Record{Started: true, Ended: true, PeakRSS: 5000000}},
		{"torn last line", startLine + `{"k":"KEY","p":7,"t":"ex`, Record{Started: true, Malformed: 1}},
		{"torn before the key", startLine + `{"k":"K`, Record{Started: true, Malformed: 1}},
		{"wrong key", startLine + strings.Replace(line7("obs", `{"name":"x","kind":"int"}`), "KEY", "key", 1), Record{Started: true, Malformed: 1, Forged: true}},
		{"no key", startLine + "{\"p\":7}\n", Record{Started: true, Malformed: 1, Forged: true}},
		{"second start", startLine + startLine, Record{Started: true, Forged: true}},
		{"wrong key alone", `{"k":"other","p":1,"t":"start","v":{}}`, Record{Malformed: 1, Forged: true}},
		{"unknown kind", startLine + line7("verdict", `{"reproduced":true}`), Record{Started: true, Malformed: 1}},
		{"wrong type", startLine + line7("obs", `{"name":3}`), Record{Started: true, Malformed: 1}},
		{"null body", startLine + line7("exc", `null`), Record{Started: true, Malformed: 1}},
		{"noise", startLine + "hello\n\n", Record{Started: true, Malformed: 1}},
		{"fatal", startLine + fatal, Record{Started: true, Fatal: fatal}},
		{"fatal then json", startLine + fatal + line7("exit", `"'x'"`), Record{Started: true, Fatal: fatal, SystemExit: "'x'"}},
		{"fatal with controls", startLine + "Fatal Python error: \x1b[31mred\xff\n", Record{Started: true, Fatal: "Fatal Python error: [31mred\uFFFD\n"}},
		{
			"child", startLine + `{"k":"KEY","p":8,"t":"exc","v":{"type":"E"}}` + "\n" + `{"k":"KEY","p":8,"t":"obs","v":{"name":"c","kind":"int"}}` + "\n" + `{"k":"KEY","p":8,"t":"end","v":{}}`,
			Record{Started: true, Children: 3, Observations: []Observation{{Name: "c", Kind: "int"}}},
		},
		{
			"kinds", startLine + line7("exc", `{"type":"E","message":"m"}`) + line7("warn", `{"category":"W"}`) + line7("name", `{"name":"n","kind":"none"}`) +
				line7("array", `{"name":"a","kind":"array","shape":[2]}`) + line7("deed", `{"kind":"connect","detail":"x:1","script":true}`) + line7("packages", `[{"name":"p","version":"1"}]`),
			Record{
				Started: true, Exceptions: []Exception{{Type: "E", Message: "m"}}, Warnings: []Warning{{Category: "W"}},
				Names: []Observation{{Name: "n", Kind: "none"}}, Arrays: []Observation{{Name: "a", Kind: "array", Shape: []int{2}}},
				Attempts: []Attempt{{Kind: "connect", Detail: "x:1", Script: true}}, Packages: []Package{{Name: "p", Version: "1"}},
			},
		},
	} {
		if c.want.Started {
			c.want.Python, c.want.Seeds = "3.11.7", map[string]string{"PYTHONHASHSEED": "0"}
		}
		if got := Parse([]byte(c.in), "KEY"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestParseCaps(t *testing.T) {
	var b strings.Builder
	b.WriteString(startLine)
	for range 2000 {
		b.WriteString(line7("obs", `{"name":"x","kind":"int","text":"1"}`))
	}
	for range 200 {
		b.WriteString(line7("exc", `{"type":"E"}`))
		b.WriteString(line7("warn", `{"category":"W"}`))
	}
	frames := "[" + strings.TrimSuffix(strings.Repeat(`{"file":"f"},`, 1000), ",") + "]"
	b.WriteString(line7("packages", strings.ReplaceAll(frames, "file", "name")))
	b.WriteString("Fatal Python error: x\n" + strings.Repeat("y\n", maxFatal))
	rec := Parse([]byte(b.String()), "KEY")
	if len(rec.Observations) != maxObservations || len(rec.Exceptions) != maxExceptions || len(rec.Warnings) != maxWarnings ||
		len(rec.Packages) != maxPackages || len(rec.Fatal) > maxFatal {
		t.Errorf("caps: %d observations, %d exceptions, %d warnings, %d packages, %d bytes fatal",
			len(rec.Observations), len(rec.Exceptions), len(rec.Warnings), len(rec.Packages), len(rec.Fatal))
	}
	deep := `{"type":"E","message":"` + strings.Repeat("é", maxText) + `","frames":` + frames + `,"chain":[{"type":"C","chain":[{"type":"D"}]}]}`
	e := Parse([]byte(startLine+line7("exc", deep)), "KEY").Exceptions[0]
	if len(e.Message) > maxText || len(e.Frames) != maxFrames || len(e.Chain) != 1 || e.Chain[0].Chain != nil {
		t.Errorf("exception: %d bytes, %d frames, chain %+v", len(e.Message), len(e.Frames), e.Chain)
	}
	if rec := Parse([]byte(strings.Repeat("x", ChannelLimit+1)), "KEY"); !rec.Truncated {
		t.Error("a full channel is not said to be cut")
	}
}

// TestParseRoundTrip: what the observer would write comes back as it is.
func TestParseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 50, 200)
		key := newKey()
		want := Record{Started: true, Python: "3.12.0"}
		write := func(kind string, v any) string {
			body, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf(`{"k":%q,"p":12,"t":%q,"v":%s}`+"\n", key, kind, body)
		}
		channel := write("start", startBody{Python: "3.12.0"})
		for range rapid.IntRange(0, 5).Draw(t, "observations") {
			o := Observation{Name: text.Draw(t, "name"), Kind: "str", Text: text.Draw(t, "text")}
			want.Observations = append(want.Observations, o)
			channel += write("obs", o)
		}
		for range rapid.IntRange(0, 3).Draw(t, "exceptions") {
			e := Exception{Type: text.Draw(t, "type"), Message: text.Draw(t, "message"), Frames: []Frame{{File: text.Draw(t, "file"), Line: 3}}}
			want.Exceptions = append(want.Exceptions, e)
			channel += write("exc", e)
		}
		if got := Parse([]byte(channel), key); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		// Cut anywhere: never forged, never more than was written.
		cutAt := rapid.IntRange(0, len(channel)).Draw(t, "cut")
		got := Parse([]byte(channel[:cutAt]), key)
		if got.Forged || got.Malformed > 1 || got.Ended || len(got.Observations) > len(want.Observations) {
			t.Fatalf("cut at %d: %+v", cutAt, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(startLine))
	f.Add([]byte("Fatal Python error: x\n{"))
	files, _ := filepath.Glob("testdata/channels/*.txt")
	for _, file := range files {
		if raw, err := os.ReadFile(file); err == nil {
			f.Add(raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		rec := Parse(raw, "KEY")
		if len(rec.Fatal) > 3*maxFatal || len(rec.Observations) > maxObservations || len(rec.Exceptions) > maxExceptions {
			t.Fatal("caps do not hold")
		}
		// Whoever does not know the key gets nothing in.
		other := Parse(raw, "another key")
		if !strings.Contains(string(raw), "another key") && !strings.Contains(string(raw), `\`) &&
			(other.Started || other.Ended || len(other.Observations)+len(other.Exceptions)+len(other.Attempts) > 0) {
			t.Fatalf("a line without the key was believed: %+v", other)
		}
		if _, err := json.Marshal(rec); err != nil {
			t.Fatal(err)
		}
	})
}

// TestRecordedChannels parses what real interpreters wrote (go test -update
// with REPGEN_REAL=1 records them) and asks the same of it as of a live run.
func TestRecordedChannels(t *testing.T) {
	files, err := filepath.Glob("testdata/channels/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded channels: %v", err)
	}
	checked := 0
	for _, file := range files {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), "-")
		for _, s := range scripts {
			if s.name != name+".py" || !slices.Contains(recorded, s.name) {
				continue
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			checked++
			t.Run(filepath.Base(file), func(t *testing.T) {
				s.check(t, observed{rec: Parse(raw, "KEY"), stdout: "main goes on\n"})
			})
		}
	}
	if checked < 20 {
		t.Errorf("only %d recorded channels", checked)
	}
}
