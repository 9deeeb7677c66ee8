package symptom

import (
	"os"
	"strings"
	"testing"
)

// TestPairs reads two tables of failures: those of the first are the same
// however they are told, those of the second never are.
func TestPairs(t *testing.T) {
	for file, same := range map[string]bool{"testdata/pairs-same.txt": true, "testdata/pairs-different.txt": false} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for row := range strings.Lines(string(data)) {
			if strings.HasPrefix(row, "#") {
				continue
			}
			e, o, ok := strings.Cut(strings.TrimSpace(row), " => ")
			if !ok {
				t.Fatalf("%s: %q has no arrow", file, row)
			}
			count++
			expected, observed := told(e), told(o)
			if len(observed.Frames) == 0 {
				// The observed side always knows where: some library's line.
				observed.Frames = []Frame{scriptCall, mathFrame}
			}
			if m := Compare(expected, observed); (m.Relation == Same) != same {
				t.Errorf("%s: %s\n%s %+v", file, strings.TrimSpace(row), m.Relation, m.Fields)
			}
		}
		if count < 40 {
			t.Errorf("%s: only %d pairs", file, count)
		}
	}
}

// told reads one side of a pair.
func told(s string) Symptom {
	text, frames, _ := strings.Cut(s, " @ ")
	class, message, _ := strings.Cut(text, ":")
	out := Symptom{Kind: Exception, Exception: class, Message: strings.ReplaceAll(strings.TrimSpace(message), `\n`, "\n")}
	for f := range strings.SplitSeq(frames, ", ") {
		if file, function, ok := strings.Cut(f, " in "); ok {
			fr := newFrame(file, function, 1, "")
			if strings.Contains(file, "/") {
				fr = newFrame("/env/lib/python3.11/site-packages/"+file, function, 1, "")
			}
			out.Frames = append(out.Frames, fr)
		}
	}
	return settle(out)
}

// TestCorpusWithItself: each failure of the corpus is the same as itself, and
// nothing that failed compares as none.
func TestCorpusWithItself(t *testing.T) {
	files, logs := corpus(t)
	var before Symptom
	for i, c := range logs {
		for _, s := range FromText(c.log) {
			m := Compare(s, s)
			// What shows no frame at all, or no class, is never believed to be the same.
			if _, ok := Innermost(s.Frames); (ok && s.Exception != "" || s.Kind != Exception && s.Kind != ImportError) && m.Relation != Same {
				t.Errorf("%s: %s %+v", files[i], m.Relation, m.Fields)
			}
			if len(m.Fields) == 0 || m.Fields[0].Field != "kind" {
				t.Errorf("%s: no field says what decided: %+v", files[i], m)
			}
			if got := Compare(s, Symptom{}).Relation; got != None {
				t.Errorf("%s: against nothing: %s", files[i], got)
			}
			if before.Kind != "" && (Compare(s, before).Relation == None || Compare(before, s).Relation == None) {
				t.Errorf("%s: two failures compare as none", files[i])
			}
			before = s
		}
	}
	if m := Compare(Symptom{}, Symptom{}); m.Relation != None {
		t.Errorf("nothing against nothing: %s", m.Relation)
	}
}

// TestCorpusApart: no two logs of the corpus that tell of different failures
// are the same. Logs that one hand made from another are.
func TestCorpusApart(t *testing.T) {
	files, logs := corpus(t)
	var all []Symptom
	var from []string
	for i, c := range logs {
		for _, s := range FromText(c.log) {
			if s.Kind == Exception && s.Exception != "" && len(s.Frames) > 0 {
				all, from = append(all, s), append(from, files[i])
			}
		}
	}
	for i, e := range all {
		for j, o := range all {
			// Another class is a collision by TestPairs; asking for each pair takes
			// long, so a third of them stands for all.
			if (i+j)%3 != 0 || from[i] == from[j] || className(e.Exception) != className(o.Exception) || Compare(e, o).Relation != Same {
				continue
			}
			if a, b := Normalise(firstLine(e.Message)), Normalise(firstLine(o.Message)); a != "" && b != "" && !strings.Contains(a, b) && !strings.Contains(b, a) && sentence(a) != sentence(b) {
				t.Errorf("%s and %s: %q is %q", from[i], from[j], e.Message, o.Message)
			}
		}
	}
}

// TestCompareByKind: what is measured is compared by its kind alone, and a
// hang by where it hung.
func TestCompareByKind(t *testing.T) {
	for _, k := range []Kind{Memory, Slow, Nondeterminism, NoLearning, Duplicates, WrongValue, Shape, DType, NonFinite} {
		if m := Compare(Symptom{Kind: k, Message: "words"}, Symptom{Kind: k}); m.Relation != Same {
			t.Errorf("%s: %s", k, m.Relation)
		}
		if m := Compare(Symptom{Kind: k}, Symptom{Kind: Exception, Exception: "ValueError"}); m.Relation != Collision {
			t.Errorf("%s against an exception: %s", k, m.Relation)
		}
	}
	if m := Compare(Symptom{Kind: Unknown}, Symptom{Kind: Unknown}); m.Relation == Same {
		t.Error("two unknown things are the same")
	}
	lock := Frame{File: "threading.py", Where: "stdlib", Function: "acquire"}
	hang := func(frames ...Frame) Symptom { return Symptom{Kind: Hang, Frames: frames} }
	for _, c := range []struct {
		name string
		e, o Symptom
		want Relation
	}{
		{"no stack was stated", hang(), hang(scriptCall, mathFrame, lock), Same},
		{"only the script was stated", hang(scriptCall), hang(scriptCall, mathFrame, lock), Same},
		{"the same place", hang(scriptCall, mathFrame, lock), hang(scriptCall, mathFrame), Same},
		{"another place", hang(scriptCall, mathFrame, lock), hang(scriptCall, otherFrame, lock), Elsewhere},
		{"in the script", hang(scriptCall, mathFrame), hang(scriptCall, lock), Elsewhere},
		{"no hang", hang(mathFrame), Symptom{}, None},
		{"a crash", hang(mathFrame), Symptom{Kind: Signal, Signal: "SIGSEGV"}, Collision},
	} {
		if m := Compare(c.e, c.o); m.Relation != c.want {
			t.Errorf("%s: %s, want %s: %+v", c.name, m.Relation, c.want, m.Fields)
		}
	}
	wanted := Symptom{Kind: MissingException, Exception: "ValueError"}
	if m := Compare(wanted, Symptom{Kind: MissingException, Exception: "TypeError"}); m.Relation != Collision {
		t.Errorf("another missing exception: %s", m.Relation)
	}
	if m := Compare(wanted, Symptom{Kind: MissingException}); m.Relation != Same {
		t.Errorf("a missing exception without a name: %s", m.Relation)
	}
}
