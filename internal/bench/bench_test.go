package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
)

// fakeRunner answers by the report's text, "headline grade".
type fakeRunner struct {
	calls  atomic.Int32
	cancel context.CancelFunc // called in the middle of a run when set
}

func (f *fakeRunner) Run(ctx context.Context, report, dir string) (*proof.Result, error) {
	f.calls.Add(1)
	if f.cancel != nil {
		f.cancel()
		return nil, ctx.Err()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, err
	}
	words := append(strings.Fields(string(text)), "")
	if words[0] == "layer" {
		return nil, fmt.Errorf("run: %w", &sandbox.LayerError{Layer: "filesystem", Why: "no bubblewrap"})
	}
	if words[0] == "broken" {
		return nil, errors.New("the index is down")
	}
	return &proof.Result{
		Headline: oracle.Headline(words[0]), Grade: oracle.Grade(words[1]), Hits: 5, Runs: 5,
		Environment: &proof.ResultEnv{Rung: 2},
		Cost:        proof.Cost{SandboxSeconds: 2, Stages: map[string]float64{"solve": 1, "runs": 3}},
	}, nil
}

// folder writes cases as "report / answer".
func folder(t *testing.T, cases map[string][2]string) string {
	t.Helper()
	dir := t.TempDir()
	for id, c := range cases {
		if err := os.Mkdir(filepath.Join(dir, id), 0o755); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{reportFile, answerFile} {
			if c[i] == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, id, name), []byte(c[i]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

var sample = map[string][2]string{
	"a-found":    {"fixed B", "expected: reproduced\nneeds_llm: false\nsymptom: {kind: shape}\n"},
	"b-missed":   {"not_reproduced", "expected: reproduced\nneeds_llm: false\n"},
	"c-lead":     {"lead D", "expected: reproduced\naccept: [lead]\nneeds_llm: false\n"},
	"d-model":    {"needs_model", "expected: reproduced\nneeds_llm: true\n"},
	"e-false":    {"reproduced C", "expected: not_a_bug\naccept: [lead]\nneeds_llm: false\n"},
	"f-exact":    {"needs_hardware", "expected: needs_hardware\nneeds_llm: false\n"},
	"g-accepted": {"lead D", "expected: not_a_bug\naccept: [lead]\nneeds_llm: true\n"},
	"h-flaky-d":  {"flaky D", "expected: not_reproduced\nneeds_llm: false\n"},
	"i-broken":   {"broken", "expected: regression\nneeds_llm: false\n"},
	"j-weak":     {"reproduced C", "expected: reproduced\nneeds_llm: false\n"},
}

func runSample(t *testing.T, r Runner, dir string, opts Options) *Table {
	t.Helper()
	cases, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := Run(t.Context(), r, cases, opts)
	if err != nil {
		t.Fatal(err)
	}
	return Summarise(opts.Identity, outcomes)
}

func TestTable(t *testing.T) {
	table := runSample(t, &fakeRunner{}, folder(t, sample), Options{Out: t.TempDir(), Jobs: 3, Identity: "v1"})
	if want := []string{"e-false"}; !reflect.DeepEqual(table.FalseClaims, want) {
		t.Errorf("false claims %v, want %v: flaky with grade D claims nothing", table.FalseClaims, want)
	}
	if want := (Recall{Of: 5, GradeC: 2, GradeB: 1, Accepted: 1, Missed: []string{"b-missed", "i-broken"}}); !reflect.DeepEqual(table.Reachable, want) {
		t.Errorf("reachable %+v, want %+v", table.Reachable, want)
	}
	if want := (Recall{Of: 1, Missed: []string{"d-model"}}); !reflect.DeepEqual(table.Model, want) {
		t.Errorf("with a model %+v, want %+v", table.Model, want)
	}
	if want := (Exact{Of: 3, Exact: 1, Wrong: []string{"e-false", "h-flaky-d"}}); !reflect.DeepEqual(table.Negatives, want) {
		t.Errorf("negatives %+v, want %+v", table.Negatives, want)
	}
	if want := (Exact{Of: 1, Exact: 1, Wrong: []string{}}); !reflect.DeepEqual(table.ModelNegatives, want) {
		t.Errorf("negatives with a model %+v, want %+v", table.ModelNegatives, want)
	}
	if got := table.Confusion[oracle.Reproduced][oracle.Fixed]; got != 1 {
		t.Errorf("reproduced got as fixed: %d", got)
	}
	if table.Grades["D"] != 3 || table.Rungs[0] != 1 || table.Rungs[2] != 9 {
		t.Errorf("grades %v, rungs %v", table.Grades, table.Rungs)
	}
	if table.Times.Of != 9 || table.Times.Stages["runs"] != 3 || table.Times.Sandbox != 2 {
		t.Errorf("times %+v", table.Times)
	}
}

func TestMarkdown(t *testing.T) {
	table := runSample(t, &fakeRunner{}, folder(t, sample), Options{Out: t.TempDir(), Identity: "v1"})
	var b strings.Builder
	if err := Markdown(&b, table); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"**False claims: 1: e-false**", "2 of 5 claimed (grade C or better), 1 of 5 with grade B", "missed: b-missed, i-broken",
		"| expected \\ got | reproduced | fixed | flaky | lead | not_reproduced | needs_model | needs_hardware | failed |",
		"| e-false | not_a_bug | reproduced | C | 5 of 5 | 2 | 0 | FALSE CLAIM |", "| d-model | reproduced | needs_model |",
		"failed (the index is down)", "Grades: none 4, B 1, C 2, D 3", "no environment: 1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if i, j := strings.Index(text, "False claims"), strings.Index(text, "Positives"); i < 0 || j < i {
		t.Error("false claims do not come first")
	}
}

func TestResume(t *testing.T) {
	dir, out := folder(t, sample), t.TempDir()
	r := &fakeRunner{}
	opts := Options{Out: out, Identity: "v1", Key: someKey}
	first := runSample(t, r, dir, opts)
	calls := r.calls.Load()
	again := runSample(t, r, dir, opts)
	// Only the case that failed is tried again.
	if got := r.calls.Load() - calls; got != 1 {
		t.Errorf("%d cases ran again, want the failed one", got)
	}
	if !reflect.DeepEqual(first.Confusion, again.Confusion) || again.Times.Of != 0 {
		t.Errorf("the table changed: %v, %+v", again.Confusion, again.Times)
	}
	calls = r.calls.Load()
	opts.Identity = "v2"
	runSample(t, r, dir, opts)
	if got := int(r.calls.Load() - calls); got != len(sample) {
		t.Errorf("another version ran %d of %d cases", got, len(sample))
	}
	// A corrected answer is graded anew without a run.
	if err := os.WriteFile(filepath.Join(dir, "e-false", answerFile), []byte("expected: reproduced\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if table := runSample(t, r, dir, opts); len(table.FalseClaims) != 0 {
		t.Errorf("false claims %v", table.FalseClaims)
	}
}

func TestCancelled(t *testing.T) {
	cases, err := Read(folder(t, sample))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out := t.TempDir()
	if _, err := Run(ctx, &fakeRunner{cancel: cancel}, cases, Options{Out: out, Identity: "v1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if found, _ := filepath.Glob(filepath.Join(out, "*", outcomeFile)); len(found) > 0 {
		t.Errorf("an interrupted case has an outcome: %v", found)
	}
}

func TestNoIsolation(t *testing.T) {
	cases, err := Read(folder(t, map[string][2]string{"x": {"layer", "expected: fixed"}, "y": {"fixed B", "expected: fixed"}}))
	if err != nil {
		t.Fatal(err)
	}
	var layer *sandbox.LayerError
	if _, err := Run(t.Context(), &fakeRunner{}, cases, Options{Out: t.TempDir(), Identity: "v1"}); !errors.As(err, &layer) {
		t.Errorf("error %v: a benchmark without isolation measures nothing", err)
	}
}

func TestRead(t *testing.T) {
	tests := map[string]struct {
		cases map[string][2]string
		want  string
	}{
		"empty":       {nil, "no case found"},
		"no answer":   {map[string][2]string{"x": {"report", ""}}, answerFile},
		"no report":   {map[string][2]string{"x": {"", "expected: fixed"}}, reportFile},
		"not yaml":    {map[string][2]string{"x": {"r", "expected: [\n"}}, "read case.yaml of the case x"},
		"bad word":    {map[string][2]string{"x": {"r", "expected: great"}}, `"great" is no headline`},
		"bad accept":  {map[string][2]string{"x": {"r", "expected: fixed\naccept: [so-so]"}}, `"so-so" is no headline`},
		"other files": {map[string][2]string{"x": {"", ""}}, "no case found"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(folder(t, tt.cases)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := Read(filepath.Join(t.TempDir(), "nowhere")); err == nil {
		t.Error("a missing folder is read")
	}
	one := folder(t, map[string][2]string{"x": {"r", "expected: fixed"}})
	if cases, err := Read(filepath.Join(one, "x")); err != nil || len(cases) != 1 || cases[0].ID != "x" {
		t.Errorf("a case itself: %+v, %v", cases, err)
	}
}

// TestCounts: whatever the outcomes, every case is counted once in each table,
// and a false claim is never counted as right.
func TestCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []Outcome
		for range rapid.IntRange(0, 30).Draw(t, "n") {
			list = append(list, Outcome{
				ID: rapid.StringN(1, 5, 10).Draw(t, "id"), Expected: rapid.SampledFrom(headlines).Draw(t, "expected"),
				Headline: rapid.SampledFrom(headlines).Draw(t, "got"), NeedsLLM: rapid.Bool().Draw(t, "llm"),
				Grade: rapid.SampledFrom([]oracle.Grade{"", "A", "B", "C", "D"}).Draw(t, "grade"),
			})
		}
		table := Summarise("x", list)
		sum := 0
		for _, row := range table.Confusion {
			for _, n := range row {
				sum += n
			}
		}
		if sum != len(list) || table.Reachable.Of+table.Model.Of+table.Negatives.Of+table.ModelNegatives.Of != len(list) {
			t.Fatalf("%d of %d in the confusion, %+v", sum, len(list), table)
		}
		for _, r := range []Recall{table.Reachable, table.Model} {
			if r.GradeC+r.Accepted+len(r.Missed) != r.Of || r.GradeB > r.GradeC {
				t.Fatalf("recall %+v", r)
			}
		}
		for _, o := range list {
			if !positive(o) && claims(o) && right(o) {
				t.Fatalf("a false claim is right: %+v", o)
			}
		}
	})
}
