package candidate

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/triage"
)

func TestStandInsAreMadeAndSaid(t *testing.T) {
	c := build(t, python("# число\nimport numpy as np\nimport pandas as pd\nx = np.load('数.npy')  # (2, 3)\ny = np.load('a.npy')  # (2, 3)\ndf = pd.read_csv('d/x.csv')\nprint(df['a'].sum(), x)\n"), nil)
	if !slices.Equal(kinds(c), []string{"stand_in_file"}) || len(c.Edits) != 3 || !c.Edits[0].Risky || len(c.Refusals) != 0 || c.SyntaxError != "" {
		t.Errorf("edits %+v, refusals %q, %s\n%s", c.Edits, c.Refusals, c.SyntaxError, c.Script)
	}
	if lineOfNumber(c.Script, 4) != "x = np.load('数.npy')  # (2, 3)" {
		t.Errorf("lines moved:\n%s", c.Script)
	}
	// An array that cannot be found was what the report is about.
	d := &triage.Decision{Expectation: &oracle.Expectation{Symptom: symptom.Symptom{Frames: []symptom.Frame{{Source: "x = np.load('x.npy')  # (2, 3)"}}}}}
	if c = build(t, python("import numpy as np\nx = np.load('x.npy')  # (2, 3)\n"), d); len(c.Edits) != 0 {
		t.Errorf("the judged read was replaced: %+v", c.Edits)
	}
}

func TestFilesThatTheReportShows(t *testing.T) {
	r := &report.Report{Blocks: []report.Block{
		{Kind: report.BlockPython, Text: "import torch, json\nd = json.load(open('conf/c.json'))\nprint(torch.ones(d['n']))\ne = open('other.txt').read()\n"},
		{Kind: report.BlockOther, Lang: "json", Text: "{\"n\": 3, \"s\": \"a\\\\b\"}\n", Lead: "where c.json is"},
		{Kind: report.BlockOutput, Text: "3\n", Lead: "prints"},
	}}
	c := build(t, r, &triage.Decision{Blocks: []int{0}})
	if !slices.Equal(kinds(c), []string{"stand_in_file"}) || len(c.Edits) != 1 || c.Edits[0].Risky {
		t.Fatalf("%+v", c.Edits)
	}
	for _, want := range []string{`makedirs("conf", exist_ok=True)`, `_f.write("{\"n\": 3, \"s\": \"a\\\\b\"}\n")`, `import torch, json`} {
		if !strings.Contains(lineOfNumber(c.Script, 1), want) {
			t.Errorf("no %q in\n%s", want, c.Script)
		}
	}
	r.Blocks[1].Text = "{\"n\": 3, ...}\n"
	if c = build(t, r, &triage.Decision{Blocks: []int{0}}); len(c.Edits) != 1 || !c.Edits[0].Risky {
		t.Errorf("a file with a part left out: %+v", c.Edits)
	}
}

func TestCommandLines(t *testing.T) {
	script := "import argparse\nimport torch\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.add_argument('name')\nprint(torch.ones(1), p.parse_args())\n"
	for _, tc := range []struct{ line, want string }{
		{"$ CUDA_VISIBLE_DEVICES=0 python train.py --lr 0.1 'a b'  # slow", `__import__("sys").argv[1:] = ["--lr", "0.1", "a b"]`},
		{"python3 train.py --lr=1 x", `__import__("sys").argv[1:] = ["--lr=1", "x"]`},
		{"python train.py --other 1", ""},
		{"python train.py $(rm -rf x)", ""},
		{"python train.py x | tee log", ""},
		{"torchrun --nproc 2 train.py x", ""},
		{"python train.py 'x", ""},
	} {
		r := &report.Report{Blocks: []report.Block{{Kind: report.BlockPython, Text: script}, {Kind: report.BlockShell, Text: tc.line}}}
		c := build(t, r, &triage.Decision{Blocks: []int{0}})
		first := lineOfNumber(c.Script, 1)
		if tc.want == "" {
			if c.Script != script || len(c.Notes) == 0 {
				t.Errorf("%q: %q, notes %q", tc.line, first, c.Notes)
			}
			continue
		}
		if first != tc.want+"; import argparse" || !slices.Equal(kinds(c), []string{"argv"}) || len(c.Refusals) > 0 {
			t.Errorf("%q: %q, edits %+v, refusals %q", tc.line, first, c.Edits, c.Refusals)
		}
	}
}

