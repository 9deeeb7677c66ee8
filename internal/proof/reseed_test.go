package proof

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/sandbox"
)

func TestWithOtherSeeds(t *testing.T) {
	for script, want := range map[string]string{
		"lib.manual_seed(3)\n":                    "lib.manual_seed(104)\n",
		"np.random.seed(seed=3)\n":                "np.random.seed(seed=104)\n",
		"f(random_state = 0, n=3)\n":              "f(random_state = 101, n=3)\n",
		"SEED = 7\nf(SEED)\n":                     "SEED = 108\nf(SEED)\n",
		"a, b = RandomState(0), RandomState(1)\n": "a, b = RandomState(101), RandomState(102)\n",
		"k = jax.random.key(0)\nx = d.key(0)\n":   "k = jax.random.key(101)\nx = d.key(0)\n",
		"f(random_state=None)\n":                  "",
		"default_rng()\n":                         "",
		"seeds = 3\nproceed(4)\n":                 "",
		"f(seed=0.5)\n":                           "",
		"f(seed=12345678901234567890)\n":          "",
		"f(seed=0\n":                              "",
	} {
		if got := withOtherSeeds(script, 101); got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

// A claim that another release meets is no finding where the reported release
// meets it with another seed: some release always draws well.
func TestAnotherReleaseDrawsBetter(t *testing.T) {
	for _, c := range []struct {
		name     string
		script   string
		luckyAt  int  // which of the other seeds is right, 0 for none
		late     bool // the time is up once the first other release was seen
		headline oracle.Headline
		runs     int
	}{
		{"the second other seed is right", "import lib\n\nprint(\"total:\", lib.total([3, 4], seed=1))\n", 2, false, oracle.Lead, 2},
		{"the time is up", "import lib\n\nprint(\"total:\", lib.total([3, 4], seed=1))\n", 1, true, oracle.Lead, 1},
		{"no other seed is right", "import lib\n\nprint(\"total:\", lib.total([3, 4], seed=1))\n", 0, false, oracle.Fixed, otherSeeds},
		{"there is no seed", "import lib\n\nprint(\"total:\", lib.total([3, 4]))\n", 1, false, oracle.Fixed, 0},
	} {
		// In time that passes only while everybody sleeps: on a busy machine it
		// would be up before the first other release.
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := total()
				in.Candidate.Script = c.script
				if c.late {
					in.Deadline = time.Now().Add(time.Minute)
				}
				var mu sync.Mutex
				reseeded := 0
				w := oldWorld(func(_ string, cmd sandbox.Command, v map[string]string) sandbox.Execution {
					if c.late && strings.HasPrefix(cmd.Label, string(oracle.SideNewest)) {
						time.Sleep(time.Until(in.Deadline) + time.Second)
					}
					mu.Lock()
					defer mu.Unlock()
					if strings.HasPrefix(cmd.Label, string(oracle.SideReseeded)) {
						if reseeded++; reseeded == c.luckyAt {
							return printed("total: 7\n")
						}
					}
					if v["lib"] == "1.2" {
						return printed("total: 4\n")
					}
					return printed("total: 7\n")
				})
				o := w.prove(t, in, &kept{})
				if o.Verdict.Headline != c.headline && !(c.headline == oracle.Fixed && o.Verdict.Headline == oracle.Regression) || reseeded != c.runs {
					t.Errorf("%s %s with %d other seeds: %v", o.Verdict.Headline, o.Verdict.Grade, reseeded, o.Verdict.Reasons)
				}
			})
		})
	}
}
