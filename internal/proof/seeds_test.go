package proof

import (
	"strings"
	"sync"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/triage"
)

func TestUnseeded(t *testing.T) {
	for script, want := range map[string]bool{
		"import torch\nx = torch.randn(3)\n":                                true,
		"import torch\ntorch.manual_seed(0)\nx = torch.randn(3)\n":          false,
		"import numpy as np\nx = np.random.default_rng(0).normal(size=3)\n": false,
		"import numpy as np\nx = np.random.default_rng().normal(size=3)\n":  true,
		"import jax\nk = jax.random.PRNGKey(0)\nx = jax.random.normal(k)\n": false,
		"import random\nrandom.shuffle(xs)\n":                               true,
		"import numpy as np\nx = np.arange(3)\n":                            false,
		"from sklearn.x import Y\nY(random_state=3).sample(2)\n":            false,
		"x = torch.randn(3\n":                                               false, // it does not even parse
	} {
		if got := unseeded(script); got != want {
			t.Errorf("%q: %v, want %v", script, got, want)
		}
	}
}

// The main executions keep the reporter's own seeding; one more has every seed
// pinned, and decides nothing.
func TestPinnedExecutionIsRecordedBesideTheVerdict(t *testing.T) {
	in := typeErrorReport()
	in.Candidate.Script = "import lib\n\nlib.call(lib.randn(3))\n"
	var mu sync.Mutex
	pinned := map[string]int{}
	w := oldWorld(func(_ string, c sandbox.Command, v map[string]string) sandbox.Execution {
		mu.Lock()
		defer mu.Unlock()
		if c.Probe.Seed != nil {
			pinned[strings.Fields(c.Label)[0]]++
			return printed("fine\n") // pinning hides it
		}
		return failsOn("1.2")(v)
	})
	o := w.prove(t, in, &kept{})
	if len(pinned) != 1 || pinned["pinned"] != 1 {
		t.Errorf("executions with a pinned seed: %v", pinned)
	}
	if o.Verdict.Headline != oracle.Fixed || o.Verdict.Hits != 5 || o.Verdict.Runs != 5 {
		t.Errorf("got %s, %d of %d: %v", o.Verdict.Headline, o.Verdict.Hits, o.Verdict.Runs, o.Verdict.Reasons)
	}
	if g := groupOf(o, oracle.SidePinned); g == nil || g.Change != "with all seeds pinned" {
		t.Errorf("it is not recorded: %+v", g)
	}
}

// Equal numbers of executions have equal hash seeds on every side, and no two
// of one side have the same.
func TestHashSeedsAreNumbered(t *testing.T) {
	seen := map[string]map[string]bool{}
	var mu sync.Mutex
	w := oldWorld(func(_ string, c sandbox.Command, v map[string]string) sandbox.Execution {
		mu.Lock()
		defer mu.Unlock()
		side := strings.Fields(c.Label)[0]
		if seen[side] == nil {
			seen[side] = map[string]bool{}
		}
		seen[side][c.Env["PYTHONHASHSEED"]] = true
		return failsOn("1.2")(v)
	})
	w.prove(t, typeErrorReport(), &kept{})
	if len(seen["reported"]) != 5 || len(seen["newest"]) != 3 || !seen["reported"]["0"] || !seen["newest"]["0"] {
		t.Errorf("hash seeds: %v", seen)
	}
}

// A variant may set a variable, or leave one unset that the candidate sets.
func TestVariableOfAVariant(t *testing.T) {
	in := total()
	in.Candidate.Env = map[string]string{"LIB_SKIP": "1", "LIB_OTHER": "2"}
	in.Candidate.Script = "import lib\n\nprint(\"total:\", lib.total([3, 4]))\n"
	in.Decision.Contrasts = []triage.Contrast{{Kind: "env", Target: "LIB_SKIP", Value: "0", Words: "with LIB_SKIP=0 it is fine"}}
	w := oldWorld(func(_ string, c sandbox.Command, _ map[string]string) sandbox.Execution {
		if c.Env["LIB_OTHER"] != "2" {
			return printed("other\n")
		}
		if c.Env["LIB_SKIP"] == "1" {
			return printed("total: 4\n")
		}
		return printed("total: 7\n")
	})
	o := w.prove(t, in, &kept{})
	if g := groupOf(o, oracle.SideContrast); g == nil || g.Script != "" || g.Env["LIB_SKIP"] != "0" || o.Verdict.Grade != "C" {
		t.Fatalf("grade %s, the contrast is %+v: %v", o.Verdict.Grade, g, o.Verdict.Reasons)
	}

	p := &proof{Prover: &Prover{Sandbox: w, Journal: NoJournal{}, WorkRoot: t.TempDir()}, in: in, exp: *in.Decision.Expectation, out: &Outcome{}}
	p.reported = &side{group: o.Evidence.Groups[0], lock: o.Lock}
	env, _, err := w.Build(t.Context(), o.Lock)
	if err != nil {
		t.Fatal(err)
	}
	p.reported.env = env
	s := p.beside(oracle.SideContrast)
	s.group.Env = map[string]string{"LIB_SKIP": ""}
	ex, err := p.execute(t.Context(), s, 1)
	if err != nil || ex.Stdout != "total: 7\n" {
		t.Errorf("a variable that is to be unset: %q, %v", ex.Stdout, err)
	}
}