func TestAnswersToInput(t *testing.T) {
	script := "import torch\nn = int(input('How many? '))\nm = input(\"Name: \")\nprint(torch.ones(n), m)\n"
	r := &report.Report{Blocks: []report.Block{
		{Kind: report.BlockPython, Text: script},
		{Kind: report.BlockOutput, Text: "How many? 3\nName: \"x\"\ntensor([1., 1., 1.])\n"},
	}}
	c := build(t, r, &triage.Decision{Blocks: []int{0}})
	if want := `__import__("sys").stdin = __import__("io").StringIO("3\n\"x\"\n"); import torch`; lineOfNumber(c.Script, 1) != want || !slices.Equal(kinds(c), []string{"stand_in_input"}) {
		t.Errorf("%q %+v", lineOfNumber(c.Script, 1), c.Edits)
	}
	r.Blocks[1].Text = "How many? 3\n"
	if c = build(t, r, &triage.Decision{Blocks: []int{0}}); c.Script != script || len(c.Notes) != 1 {
		t.Errorf("half of the answers: %q %q", c.Script, c.Notes)
	}
	r.Blocks[0].Text = "import torch\ninput = torch.ones(3)\nprint(input.sum(), input(1))\n"
	if c = build(t, r, &triage.Decision{Blocks: []int{0}}); len(c.Notes) > 0 || len(c.Edits) > 0 {
		t.Errorf("a tensor called input: %q", c.Notes)
	}
}

func TestWithoutAScreen(t *testing.T) {
	c := build(t, python("import matplotlib\nmatplotlib.use('TkAgg')\nimport gymnasium as gym\nenv = gym.make('x', render_mode='human')\n"), nil)
	if c.Env["SDL_VIDEODRIVER"] != "dummy" || !strings.Contains(c.Script, `matplotlib.use("Agg")`) || !slices.Contains(kinds(c), "headless") {
		t.Errorf("%v %+v\n%s", c.Env, c.Edits, c.Script)
	}
	if c = build(t, python("import gymnasium as gym\nenv = gym.make('x')\n"), nil); len(c.Edits) > 0 {
		t.Errorf("%+v", c.Edits)
	}
}

// TestPrologueRuns runs what is put in front of a script with the real
// interpreter, and looks that it leaves the random numbers as they were.
func TestPrologueRuns(t *testing.T) {
	py := interpreter(t)
	r := &report.Report{Blocks: []report.Block{
		{Kind: report.BlockPython, Text: "import random, sys\nfrom pandas import read_csv\nimport pandas as pd\n" +
			"df = pd.read_csv('d/x.csv')\nx = df[['a', 'b']]\nprint(open('t.txt').read(), input('n: '), sys.argv[1:], random.getstate() == state)\nimport argparse\n"},
		{Kind: report.BlockOther, Text: "t.txt\nhé\t\"3\"\n"},
		{Kind: report.BlockShell, Text: "python x.py a 'b c'\n"},
		{Kind: report.BlockOutput, Text: "n: 7\n"},
	}}
	c := build(t, r, &triage.Decision{Blocks: []int{0}})
	dir := t.TempDir()
	stub := "import random; state = random.getstate()\nimport sys, types\nm = sys.modules['pandas'] = types.ModuleType('pandas')\n" +
		"class T(list):\n    def __getitem__(self, k): return k\nm.read_csv = lambda p: T(open(p).read().split())\n"
	cmd := exec.CommandContext(t.Context(), py, "-c", stub+c.Script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "n: hé\t\"3\"\n 7 ['a', 'b c'] True\n" {
		t.Errorf("%v: %s\n%s", err, out, c.Script)
	}
	table, err := os.ReadFile(dir + "/d/x.csv")
	if lines := strings.Split(string(table), "\n"); err != nil || len(lines) != 202 || lines[0] != "a,b" || strings.Count(lines[1], ",") != 1 {
		t.Errorf("%v: %s", err, table)
	}
}
