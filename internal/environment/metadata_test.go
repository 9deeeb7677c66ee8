package environment

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRepairMetadata(t *testing.T) {
	for _, c := range []struct {
		name, line, want string // want: the line afterwards, "" when it is left out
		note             bool
	}{
		{"plain", "Requires-Dist: numpy", "Requires-Dist: numpy", false},
		{"old brackets", "Requires-Dist: numpy (>=1.18.0,<2)", "Requires-Dist: numpy (>=1.18.0,<2)", false},
		{"marker", "Requires-Dist: importlib-metadata (>=4.8.1) ; python_version < \"3.8\"", "Requires-Dist: importlib-metadata (>=4.8.1) ; python_version < \"3.8\"", false},
		{"wildcard that is taken", "Requires-Dist: torch>=1.7.*", "Requires-Dist: torch>=1.7.*", false},
		{"trailing dot of an extra", "Requires-Dist: opencv-python (>=3.) ; extra == 'accept-rom-license'", "", true},
		{"trailing dot", "Requires-Dist: opencv-python (>=3.)", "Requires-Dist: opencv-python (>=3)", true},
		{"one clause of two", "Requires-Dist: pytz (>dev,>=2020)", "Requires-Dist: pytz (>=2020)", true},
		{"nothing readable", "Requires-Dist: pytz (>dev)", "Requires-Dist: pytz", true},
		{"missing comma", "Requires-Dist: pyyaml (>=5.1<6)", "Requires-Dist: pyyaml (>=5.1,<6)", true},
		{"extras kept", "Requires-Dist: ray[tune] (>=1.)", "Requires-Dist: ray[tune] (>=1)", true},
		{"bad marker", "Requires-Dist: enum34 ; python_version < 3.4'", "Requires-Dist: enum34", true},
		{"direct reference", "Requires-Dist: x @ git+ssh://host/x", "Requires-Dist: x @ git+ssh://host/x", false},
		{"no name of an extra", "Requires-Dist: ??? ; extra == 'a'", "", true},
		{"python", "Requires-Python: >=3.6", "Requires-Python: >=3.6", false},
		{"python wildcard", "Requires-Python: >=3.6.*", "Requires-Python: >=3.6.*", false},
		{"python bound", "Requires-Python: >=3.6,<=three", "Requires-Python: >=3.6", true},
		{"python nothing", "Requires-Python: three", "", true},
		{"another header", "Summary: >=3.", "Summary: >=3.", false},
	} {
		text := "Name: x\n" + c.line + "\nVersion: 1\n\nRequires-Dist: (>=3.) in the README\n"
		got, notes := repairMetadata(text)
		want := text
		if c.want != c.line {
			want = strings.Replace(text, c.line+"\n", map[bool]string{true: "", false: c.want + "\n"}[c.want == ""], 1)
		}
		if got != want || (len(notes) > 0) != c.note {
			t.Errorf("%s:\n%q, notes %q\nwant\n%q", c.name, got, notes, want)
		}
	}
}

// TestRepairIsDone: a repaired text needs no repair, whatever it held, and
// nothing but the two headers changes.
func TestRepairIsDone(t *testing.T) {
	spec := rapid.StringMatching(`[<>=~!]{0,3}[0-9a-z.*]{0,5}`)
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"Requires-Dist: a (", "Requires-Python: ", "Requires-Dist: b[c]"}).Draw(t, "head") +
			rapid.StringOfN(rapid.RuneFrom([]rune(">=<~!.,*019adev ()'\";")), 0, 12, -1).Draw(t, "text") +
			strings.Join(rapid.SliceOfN(spec, 0, 3).Draw(t, "specs"), ",") +
			rapid.SampledFrom([]string{"", ")", " ; extra == 'z'", " ; python_version < '3'", " ; or ("}).Draw(t, "tail")
		text := "Name: x\n" + line + "\nVersion: 1\n\n" + line + "\n"
		once, notes := repairMetadata(text)
		twice, again := repairMetadata(once)
		if twice != once || len(again) > 0 {
			t.Fatalf("%q became %q (%q), then %q (%q)", line, once, notes, twice, again)
		}
		if (once == text) != (len(notes) == 0) {
			t.Fatalf("%q: notes %q", line, notes)
		}
		if !strings.HasPrefix(once, "Name: x\n") || !strings.HasSuffix(once, "Version: 1\n\n"+line+"\n") {
			t.Fatalf("%q: more changed than the line: %q", line, once)
		}
	})
}

func FuzzRepairMetadata(f *testing.F) {
	f.Add("Name: x\nRequires-Dist: opencv-python (>=3.) ; extra == 'a'\r\n\nbody")
	f.Add("Requires-Python: >=3.6,<=three")
	f.Fuzz(func(t *testing.T, text string) {
		once, notes := repairMetadata(text)
		if len(notes) == 0 && once != text {
			t.Fatalf("changed without a word: %q", once)
		}
		if twice, again := repairMetadata(once); twice != once || len(again) > 0 {
			t.Fatalf("%q is not done: %q %q", once, twice, again)
		}
	})
}
