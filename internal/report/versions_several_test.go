package report

import (
	"strings"
	"testing"
)

// TestSeveralVersions: one heading asks for several versions, one line answers.
func TestSeveralVersions(t *testing.T) {
	const heading = "### Scipy/Numpy/Python version information:\n"
	for _, c := range []struct{ name, text, want string }{
		{"a tuple", heading + "('1.0.0', '1.13.1', sys.version_info(major=2, minor=7, micro=13, releaselevel='final', serial=0))",
			"scipy 1.0.0, numpy 1.13.1, python 2.7.13"},
		{"a line", heading + "1.5.4 1.19.2 sys.version_info(major=3, minor=8, micro=5, releaselevel='final', serial=0)",
			"scipy 1.5.4, numpy 1.19.2, python 3.8.5"},
		{"a fence", heading + "\n```\n1.5.4 1.19.2 sys.version_info(major=3, minor=8, micro=5, releaselevel='final', serial=0)\n```",
			"scipy 1.5.4, numpy 1.19.2, python 3.8.5"},
		{"a label in a list", "- Python & NumPy Version (e.g., 1.0): 3.10 and 1.25.1", "python 3.10, numpy 1.25.1"},
		{"a label of a slash", "* numpy/scipy version: 1.25.1, 1.11.0+local", "numpy 1.25.1, scipy 1.11.0+local"},
		{"a label with a number too few", "- Python & NumPy Version (e.g., 1.0): 1.25.1", "numpy 1.25.1"},
		{"a label whose answer has names", "- Python & NumPy Version (e.g., 1.0): NumPy 1.25.1 / Python 3.10.1", "numpy 1.25.1, python 3.10.1"},
		{"plain numbers", "### NumPy and Python versions\n1.19.2, 3.8.5", "numpy 1.19.2, python 3.8.5"},
	} {
		r := Parse([]byte("# zeros\n\n```python\nimport scipy\n```\n\n"+c.text+"\n"), Source{})
		var got []string
		for _, v := range r.Versions {
			got = append(got, v.Dist+" "+v.Spec)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: got %q, want %q (%+v)", c.name, got, c.want, r.Versions)
		}
	}
}

// TestPairsOnOneLine: a line of a list may hold several names with their versions.
func TestPairsOnOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"torch version: 2.2.2, torchvision version: 0.17.2":         "torch 2.2.2, torchvision 0.17.2",
		"numpy: 1.26.4; scipy: 1.11.0; Python: 3.10.2":              "numpy 1.26.4, scipy 1.11.0, python 3.10.2",
		"torch: 2.2.2, built with the compiler of the distribution": "torch 2.2.2",
		"torch: 2.2.2+cu121": "torch 2.2.2+cu121",
	} {
		r := Parse([]byte("# no attribute\n\n### Versions\n\nI use these versions:\n```python\n"+text+"\n```\n"), Source{})
		var got []string
		for _, v := range r.Versions {
			got = append(got, v.Dist+" "+v.Spec)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestExampleOfALabel: the number behind a form's last label is the version of
// the package that the label names as its example, and never of "information".
func TestExampleOfALabel(t *testing.T) {
	for line, want := range map[string]string{
		"* Any other relevant information (*e.g.*, version of `torch-scatter`): 2.0.9": "torch-scatter 2.0.9",
		"* Any other relevant information (e.g. version of torch-scatter):2.0.9":       "torch-scatter 2.0.9",
		"* Any other relevant information: 2.0.9":                                      "",
		"- NumPy version (and how you installed it, e.g. `conda`, `pip`): pip 1.25.1":  "numpy 1.25.1",
		"- pip version: 23.1.2":  "pip 23.1.2",
		"* Python version: 3.10": "python 3.10",
	} {
		r := Parse([]byte("# zeros\n\n```python\nimport lib\nlib.f()\n```\n\n### Environment\n\n"+line+"\n"), Source{})
		var got []string
		for _, v := range r.Versions {
			got = append(got, v.Dist+" "+v.Spec)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// TestVersionsBehindDashes: people write dashes between a name and its version;
// a compiler's version in a list is no package's.
func TestVersionsBehindDashes(t *testing.T) {
	for text, want := range map[string]string{
		"**Your platform**\nPython 3.6.12\nnumpy -- 1.19.5\nscipy – 1.5.0":                                                                    "python 3.6.12, numpy 1.19.5, scipy 1.5.0",
		"### Versions\n\n```\nPyTorch version: 2.5.1\nClang version: 18.1.3 (1ubuntu1)\nCMake version: 3.28.3\nLibc version: glibc-2.39\n```": "torch 2.5.1",
	} {
		r := Parse([]byte("# zeros\n\n```python\nimport lib\nlib.f()\n```\n\n"+text+"\n"), Source{})
		var got []string
		for _, v := range r.Versions {
			got = append(got, v.Dist+" "+v.Spec)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
