package bundle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

// someHash is as good as any.
var someHash = "sha256:" + strings.Repeat("0", 64)

// pinText is a lock's line for one package.
func pinText(name, version string) string {
	return name + "==" + version + " \\\n    --hash=" + someHash + "\n"
}

// sample is a run that found `lib` 1.2 to print 10 where 7 is due, and 1.3
// right.
func sample(t testing.TB) Content {
	t.Helper()
	run := func(out string) sandbox.Execution {
		return sandbox.Execution{
			Argv: []string{"/env/bin/python", "reproduce.py"}, Outcome: sandbox.Exited, Stdout: out,
			Record: probe.Record{Started: true, Ended: true, Python: "3.11.7"},
		}
	}
	many := func(n int, out string) []sandbox.Execution {
		return slices.Repeat([]sandbox.Execution{run(out)}, n)
	}
	exp := &oracle.Expectation{
		Oracle: oracle.OraclePrinted, Subject: "lib", ReporterScript: true,
		Symptom: symptom.Symptom{Kind: symptom.WrongValue},
		Printed: &oracle.Printed{Actual: []oracle.Line{{Text: "sum: 10", Replaces: -1}}, Expected: []oracle.Line{{Text: "sum: 7", Replaces: 0}}},
	}
	lock := func(v string) *environment.Lock {
		return &environment.Lock{
			Python: "3.11.7", Rung: 1, Hash: "h" + v, Text: pinText("lib", v),
			AsOf:     time.Date(2024, 3, 17, 23, 59, 59, 0, time.UTC),
			Packages: []environment.Package{{Name: "lib", Version: v, Word: environment.WordReporter, Hashes: []string{someHash}}},
		}
	}
	o := &proof.Outcome{
		Expectation: exp, Lock: lock("1.2"), Locks: []*environment.Lock{lock("1.2"), lock("1.3")},
		Spec:    environment.Spec{Python: "3.11", AsOfSource: "flag", AsOf: time.Date(2024, 3, 17, 23, 59, 59, 0, time.UTC), Env: map[string]string{"LIB_MODE": "a\"b"}},
		Subject: proof.ResultSubject{Name: "lib", Version: "1.2", Source: "title"},
		Evidence: oracle.Evidence{Certified: true, Groups: []oracle.Group{
			{Side: oracle.SideReported, Subject: "lib", Version: "1.2", Executions: many(5, "sum: 10\n")},
			{Side: oracle.SideNewest, Subject: "lib", Version: "1.3", Executions: many(3, "sum: 7\n")},
		}},
	}
	o.Verdict = proof.Rejudge(*exp, o.Evidence)
	if o.Verdict.Headline != oracle.Fixed {
		t.Fatalf("the sample is %s: %v", o.Verdict.Headline, o.Verdict.Reasons)
	}
	d := &triage.Decision{Route: triage.Attempt, Expectation: exp, Subjects: []string{"lib"}}
	c := &candidate.Candidate{Script: "import lib\n\nprint(\"sum:\", lib.add(2, 5))\n", Origin: "reporter"}
	r := proof.View(d, c, o)
	run1 := "/somewhere/run"
	r.Run, r.Bundle = &run1, &run1
	return Content{Report: &report.Report{Title: "add is wrong", Text: "# add is wrong\n"}, Decision: d, Candidate: c, Outcome: o, Result: r, Version: "test"}
}

func write(t *testing.T) (string, Content) {
	t.Helper()
	c := sample(t)
	dir, err := Write(filepath.Join(t.TempDir(), "bundle"), c)
	if err != nil {
		t.Fatal(err)
	}
	return dir, c
}

