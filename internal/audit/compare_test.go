package audit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

// wanted is the first line of a script: what must follow from it.
type wanted struct {
	consequence Consequence
	suspect     Suspect
	says        string
}

func readWanted(t testing.TB, script string) wanted {
	t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	w := wanted{suspect: Suspect{Modules: []string{"lib"}}}
	rest, says, _ := strings.Cut(line, ", says ")
	w.says = says
	names := []string{}
	for i, part := range strings.Split(strings.TrimPrefix(rest, "# want: "), ", ") {
		name, isName := strings.CutPrefix(part, "names ")
		switch {
		case i == 0:
			w.consequence = Consequence(part)
		case isName:
			names = append(names, name)
		case part == "ends":
			w.suspect.Ends = true
		default:
			t.Fatalf("%s: %q", script, line)
		}
	}
	if len(names) > 0 {
		w.suspect.Named = func(name string) bool { return slices.Contains(names, name) }
	}
	return w
}

// readLog reads a log that a real interpreter has left.
func readLog(t testing.TB, name string) *Log {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/logs", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var rec probe.Record
	if err := json.Unmarshal(data, &rec.Audit); err != nil {
		t.Fatal(err)
	}
	l, err := Read(rec)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return l
}

// TestScripts: honest scripts and liars over two releases of a tiny library, by
// the logs that their executions left (real_test.go makes them).
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/scripts/*.py")
	if err != nil || len(scripts) < 45 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".py")
		t.Run(name, func(t *testing.T) {
			check(t, script, Compare(readLog(t, name+"-reported"), readLog(t, name+"-control"), readLog(t, name+"-again"), readWanted(t, script).suspect))
		})
	}
}

func check(t *testing.T, script string, f Finding) {
	t.Helper()
	w, said := readWanted(t, script), f.Reason
	if f.Divergence != nil {
		said += "\n" + f.Divergence.String()
	}
	if f.Consequence != w.consequence || !strings.Contains(said, w.says) {
		t.Errorf("%s, want %s with %q:\n%s", f.Consequence, w.consequence, w.says, said)
	}
	t.Logf("%s: %s", f.Consequence, said)
}
