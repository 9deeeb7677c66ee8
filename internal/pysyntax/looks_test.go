package pysyntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIsPython(t *testing.T) {
	for _, tc := range []struct {
		text string
		want bool
	}{
		{"import torch\nprint(torch.ones(1))\n", true},
		{"    import torch\n    x = torch.ones(1)\n", true},
		{"x = model(y)\n", true},
		{"model.fit(x, y)\n", true},
		{"for i in range(3):\n    print(i)\n", true},
		{"import torch\nx = torch.ones(1\nprint(x)\n", true},
		{"eager : nan\njitted: 5.56e-310\n", false},
		{"tensor([1., 2.])\n", false},
		{"array([1., 2.], dtype=float32)\n", false},
		{"Linear(in_features=3, out_features=4)\n", false},
		{"{'a': 1, 'b': [2]}\n", false},
		{"(2,)\n", false},
		{"3\n", false},
		{"True\n", false},
		{"", false},
		{"\n\n# only a comment\n", false},
		{"$ pip install torch\n", false},
		{"pip install torch\npython a.py\n", false},
		{"export A=1\npython a.py\n", false},
		{"Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n    f(x)\nTypeError: no\n", false},
		{"TypeError: 'int' object is not iterable\n", false},
		{"torch==2.1.0\nnumpy==1.26.4\n", false},
		{"numpy: 1.26\ntorch: 2.1\n", false},
		{"Aborted (core dumped)\n", false},
		{"Epoch 1/3\nloss: 0.5\naccuracy: 0.9\n", false},
		{"2024-01-01 10:00:00 INFO start\n", false},
		{"I think this is a bug. It should return three.\n", false},
		{"loss=0.1\n", true}, // could be either; one assignment is taken for code
	} {
		if got := IsPython(tc.text); got != tc.want {
			t.Errorf("%q: %v (%.2f)", tc.text, got, Score(tc.text))
		}
	}
}

// TestBlocks goes through kept blocks of real reports: names that begin with
// "py_" hold Python, the others printed output, logs and lists of versions.
func TestBlocks(t *testing.T) {
	files, err := filepath.Glob("testdata/blocks/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d blocks, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.HasPrefix(filepath.Base(file), "py_")
		if got := IsPython(string(text)); got != want {
			t.Errorf("%s: %v (%.2f)", file, got, Score(string(text)))
		}
	}
}

func TestDedent(t *testing.T) {
	for in, want := range map[string]string{
		"  a\n    b\n\n  c": "a\n  b\n\nc",
		"a\n  b":            "a\n  b",
		"\ta\n\t\tb":        "a\n\tb",
		"  a\n\tb":          "  a\n\tb",
		"":                  "",
	} {
		if got, changed := Dedent(in); got != want || changed != (in != want) {
			t.Errorf("%q: %q %v", in, got, changed)
		}
	}
}
