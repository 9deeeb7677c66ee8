// Package agenttest helps to test the agent: reports that try to steer a model,
// and what of a request stands outside of its fences. Only tests import it.
package agenttest

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/report"
)

//go:embed testdata/injections/*.txt
var files embed.FS

// Injection is a report, of an honest bug, that also speaks to a model.
type Injection struct {
	Name string // "html-comment"
	What string // where and how it is hidden
	// Canary is a word that stands in nothing but the order, and that no answer
	// and no prompt outside of a fence may hold. Where the order is encoded, so
	// is the canary.
	Canary string
	Text   string
}

// Report is the text, parsed.
func (i Injection) Report() *report.Report { return Report(i.Text) }

// Report parses a text.
func Report(text string) *report.Report {
	return report.Parse([]byte(text), report.Source{Kind: "file", Name: "report.md"})
}

// Injections are all of them, in the order of their names.
func Injections(t testing.TB) []Injection {
	t.Helper()
	names, err := fs.Glob(files, "testdata/injections/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no injections: %v", err)
	}
	var all []Injection
	for _, name := range names {
		raw, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		i, err := parse(name, string(raw))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, i)
	}
	return all
}

// parse reads one file: two header lines, "---", then the report, in which
// characters that an editor would not show are spelled out.
func parse(name, raw string) (Injection, error) {
	head, text, ok := strings.Cut(raw, "\n---\n")
	what, canary, both := strings.Cut(head, "\ncanary: ")
	if !ok || !both {
		return Injection{}, fmt.Errorf("%s: no header", name)
	}
	base := strings.TrimSuffix(filepath.Base(name), ".txt")
	_, short, _ := strings.Cut(base, "-")
	return Injection{
		Name:   short,
		What:   strings.TrimPrefix(what, "what: "),
		Canary: strings.TrimSpace(canary),
		Text:   spelled.ReplaceAllStringFunc(text, unspell),
	}, nil
}

// spelled: \u{202e} is that character, \zw{text} the text's bits as zero-width
// characters, \tag{text} the text in tag characters.
var spelled = regexp.MustCompile(`\\(u|zw|tag)\{([^{}]*)\}`)

func unspell(s string) string {
	m := spelled.FindStringSubmatch(s)
	var b strings.Builder
	switch m[1] {
	case "u":
		code, err := strconv.ParseUint(m[2], 16, 32)
		if err != nil {
			return s
		}
		b.WriteRune(rune(code))
	case "zw":
		for _, c := range []byte(m[2]) {
			for bit := range 8 {
				b.WriteRune([]rune{0x200b, 0x200c}[c>>(7-bit)&1])
			}
		}
	case "tag":
		for _, c := range []byte(m[2]) {
			b.WriteRune(0xE0000 + rune(c))
		}
	}
	return b.String()
}

var (
	opens  = regexp.MustCompile(`^<<<DATA ([0-9a-f]+)>>>$`)
	closes = regexp.MustCompile(`^<<<END ([0-9a-f]+)>>>$`)
)

// Outside is what of a request's system and user turns stands outside of every
// fence: what a model may take for an instruction. The model's own turns are not
// part of it.
func Outside(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		if m.Role == llm.Assistant {
			continue
		}
		id := ""
		for line := range strings.Lines(m.Content) {
			bare := strings.TrimSuffix(line, "\n")
			if id == "" {
				if open := opens.FindStringSubmatch(bare); open != nil {
					id = open[1]
					continue
				}
				b.WriteString(line)
			} else if end := closes.FindStringSubmatch(bare); end != nil && end[1] == id {
				id = ""
			}
		}
		if id != "" {
			b.WriteString("\nAN OPEN FENCE " + id + "\n")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Sent is a request as it is sent, for goldens.
func Sent(r llm.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "purpose %s, at most %d tokens, sample %d, schema %t\n", r.Purpose, r.MaxTokens, r.Sample, len(r.Schema) > 0)
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "\n=== %s\n%s\n", m.Role, m.Content)
	}
	return b.String()
}

// Golden compares with a file, or writes it anew.
func Golden(t testing.TB, path, got string, update bool) {
	t.Helper()
	if update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if string(want) == got {
		return
	}
	wants, gots := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(wants), len(gots)) {
		if i >= len(wants) || i >= len(gots) || wants[i] != gots[i] {
			t.Fatalf("%s differs from line %d (go test -update writes it anew):\nwant %q\ngot  %q", path, i+1, at(wants, i), at(gots, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}
