package agent

import (
	"strings"
	"testing"
)

// TestVeto: the model is asked about a script only where the rules do not know
// that it is about the report, and its objection sends it back.
func TestVeto(t *testing.T) {
	t.Run("a script that calls what the report names", func(t *testing.T) {
		s := set(t, scripts("import numpy as np\nnp.quiet(1)\nnp.shows()\nnp.clean()\nnp.grade_b()\n"))
		wantEnding(t, s.run(t), Proved)
		if len(s.writer.vetoed) != 0 {
			t.Errorf("asked %d times", len(s.writer.vetoed))
		}
	})
	t.Run("another script", func(t *testing.T) {
		s := set(t, scripts("import numpy as np\nnp.elsewhere()\n", proved))
		out := s.run(t)
		wantEnding(t, out, Proved)
		if len(s.writer.vetoed) != 2 {
			t.Errorf("asked %d times, want of both", len(s.writer.vetoed))
		}
		if f := out.Attempts[0].Feedback; len(f) == 0 || !strings.Contains(f[0].Text, "something else") {
			t.Errorf("the reason is not told: %+v", f)
		}
		if len(s.prover.tried) != 1 {
			t.Errorf("%d scripts ran, want the second only", len(s.prover.tried))
		}
	})
	t.Run("a baseline is one prompt", func(t *testing.T) {
		s := set(t, scripts(proved))
		s.in.Strategy = ZeroShot
		wantEnding(t, s.run(t), Proved)
		if len(s.writer.vetoed) != 0 {
			t.Errorf("asked %d times", len(s.writer.vetoed))
		}
	})
}

// TestEnvironmentFaults: what the environment lacks is not told to the model,
// and ends the run when it comes again.
func TestEnvironmentFaults(t *testing.T) {
	s := set(t, scripts("import numpy as np\nnp.broken()\n", "import numpy as np\nnp.broken()\nnp.more()\n"))
	out := s.run(t)
	wantEnding(t, out, NoEnvironment)
	if len(out.Attempts) != 2 {
		t.Errorf("%d attempts", len(out.Attempts))
	}
	for _, in := range s.writer.asked {
		for _, a := range in.Attempts {
			if len(a.Feedback) > 0 {
				t.Errorf("the model is told %+v", a.Feedback)
			}
		}
	}
}
