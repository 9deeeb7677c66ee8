package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/report"
)

// TestEveryFailureIsOneObject: with --json there is one object on standard
// output in any case, of the command's own kind, also where the command line was
// not understood. Standard error says it in words.
func TestEveryFailureIsOneObject(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	alone, result := []string{"error", "schema"}, []string(nil)
	verified := []string{"differences", "error", "from_bundle", "not_compared", "ran", "result", "schema", "tampered"}
	for _, c := range []struct {
		args string
		keys []string // nil: those of a result
	}{
		{"triage NOWHERE", alone}, {"env NOWHERE", alone}, {"env explain NOWHERE", alone}, {"env NOWHERE --python x", alone},
		{"bench NOWHERE", alone}, {"bench retrieval NOWHERE", alone}, {"doctor --index nonsense", alone},
		{"search NOWHERE --query x", alone}, {"index NOWHERE", alone}, {"triage --bogus", alone}, {"--bogus", alone},
		{"reproduce NOWHERE", result}, {"reproduce --bogus", result}, {"reproduce x --runs many", result},
		{"judge NOWHERE --report NOWHERE", result}, {"judge --bogus", result}, {"show NOWHERE", result}, {"show", result},
		{"verify NOWHERE", verified}, {"verify", verified}, {"verify NOWHERE --index nonsense", verified},
		{"models pull --bogus", []string{"error"}}, {"models verify NOWHERE", []string{"error"}},
	} {
		var out, errs bytes.Buffer
		args := append(strings.Fields(strings.ReplaceAll(c.args, "NOWHERE", nowhere)), "--json")
		code := Main(args, strings.NewReader(""), &out, &errs)
		if want := exitUsage; code != want && !(c.args == "verify NOWHERE" && code == exitFailed) {
			t.Errorf("%s: exit code %d", c.args, code)
		}
		if c.keys == nil {
			if err := validResult(out.Bytes()); err != nil {
				t.Errorf("%s: %v", c.args, err)
			}
			continue
		}
		var got map[string]any
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Errorf("%s: %v in %q", c.args, err, out.String())
		} else if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, c.keys) {
			t.Errorf("%s: the object has %v, want %v", c.args, keys, c.keys)
		}
	}
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestLostWordsAreAFailure: what could not be written was not said.
func TestLostWordsAreAFailure(t *testing.T) {
	t.Setenv("REPGEN_CACHE_DIR", t.TempDir())
	path := filepath.Join(t.TempDir(), "report.md")
	if err := os.WriteFile(path, []byte("# It fails\n\n```python\nimport numpy\nnumpy.f()\n```\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"triage", path}, {"triage", path, "-q"}, {"triage", path, "--json"}, {"models", "list"}, {"version"}} {
		var errs bytes.Buffer
		if code := Main(args, strings.NewReader(""), full{}, &errs); code != exitFailed {
			t.Errorf("%v: exit code %d", args, code)
		}
		if !strings.Contains(errs.String(), "no space left") || strings.Count(errs.String(), "repgen: ") != 1 {
			t.Errorf("%v: %q", args, errs.String())
		}
	}
	if code := Main([]string{"triage", filepath.Join(path, "nowhere")}, strings.NewReader(""), full{}, new(bytes.Buffer)); code == exitOK {
		t.Error("a failure became a good ending")
	}
}

// TestUnfinishedSaysHowToGoOn: the next step can be copied as it stands.
func TestUnfinishedSaysHowToGoOn(t *testing.T) {
	dir := begun(t)
	var out, errs bytes.Buffer
	if code := Main([]string{"show", dir, "--json"}, strings.NewReader(""), &out, &errs); code != exitFailed {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if err := validResult(out.Bytes()); err != nil {
		t.Error(err)
	}
	want := "repgen reproduce --resume " + relative(dir)
	if !strings.Contains(out.String(), want) || !strings.Contains(errs.String(), want) {
		t.Errorf("no %q in\n%s\n%s", want, out.String(), errs.String())
	}
	page := filepath.Join(t.TempDir(), "run.html")
	errs.Reset()
	if code := Main([]string{"show", dir, "--html", page}, strings.NewReader(""), &out, &errs); code != exitOK || !strings.Contains(errs.String(), page) {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}

// TestScriptInABundle: the script of a run's bundle lies in the run.
func TestScriptInABundle(t *testing.T) {
	dir := begun(t)
	other := t.TempDir()
	for script, want := range map[string]string{
		filepath.Join(dir, "candidate.py"):             dir,
		filepath.Join(dir, "bundle", "reproduce.py"):   dir,
		filepath.Join(other, "bundle", "reproduce.py"): "",
		"-": "",
	} {
		if got := (&judgeCmd{Script: script}).run(); got != want {
			t.Errorf("%s: the run %q, want %q", script, got, want)
		}
	}
}

// begun is a run folder in which nothing has been done.
func begun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	request, err := json.Marshal(pipeline.Request{Report: &report.Report{Text: "numpy fails"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "00-request.json"), request, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