func TestRoundTrip(t *testing.T) {
	dir, c := write(t)
	b, tampered, err := Read(dir)
	if err != nil || len(tampered) > 0 {
		t.Fatal(err, tampered)
	}
	if b.Candidate.Script != c.Candidate.Script {
		t.Errorf("the script came back as %q", b.Candidate.Script)
	}
	if b.Outcome.Verdict.Headline != oracle.Fixed || len(b.Outcome.Evidence.Groups[0].Executions) != 5 {
		t.Errorf("the evidence came back as %+v", b.Outcome.Evidence)
	}
	if b.Outcome.Lock.Version("lib") != "1.2" || b.Outcome.Locks[1].Version("lib") != "1.3" {
		t.Error("the locks did not come back")
	}
}

func TestWriteReplacesAnOlderBundle(t *testing.T) {
	dir, c := write(t)
	if err := os.WriteFile(filepath.Join(dir, "left.txt"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir, c); err != nil {
		t.Fatal(err)
	}
	if _, tampered, err := Read(dir); err != nil || len(tampered) > 0 {
		t.Fatal(err, tampered)
	}
}

func TestScriptRunsAlone(t *testing.T) {
	dir, _ := write(t)
	data, err := os.ReadFile(filepath.Join(dir, "reproduce.py"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# /// script\n", "# requires-python = \"==3.11.*\"\n", "#   \"lib==1.2\",\n", "# exclude-newer = \"2024-03-17T23:59:59Z\"\n",
		`setdefault("LIB_MODE", "a\"b")`, "import lib\n",
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("reproduce.py lacks %q:\n%s", want, data)
		}
	}
}

func TestNoAbsolutePathInside(t *testing.T) {
	dir, _ := write(t)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, bad := range []string{"/somewhere/run", filepath.Dir(dir)} {
			if strings.Contains(string(data), bad) {
				t.Errorf("%s holds %s", path, bad)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// One changed byte in any file is noticed and the file is named.
func TestEveryByteCounts(t *testing.T) {
	dir, _ := write(t)
	var m Manifest
	data, err := os.ReadFile(filepath.Join(dir, fileManifest))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Files) < 30 {
		t.Fatalf("only %d files in the manifest", len(m.Files))
	}
	for name := range m.Files {
		path := filepath.Join(dir, name)
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad := append(slices.Clone(old), ' ')
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, tampered, err := Read(dir); err != nil || !slices.Contains(tampered, name+": was changed") {
			t.Errorf("%s changed: %v %v", name, tampered, err)
		}
		if err := os.WriteFile(path, old, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Whoever rewrites the records and the manifest too still has to make the
// verdict follow from the executions.
func TestVerdictMustFollowFromTheExecutions(t *testing.T) {
	c := sample(t)
	c.Outcome.Evidence.Groups[0].Executions = slices.Clone(c.Outcome.Evidence.Groups[1].Executions)
	dir, err := Write(filepath.Join(t.TempDir(), "bundle"), c)
	if err != nil {
		t.Fatal(err)
	}
	_, tampered, err := Read(dir)
	if err != nil || len(tampered) == 0 || !strings.Contains(tampered[0], "recorded executions say") {
		t.Fatalf("got %v %v", tampered, err)
	}
}

func TestStrangersInTheFolder(t *testing.T) {
	dir, _ := write(t)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link.py")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sitecustomize.py"), []byte("print()"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, fileOracle)); err != nil {
		t.Fatal(err)
	}
	_, tampered, err := Read(dir)
	want := []string{"link.py: is no plain file", "oracle.json: is missing", "sitecustomize.py: was added"}
	if err != nil || !slices.Equal(tampered, want) {
		t.Errorf("got %v %v, want %v", tampered, err, want)
	}
}

func TestPythonStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		lit := pysyntax.Quote(s)
		if strings.ContainsAny(lit, "\n\r") || !strings.HasPrefix(lit, `"`) || !strings.HasSuffix(lit, `"`) {
			t.Fatalf("%q is no one-line literal", lit)
		}
		inner := lit[1 : len(lit)-1]
		for i := 0; i < len(inner); i++ {
			switch inner[i] {
			case '\\':
				i++
			case '"':
				t.Fatalf("%q ends early", lit)
			}
		}
	})
}
