package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/oracle"
)

// bombs are small texts that a reader of YAML makes gigabytes or minutes of.
func bombs() map[string]string {
	aliases := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		old, name := string(rune('a'+i)), string(rune('b'+i))
		aliases += name + ": &" + name + " [" + strings.Repeat("*"+old+",", 8) + "*" + old + "]\n"
	}
	var indented strings.Builder
	for i := range 2000 {
		indented.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return map[string]string{
		"a value of aliases": aliases + "expected: fixed\nshape: *j\n",
		"a list of aliases":  aliases + "expected: fixed\naccept: *j\n",
		"a merged mapping":   "a: &a {b: c}\nexpected: fixed\nsymptom:\n  <<: *a\n",
		"brackets":           "expected: fixed\nshape: " + strings.Repeat("[", 60_000),
		"braces":             "expected: fixed\nz: " + strings.Repeat("{a: ", 15_000),
		"closed brackets":    "expected: fixed\nz: " + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000),
		"entries of entries": "expected: fixed\nz:\n  " + strings.Repeat("- ", 30_000) + "x\n",
		"indented":           "expected: fixed\n" + indented.String(),
		"too long":           "expected: fixed\n" + strings.Repeat("# x\n", 20_000),
		"an open quote":      "expected: fixed\nshape: '" + strings.Repeat("''", 40_000),
	}
}

// TestBombsAmongAnswers: each is refused at once. The clock only ends a test that
// would never end.
func TestBombsAmongAnswers(t *testing.T) {
	for name, text := range bombs() {
		done := make(chan error, 1)
		go func() { _, err := readAnswer([]byte(text)); done <- err }()
		select {
		case err := <-done:
			if err == nil || len(err.Error()) > 4<<10 {
				t.Errorf("%s: %.200v", name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it takes minutes", name)
		}
	}
	a, err := readAnswer([]byte("expected: fixed\naccept: [lead, regression]\nneeds_llm: true\nsymptom:\n  kind: shape\nnotes: |\n  & and * stand in words: *x, &y\n"))
	if err != nil || a.Expected != oracle.Fixed || len(a.Accept) != 2 || !a.NeedsLLM || a.Symptom.Kind != "shape" {
		t.Errorf("%+v, %v", a, err)
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, text := range bombs() {
		f.Add([]byte(text[:min(len(text), 4<<10)]))
	}
	f.Add([]byte("expected: fixed\naccept: [lead]\n"))
	f.Fuzz(func(t *testing.T, text []byte) { _, _ = readAnswer(text) })
}
