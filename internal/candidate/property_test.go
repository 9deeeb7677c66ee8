package candidate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// pieces are statements of scripts as reports hold them. Each stands for
// itself, and none needs an edit.
var pieces = []string{
	"x = np.ones((2, 3))", "y = torch.sum(x, dim=0, keepdim=True)", "print(x, y)", "assert x is not None",
	"for i in range(3):\n    x = x + i\n    if i:\n        continue", "def f(число, *, b=1):\n    \"\"\"数字 “quoted”\"\"\"\n    return число",
	"with torch.no_grad():\n    z = f(x, b=2)", "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x.half().float()",
	"net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5))", "g = torch.compile(net)",
	"@torch.jit.script\ndef h(x: int):\n    return x", "try:\n    f(1)\nexcept ValueError as e:\n    print(e)", "x[0] = 3  # числа （数）",
	"torch.backends.cudnn.benchmark = True", "text = '''a\n\tb >>> c\n'''", "lst = [torch.ones(1), torch.zeros(1),]",
	"while True:\n    print('endless')", "open('big.bin', 'wb').write(b'0' * 10**10)",
	"if __name__ == '__main__':\n    loader = torch.utils.data.DataLoader([1], num_workers=4)", "import multiprocessing as mp\nmp.set_start_method('spawn', force=True)",
}

func drawScript(t *rapid.T) string {
	picked := rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12).Draw(t, "pieces")
	return "import numpy as np\nimport torch\nx, z = np.ones(1), 2\ndef f(*a, **k): return 1\nclass net: pass\n" + strings.Join(picked, "\n") + "\n"
}

// TestWhatNeedsNoEditIsNotTouched: endless loops, big writes, workers, foreign
// alphabets and odd strings go through byte for byte.
func TestWhatNeedsNoEditIsNotTouched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := drawScript(t)
		c, err := FromReport(python(code), &triage.Decision{Blocks: []int{0}})
		if err != nil || c.Script != code || len(c.Edits) > 0 || c.SyntaxError != "" {
			t.Fatalf("%v, %s, edits %+v\n%s", err, c.SyntaxError, c.Edits, Diff(c.Original, c.Script))
		}
	})
}

// TestWhatParsedStillParses: whatever is missing from a sound script, the edits
// leave it sound, and each is recorded.
func TestWhatParsedStillParses(t *testing.T) {
	extra := []string{
		"plt.show()", "matplotlib.use('TkAgg')", "a = np.load('a.npy')  # (3,)", "m = torchvision.models.resnet18(pretrained=True)",
		"n = input('n')", "p = argparse.ArgumentParser()", "x.cuda()", "d = 'cuda:0'", "cv2.imshow('a', x)", "df = pd.read_csv('x.csv')\ns = df['a']",
		"q = xrange(3)", "r: List[int] = [Optional]", "Dense(3)", "img = Image.open('i.png').resize((3, 3))", "data = json.load(open('c.json'))",
	}
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom(slices.Concat(pieces, extra)), 1, 12).Draw(t, "lines")
		code := strings.Join(lines, "\n") + "\n"
		r := &report.Report{Blocks: []report.Block{
			{Kind: report.BlockPython, Text: code}, {Kind: report.BlockOther, Text: "c.json\n{}\n"}, {Kind: report.BlockShell, Text: "python x.py 1\n"},
			{Kind: report.BlockOutput, Text: "n 3\n"},
		}}
		c, err := FromReport(r, &triage.Decision{Blocks: []int{0}, Lower: rapid.Bool().Draw(t, "lower")})
		if err != nil || c.SyntaxError != "" {
			t.Fatalf("%v, %s\n%s", err, c.SyntaxError, c.Script)
		}
		if c.Script != code && len(c.Edits) == 0 {
			t.Fatalf("changed without a record:\n%s", Diff(code, c.Script))
		}
		if added := len(pysyntax.Parse(c.Script).Undefined()) - len(pysyntax.Parse(code).Undefined()); added > 0 {
			t.Fatalf("%d new undefined names in\n%s", added, c.Script)
		}
	})
}

// soundVariants checks what every variant must be.
func soundVariants(c *Candidate, d *triage.Decision) error {
	before := pysyntax.Parse(c.Script)
	undefined := map[string]bool{}
	for _, n := range before.Undefined() {
		undefined[n.Name] = true
	}
	for _, v := range slices.Concat(Variants(c, d), Removals(c, d)) {
		f := pysyntax.Parse(v.Script)
		switch {
		case len(f.SyntaxErrors) > 0:
			return fmt.Errorf("%s: does not parse: %v\n%s", v.Change, f.SyntaxErrors[0], v.Script)
		case v.Script == c.Script && len(v.Env) == 0:
			return fmt.Errorf("%s: changes nothing", v.Change)
		case v.Removal && (len(f.Prints) != len(before.Prints) || len(f.Asserts) != len(before.Asserts)):
			return fmt.Errorf("%s: the measurement is lost\n%s", v.Change, v.Script)
		case v.Removal && (len(f.Imports) < len(before.Imports) || len(f.Defined) != len(before.Defined)):
			return fmt.Errorf("%s: a definition is lost\n%s", v.Change, v.Script)
		}
		for _, n := range f.Undefined() {
			if !undefined[n.Name] {
				return fmt.Errorf("%s: %s is not defined any more\n%s", v.Change, n.Name, v.Script)
			}
		}
	}
	return nil
}

func TestVariantsAreSound(t *testing.T) {
	targets := []string{
		"dim", "keepdim=True", "half", "torch.jit.script", "compile", "no_grad", "Dropout", "benchmark", "x", "f", "print", "i", "np", "torch", "torch.ones",
		"text", "e", "3", "b=2", "число", "num_workers", "x[0]", "", "=", "=1", "(", "while", "assert x is not None", "Sequential", "lst", "set_start_method",
	}
	rapid.Check(t, func(t *rapid.T) {
		c := FromScript(drawScript(t))
		d := &triage.Decision{Expectation: &oracle.Expectation{Modules: []string{"torch"}}}
		for range 4 {
			target, value := rapid.SampledFrom(targets).Draw(t, "target"), rapid.SampledFrom(targets).Draw(t, "value")
			d.Contrasts = append(d.Contrasts, triage.Contrast{
				Kind:   rapid.SampledFrom([]string{"argument", "without", "instead", "env"}).Draw(t, "kind"),
				Target: target, Value: value, Bad: rapid.Bool().Draw(t, "bad"), Words: "with " + target,
			})
			d.Triggers = append(d.Triggers, triage.Trigger{Target: target})
		}
		if err := soundVariants(c, d); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzVariants takes any script and any words.
func FuzzVariants(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.py")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), []string{"argument", "without", "instead", "env"}[i%4], "keras.ops.argmax", "x=1")
	}
	f.Add("import torch\n@torch.jit.script\ndef f(x): return x\nprint(f(1, a=(2,\n3),))\n", "without", "a", "")
	f.Fuzz(func(t *testing.T, src, kind, target, value string) {
		con := triage.Contrast{Kind: kind, Target: target, Value: value, Words: target}
		other := con
		other.Bad = true
		d := &triage.Decision{
			Contrasts: []triage.Contrast{con, other}, Triggers: []triage.Trigger{{Target: target}, {Target: value}},
			Expectation: &oracle.Expectation{},
		}
		if err := soundVariants(FromScript(src), d); err != nil {
			t.Error(err)
		}
		if changed, ok := WithoutArgument(FromScript(src), "", target); ok && changed.Script == src {
			t.Error("an argument was taken out and nothing changed")
		}
	})
}
