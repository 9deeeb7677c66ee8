package pipeline

import (
	"path/filepath"
	"testing"
)

// TestJudgedScriptIsTold: a line says for whose script the judged one is taken, and
// one that differs in a blank that means something runs as it is given.
func TestJudgedScriptIsTold(t *testing.T) {
	const own = "import tinynet\n\nprint(\"sum:\", tinynet.add(2, 5))\n"
	for script, want := range map[string]string{
		own: "the reporter's own, word for word",
		"import tinynet\nif True:\n    print(\"sum:\", tinynet.add(2, 5))\n": "not the reporter's: its prints and asserts say nothing",
		"import tinynet\n\nprint(\"sum: \", tinynet.add(2, 5))\n":            "not the reporter's: its prints and asserts say nothing",
		"": "",
	} {
		h, told := &house{behave: product}, ""
		p := h.pipeline()
		p.Events = func(e Event) {
			if e.Stage == StageScript {
				told += e.Text
			}
		}
		req := parsed(t, sumReport)
		req.Script = script
		r := reproduced(t, p, req, filepath.Join(t.TempDir(), "run"))
		if told != want {
			t.Errorf("%q: told %q, want %q", script, told, want)
		}
		if script != "" && r.Candidate.Script != script {
			t.Errorf("%q ran as %q", script, r.Candidate.Script)
		}
	}
}
