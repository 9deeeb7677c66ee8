package report

import (
	"strings"
	"testing"
)

const (
	plainTrace = "Traceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    tinynet.cut(3)\n  File \"/lib/site-packages/tinynet/core.py\", line 9, in cut\n    return _native(n)\nValueError: no"
	cellTrace  = "---------------------------------------------------------------------------\nValueError                                Traceback (most recent call last)\nCell In[18], line 1\n----> 1 tinynet.cut(3)\n\nFile /lib/site-packages/tinynet/core.py:9, in cut(n)\n      8 x = 1\n----> 9 return _native(n)\n\nValueError: no"
)

// TestCodeAboveItsTraceback cuts a fence that holds both, and no fence in which
// something was printed before the failure.
func TestCodeAboveItsTraceback(t *testing.T) {
	for name, c := range map[string]struct{ tag, text, code string }{
		"imported":            {"python", "import tinynet\ntinynet.cut(3)\n\n" + plainTrace, "import tinynet\ntinynet.cut(3)"},
		"a cell":              {"python", "import tinynet\ntinynet.cut(3)\n\n" + cellTrace, "import tinynet\ntinynet.cut(3)"},
		"one line, no import": {"shell", "tinynet.cut(3)\n\n" + plainTrace, "tinynet.cut(3)"},
		"one line of a cell":  {"", "tinynet.cut(3)\n" + cellTrace, "tinynet.cut(3)"},
		"printed before":      {"", "loss = 0.25\n" + plainTrace, ""},
		"logged before":       {"", "INFO starting\n" + plainTrace, ""},
		"a traceback alone":   {"", plainTrace, ""},
		"code that was cut":   {"python", "import tinynet\nfor x in\n" + plainTrace, ""},
	} {
		r := Parse([]byte("# tinynet.cut fails\n\n```"+c.tag+"\n"+c.text+"\n```\n"), Source{})
		code := ""
		if len(r.Blocks) == 2 {
			code = strings.TrimSpace(r.Blocks[0].Text)
		}
		if code != c.code {
			t.Errorf("%s: code %q, want %q", name, code, c.code)
		}
		if c.code != "" && (r.Blocks[0].Kind != BlockPython || r.Blocks[1].Kind != BlockTraceback) {
			t.Errorf("%s: %s and %s", name, r.Blocks[0].Kind, r.Blocks[1].Kind)
		}
		if (c.code != "" || c.tag == "") && (len(r.Tracebacks) != 1 || r.Tracebacks[0].Symptom.Message != "no") {
			t.Errorf("%s: failures %+v", name, r.Tracebacks)
		}
	}
}
