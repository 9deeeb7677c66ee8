package pipeline

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
)

// otherKey is a stranger's.
var otherKey = Key(strings.Repeat("o", keyBytes))

func stored(t *testing.T, dir string, key Key) *Stored {
	t.Helper()
	s, err := OpenStored(dir, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestOwnKey: one key a user and cache, whoever asks first, for his eyes only.
func TestOwnKey(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	keys := make([]Key, 8)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			var err error
			if keys[i], err = OwnKey(t.Context(), cache); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, k := range keys {
		if len(k) != keyBytes || string(k) != string(keys[0]) {
			t.Fatalf("keys differ: %x", keys)
		}
	}
	files, err := filepath.Glob(filepath.Join(cache, "*.key"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v %v", info.Mode(), err)
	}
	other, err := OwnKey(t.Context(), filepath.Join(t.TempDir(), "cache"))
	if err != nil || string(other) == string(keys[0]) {
		t.Errorf("two users have one key: %v", err)
	}
	if err := os.WriteFile(files[0], []byte("cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	if k, err := OwnKey(t.Context(), cache); err != nil || len(k) != keyBytes {
		t.Errorf("a damaged key is not replaced: %v", err)
	}
	if err := os.Chmod(files[0], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OwnKey(t.Context(), cache); !errors.Is(err, errForeignKey) {
		t.Errorf("a key that others may write is believed: %v", err)
	}
}

// TestSeals: a seal is one key's, for these parts in this order.
func TestSeals(t *testing.T) {
	seal := someKey.Seal("a", "bc")
	if !someKey.Made(seal, "a", "bc") {
		t.Error("a key does not know its own seal")
	}
	for name, made := range map[string]bool{
		"another key": otherKey.Made(seal, "a", "bc"), "no key": Key(nil).Made(seal, "a", "bc"), "no seal": someKey.Made("", "a", "bc"),
		"other parts": someKey.Made(seal, "ab", "c"), "fewer": someKey.Made(seal, "abc"), "more": someKey.Made(seal, "a", "bc", ""), "another order": someKey.Made(seal, "bc", "a"),
		"no key for no seal": Key(nil).Made("", "a"),
	} {
		if made {
			t.Errorf("%s: it is believed", name)
		}
	}
	if Key(nil).Seal("a") != "" {
		t.Error("without a key there is a seal")
	}
}

// TestRequestsComeBackSealed: whatever a report holds, also what is no text.
func TestRequestsComeBackSealed(t *testing.T) {
	for _, text := range []string{sumReport, partReport, "# x\n\n\xff\xfe \u2028 <&> \ufffd\n"} {
		q := parsed(t, text)
		q.Report.Title += "\xff"
		q.Date, q.With, q.Limits = time.Now(), []string{}, sandbox.DefaultLimits()
		q.AgentBudget = agent.Budget{Model: llm.Limit{USD: 0.1}}
		dir := filepath.Join(t.TempDir(), "run")
		open(t, dir, q).close()
		if !stored(t, dir, someKey).Own {
			t.Errorf("%.20q: it is not known again", text)
		}
		if stored(t, dir, otherKey).Own {
			t.Errorf("%.20q: it is another's too", text)
		}
	}
}

// TestStrangersRequest: of a stranger's folder the question is taken, and nothing
// that spends the user's money or time, reads his files or decides a verdict.
func TestStrangersRequest(t *testing.T) {
	q := parsed(t, sumReport)
	q.Report.Blocks = []report.Block{{Span: report.Span{Start: -5, End: 1 << 40}}}
	q.Subject, q.Python, q.With = "tinynet", "3.11", []string{"numpy<2"}
	q.Project, q.Model, q.Unsafe = &environment.ProjectSource{Dir: "/home/me"}, "openai:dear", true
	q.Budget, q.Runs, q.Limits = 1000*time.Hour, 100_000_000, sandbox.Limits{MemoryBytes: 1 << 45, Pids: 1}
	q.AgentBudget = agent.Budget{Model: llm.Limit{USD: 1e9}}
	q.Edited = &Edited{Expectation: &oracle.Expectation{}, NeverOwn: true}
	dir := filepath.Join(t.TempDir(), "run")
	f, err := (&Pipeline{Key: otherKey}).openFolder(dir, q)
	if err != nil {
		t.Fatal(err)
	}
	f.close()
	s := stored(t, dir, someKey)
	got := s.Request
	if s.Own || s.Left.Project == nil || s.Left.Model != "openai:dear" {
		t.Errorf("own %v, left %+v", s.Own, s.Left)
	}
	if got.Report.Text != q.Report.Text || got.Subject != "tinynet" || got.Python != "3.11" || len(got.With) != 1 {
		t.Errorf("the question is lost: %+v", got)
	}
	if got.Project != nil || got.Model != "" || got.Unsafe || got.Budget != 0 || got.AgentBudget.Model.USD != 0 || got.ID != "" || got.Seal != "" {
		t.Errorf("taken from a stranger: %+v", got)
	}
	if got.Runs != maxStrangersRuns || got.Limits.MemoryBytes > 8<<30 || got.Limits.Pids < 2 {
		t.Errorf("%d runs, limits %+v", got.Runs, got.Limits)
	}
	if got.Edited == nil || got.Edited.Expectation != nil || !got.Edited.NeverOwn {
		t.Errorf("edited %+v", got.Edited)
	}
	if len(got.Report.Blocks) == 0 || got.Report.Blocks[0].Span.Start < 0 {
		t.Errorf("blocks %+v", got.Report.Blocks)
	}
	if _, err := openFolder(dir, parsed(t, sumReport)); !errors.Is(err, ErrForeign) {
		t.Errorf("a run goes on in it: %v", err)
	}
}

// TestOnlyOwnFilesAreBelieved: what was changed, or put there, is made again; so
// is what another build made, and nothing of one run counts in another.
func TestOnlyOwnFilesAreBelieved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	h := &house{behave: product}
	r := reproduced(t, h.pipeline(), parsed(t, sumReport), dir)
	fresh := func(t *testing.T, change func(p *Pipeline, dir string)) (runs, asked int) {
		t.Helper()
		copied := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		h := &house{behave: product}
		p := h.pipeline()
		change(p, copied)
		again := reproduced(t, p, parsed(t, sumReport), copied)
		if again.Result.Headline != r.Result.Headline || again.Result.Grade != r.Result.Grade {
			t.Errorf("it is %s %s now", again.Result.Headline, again.Result.Grade)
		}
		return len(h.runs), h.asked
	}
	remove := func(t *testing.T, dir string, names ...string) {
		t.Helper()
		for _, n := range names {
			if err := os.Remove(filepath.Join(dir, n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit := func(t *testing.T, pattern, old, new string) func(*Pipeline, string) {
		return func(_ *Pipeline, dir string) {
			if !strings.HasPrefix(pattern, "05-outcome") {
				remove(t, dir, "05-outcome.json")
			}
			files, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: %v", pattern, err)
			}
			for _, f := range files {
				data, err := os.ReadFile(f)
				if err != nil || !strings.Contains(string(data), old) {
					t.Fatalf("%s lacks %q (%v)", f, old, err)
				}
				if err := os.WriteFile(f, []byte(strings.Replace(string(data), old, new, 1)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for name, c := range map[string]struct {
		change      func(*Pipeline, string)
		runs, asked bool // something is made again
	}{
		"nothing":             {func(*Pipeline, string) {}, false, false},
		"without the outcome": {func(_ *Pipeline, dir string) { remove(t, dir, "05-outcome.json") }, false, false},
		"a grade":             {edit(t, "05-outcome.json", `"grade": "B"`, `"grade": "A"`), false, false},
		"an execution":        {edit(t, "executions/*/execution.json", `"exit_code": 0`, `"exit_code": 3`), true, false},
		"an answer":           {edit(t, "answers/solve-*.json", `"name": "tinynet"`, `"name": "-r /etc/passwd\ntinynet"`), false, true},
		"a seal":              {edit(t, "answers/solve-*.json", `"seal": "`, `"seal": "0`), false, true},
		"an input":            {edit(t, "05-outcome.json", `"input": "`, `"input": "0`), false, false},
		"another build":       {func(p *Pipeline, _ string) { p.Build = "next" }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			if runs, asked := fresh(t, c.change); (runs > 0) != c.runs || (asked > 0) != c.asked {
				t.Errorf("%d executions and %d questions were made", runs, asked)
			}
		})
	}
	t.Run("a file under another name, or of another run", func(t *testing.T) {
		f := open(t, filepath.Join(t.TempDir(), "a"), request("a"))
		g := open(t, filepath.Join(t.TempDir(), "b"), request("a"))
		if err := f.save("x", "in", "v"); err != nil {
			t.Fatal(err)
		}
		data, err := f.files.Read("x.json", system.MaxKept)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.files.Keep("y.json", data), g.files.Keep("x.json", data)); err != nil {
			t.Fatal(err)
		}
		var v string
		if in, ok := f.load("x", &v); !ok || in != "in" || v != "v" {
			t.Errorf("its own: %q %q %v", in, v, ok)
		}
		if _, ok := f.load("y", &v); ok {
			t.Error("another name is believed")
		}
		if _, ok := g.load("x", &v); ok {
			t.Error("another run's is believed")
		}
	})
}

// TestResultIsOurs: show says of a changed result that it is none of ours.
func TestResultIsOurs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	reproduced(t, (&house{behave: product}).pipeline(), parsed(t, sumReport), dir)
	if _, made, err := stored(t, dir, otherKey).Result(); made || err != nil {
		t.Errorf("a stranger's: %v, %v", made, err)
	}
	path := filepath.Join(dir, resultFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), `"grade": "B"`, `"grade": "A"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, made, err := stored(t, dir, someKey).Result(); made || err != nil || r.Grade != "A" {
		t.Errorf("a changed one: %v, %v", made, err)
	}
}

// TestWorkOfAKilledRun: what its scripts left is removed, wherever it leads.
func TestWorkOfAKilledRun(t *testing.T) {
	for _, link := range []bool{false, true} {
		dir, outside := filepath.Join(t.TempDir(), "run"), t.TempDir()
		open(t, dir, request("a")).close()
		if err := os.WriteFile(filepath.Join(outside, "mine"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		work := filepath.Join(dir, workFolder)
		if link {
			if err := os.Symlink(outside, work); err != nil {
				t.Fatal(err)
			}
		} else if err := errors.Join(os.Mkdir(work, 0o755), os.Symlink(outside, filepath.Join(work, "x"))); err != nil {
			t.Fatal(err)
		}
		if !link {
			if s, err := OpenStored(dir, someKey); err != nil {
				t.Errorf("a run under way cannot be looked at: %v", err)
			} else {
				_ = s.Close()
			}
		}
		open(t, dir, request("a")).close()
		if _, err := os.Lstat(work); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it is still there: %v", err)
		}
		if _, err := os.Stat(filepath.Join(outside, "mine")); err != nil {
			t.Error(err)
		}
	}
}

// FuzzOpenStored: whatever lies in a stranger's folder, it ends in a question that
// is bounded, or in words.
func FuzzOpenStored(f *testing.F) {
	good, err := json.Marshal(&Request{Report: report.Parse([]byte(sumReport), report.Source{}), Runs: 5})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, []byte(`{"headline": "fixed"}`), []byte(`{"seal": "00", "input": "x", "output": {"result": {}}}`))
	f.Add([]byte(`{"report": {"text": "x", "blocks": [{"span": {"start": -1, "end": 99}}]}, "runs": -3, "limits": {"pids": 1}}`), []byte("null"), []byte("null"))
	f.Add([]byte(`{"report": {}, "edited": {"expectation": {}}, "project": {"dir": "/"}, "model": "exec:x", "id": "x", "seal": "y"}`), []byte("{"), []byte("{}"))
	f.Fuzz(func(t *testing.T, req, result, agent []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{requestFile: req, resultFile: result, agentStage + ".json": agent} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := OpenStored(dir, someKey)
		if err != nil {
			return
		}
		defer func() { _ = s.Close() }()
		q := s.Continue()
		if s.Own || q.Project != nil || q.Model != "" || q.Unsafe || q.Runs < 0 || q.Runs > maxStrangersRuns || q.Limits.Pids < 2 || q.Limits.MemoryBytes > 8<<30 {
			t.Fatalf("a stranger's: %+v", q)
		}
		if q.Edited == nil || q.Edited.Expectation != nil {
			t.Fatalf("edited: %+v", q.Edited)
		}
		if _, made, _ := s.Result(); made {
			t.Fatal("a result of his is ours")
		}
	})
}
