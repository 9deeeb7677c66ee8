package oracle

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox/probe"
)

// TestMadeUpFrames: class, message and place of a crash can be written by the
// script itself. What the observer or the order of the frames gives away is no
// explicit crash, and from somebody else's script no hit.
func TestMadeUpFrames(t *testing.T) {
	altered := inLibrary
	altered.Altered = true
	raises := inScript
	raises.Source = "raise IndexError('index 3 is out of bounds').with_traceback(tb)"
	again := inScript
	again.Source = "raise e"
	for _, c := range []struct {
		name   string
		frames []probe.Frame
		want   Headline
		given  Finding
	}{
		{"as it was raised", []probe.Frame{inScript, inLibrary}, Reproduced, Hit},
		{"raised again", []probe.Frame{again, inScript, inLibrary}, Reproduced, Hit},
		{"code that the file does not hold", []probe.Frame{inScript, altered}, Lead, Collided},
		{"another exception's traceback", []probe.Frame{raises, inLibrary}, Lead, Hit},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, ev := explicitCrash("IndexError", "index 3 is out of bounds", c.frames...)
			ex := ev.Groups[0].Executions[0]
			e = JudgeAll(e, &ev)
			if v := Decide(e, ev); v.Headline != c.want {
				t.Errorf("%s %s, want %s: %s", v.Headline, v.Grade, c.want, strings.Join(v.Reasons, "\n"))
			}
			e.ReporterScript = false
			if j := Judge(e, ex); j.Finding != c.given {
				t.Errorf("somebody else's: %s, want %s: %v", j.Finding, c.given, j.Reasons)
			}
		})
	}
}
