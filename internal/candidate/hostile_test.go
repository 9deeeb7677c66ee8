package candidate

import (
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// TestHugeScripts: a report may hold much that was made to be slow or to fill
// the result. The lists stay short whatever is in it.
func TestHugeScripts(t *testing.T) {
	const size = 6 << 10
	for name, line := range map[string]string{
		"refusals":    "os.abort()\n",
		"strings":     "x = 'repgen'\n",
		"docstrings":  "'repgen'\n",
		"echoes":      "f(x)\n",
		"magics":      "!pip install a\n",
		"undefined":   "np.x(np)\n",
		"versions":    "if v.__version__: pass\n",
		"assigned":    "a = b = c = torch.x\n",
		"definitions": "def f(a, b): return g(a)\n",
		"nested":      "f(f(f(f(f(f(f(f(f(x)))))))))\n",
		"exec":        "exec('os.abort()')\n",
		"quotes":      "print(\u201cx\u201d)\n",
		"cuda":        "x.cuda('cuda')\n",
		"indented":    "x\n  y\n",
	} {
		t.Run(name, func(t *testing.T) {
			text := "import torch, os\n" + strings.Repeat(line, size/len(line))
			c := FromScript(text)
			if len(c.Refusals) > maxReasons || len(c.Notes) > maxReasons || len(c.Reaches) > maxReasons || len(c.Watch) > maxWatch {
				t.Errorf("%d refusals, %d notes, %d reaches", len(c.Refusals), len(c.Notes), len(c.Reaches))
			}
			r := &report.Report{Blocks: []report.Block{{Kind: report.BlockREPL, Text: ">>> ", Cells: []report.Cell{{Code: text}}}}}
			if _, err := FromReport(r, &triage.Decision{Blocks: []int{0}, Lower: true}); err != nil {
				t.Error(err)
			}
		})
	}
}
