package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// claims are reports of the tiny library's bugs, by the kind of their symptom.
// A script's file name begins with the kind of the report it is said to show.
var claims = map[string]string{
	"exception": axisReport,
	"printed": "# add gives the product\n\ntinynet 1.2, Python 3.11\n\n```python\nimport tinynet\n\n" +
		"print(\"sum:\", tinynet.add(2, 5))\n```\n\nResult: `sum: 10`, should be 7.\n",
	"signal": "# crash() aborts the interpreter instead of raising\n\ntinynet 1.2, Python 3.11\n\n```python\nimport tinynet\n\n" +
		"tinynet.crash()\n```\n\n```\nAborted (core dumped)\n```\n",
	"missing": "# check accepts a negative number without complaint\n\n```python\nimport tinynet\n\nprint(tinynet.check(-1))\n```\n\n" +
		"prints `-1`; I would expect a ValueError.\n\ntinynet 1.2, Python 3.11\n",
}

// TestLiars: no script that only pretends ends positive, end to end.
func TestLiars(t *testing.T) {
	judgeAll(t, "liars", 25, func(t *testing.T, e ended) {
		if e.code == 0 {
			t.Errorf("believed: %s, grade %s: %v", e.result.Headline, e.result.Grade, e.result.Reasons)
		}
		if g := e.result.Grade; g != "" && g != "D" && e.code != 3 {
			t.Errorf("%s carries grade %s", e.result.Headline, g)
		}
	})
}

// TestLiarsAtTheDivergence: whatever a script asks to learn which release it runs
// on, its answer is the first that differs, and is named.
func TestLiarsAtTheDivergence(t *testing.T) {
	r := newRig(t, newIndex(t, tinyWheels()...))
	report := r.file("report.md", claims["exception"])
	for name, call := range map[string]string{"asks_for_a_module": "find_spec(...)", "counts_bases": "Row.__mro__", "reads_hints": "get_type_hints(...)"} {
		source, err := os.ReadFile("testdata/liars/exception-" + name + ".py")
		if err != nil {
			t.Fatal(err)
		}
		e := r.run("judge", "--json", "--out", name, "--report", report, r.file(name+".py", string(source)))
		e.want(t, 4, "lead")
		d := e.result.Divergence
		if e.result.Grade != "D" || d == nil || !strings.HasSuffix(d.Call, call) || !d.ArgumentsEqual || !strings.Contains(strings.Join(e.result.Reasons, "\n"), "the script asks") {
			t.Errorf("%s: grade %s, %+v\n%s", name, e.result.Grade, d, strings.Join(e.result.Reasons, "\n"))
		}
	}
}

// TestHonest: scripts of other authors that show the same bug are believed.
func TestHonest(t *testing.T) {
	judgeAll(t, "honest", 5, func(t *testing.T, e ended) {
		e.want(t, 0, positive...)
		if d := e.result.Divergence; e.result.Grade != "B" || d == nil || !d.ArgumentsEqual {
			t.Errorf("grade %q, %+v: %v", e.result.Grade, d, e.result.Reasons)
		}
	})
}

func judgeAll(t *testing.T, folder string, least int, check func(*testing.T, ended)) {
	x := newIndex(t, tinyWheels()...)
	r := newRig(t, x)
	scripts, err := filepath.Glob(filepath.Join("testdata", folder, "*.py"))
	if err != nil || len(scripts) < least {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	for kind, text := range claims {
		r.file(kind+".md", text)
	}
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".py")
		t.Run(name, func(t *testing.T) {
			kind, _, _ := strings.Cut(name, "-")
			source, err := os.ReadFile(script)
			if err != nil || claims[kind] == "" {
				t.Fatalf("no report for %s: %v", kind, err)
			}
			limit := "60s"
			if strings.Contains(name, "sleeps") {
				limit = "2s"
			}
			e := r.run("judge", "--json", "--run-timeout", limit, "--out", name, "--report", kind+".md", r.file(name+".py", string(source)))
			if e.result == nil {
				t.Fatalf("no object, exit code %d\n%s", e.code, e.err)
			}
			t.Logf("%s %s: %v", e.result.Headline, e.result.Grade, e.result.Reasons)
			check(t, e)
		})
	}
}
