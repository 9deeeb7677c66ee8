package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// versionLines are the versions of a parse, as "dist spec role where".
func versionLines(r *Report) []string {
	var out []string
	for _, v := range r.Versions {
		out = append(out, fmt.Sprintf("%s %s %s %s", v.Dist, v.Spec, v.Role, v.Where))
	}
	return out
}

// TestVersionsInCode reads the comments and the docstring of a script.
func TestVersionsInCode(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       []string
	}{
		{"a header", "# Python 3.9.7\n# torch==2.1\n# numpy 1.22.4\nimport torch", []string{"python 3.9.7 stated comment", "torch 2.1 stated comment", "numpy 1.22.4 stated comment"}},
		{"several in a line", "# torch 2.1.0, numpy 1.22.4 / python 3.9\nimport torch", []string{"torch 2.1.0 stated comment", "numpy 1.22.4 stated comment", "python 3.9 stated comment"}},
		{"behind an import", "import numpy as np  # 1.19.5\nimport torch  # version 2.1", []string{"numpy 1.19.5 stated comment", "torch 2.1 stated comment"}},
		{"behind a print", "import torch\nx = 1\nprint(torch.__version__)  # 2.1.0", []string{"torch 2.1.0 stated comment"}},
		{"an alias", "import tensorflow as tf\nprint(tf.__version__)  # 2.12.0", []string{"tensorflow 2.12.0 stated comment"}},
		{"a docstring", "\"\"\"\nhyperopt: 0.2.7\npython: 3.8\n\"\"\"\nimport hyperopt", []string{"hyperopt 0.2.7 stated comment", "python 3.8 stated comment"}},
		{"good and bad", "import torch\nx = 1\n# works in torch 2.0.1, fails in torch 2.1.0", []string{"torch 2.0.1 good comment", "torch 2.1.0 bad comment"}},
		{"an unknown but imported one", "# tinynet 0.3\nimport tinynet", []string{"tinynet 0.3 stated comment"}},
		{"an unknown one", "# wobble 0.3.1\nimport tinynet", nil},
		{"a result, not a version", "import torch\nx = 1\nprint(x)  # torch: 0.25", nil},
		{"a bare number, not a version", "import torch\nx = 1\nprint(x)  # 0.25", nil},
		{"a shape", "import torch\nx = 1  # torch 3 x 4", nil},
		{"a string", "import torch\nx = '# torch 2.1.0'", nil},
		{"a setting", "import torch\nlr = 0.1  # numpy default 0.5", nil},
	} {
		r := Parse([]byte("# Wrong sum\n\n```python\n"+c.code+"\n```\n"), Source{})
		if got := versionLines(r); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		check(t, r)
	}
}

// TestPrintedVersions reads the answers to questions for versions.
func TestPrintedVersions(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a transcript", ">>> import torch\n>>> torch.__version__\n'1.8.1+cpu'\n", []string{"torch 1.8.1+cpu stated printed"}},
		{"two", ">>> import scipy, numpy as np\n>>> scipy.__version__, np.__version__\n('1.5.2', '1.19.2')\n", []string{"scipy 1.5.2 stated printed", "numpy 1.19.2 stated printed"}},
		{"a print", ">>> import torch\n>>> print(torch.__version__)\n2.1.0\n", []string{"torch 2.1.0 stated printed"}},
		{"another count", ">>> import torch, numpy\n>>> torch.__version__, numpy.__version__\n'2.1.0'\n", nil},
		{"a script's first line", "```python\nimport torch, numpy\nprint(torch.__version__, numpy.__version__)\nprint(1)\n```\n\n```\n2.1.0 1.26.4\n1\n```\n", []string{"torch 2.1.0 stated printed", "numpy 1.26.4 stated printed"}},
		{"not its first line", "```python\nimport torch\nprint(1.5)\nprint(torch.__version__)\n```\n\n```\n1.5.0\n2.1.0\n```\n", nil},
		{"a command", "```\n$ python -c \"import torch; print(torch.__version__)\"\n2.1.0\n```\n", []string{"torch 2.1.0 stated printed"}},
		{"git's words before", "```\n$ python -c \"import tensorflow as tf; print(tf.version.GIT_VERSION, tf.version.VERSION)\"\nv2.9.0-rc2-42-g8a20d54a3c1 2.9.0\n```\n", []string{"tensorflow 2.9.0 stated printed"}},
		{"mxnet's script", "## Environment\n\n```\n----------Python Info----------\nVersion      : 3.6.5\n----------MXNet Info-----------\nVersion      : 1.3.0\n----------System Info----------\nPlatform     : Linux\n```\n", []string{"python 3.6.5 stated collect_env", "mxnet 1.3.0 stated collect_env"}},
		{"a pair", "```python\nimport ot\nprint(1)\n```\n\n```\nPOT 0.9.5\n1\n```\n", []string{"pot 0.9.5 stated printed"}},
	} {
		r := Parse([]byte("# Wrong sum\n\nSee below.\n\n"+c.text), Source{})
		if got := versionLines(r); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		check(t, r)
	}
}

// TestVersionsInReplies: what the reporter adds in the thread is the reporter's
// own word, unless the report has said otherwise.
func TestVersionsInReplies(t *testing.T) {
	for _, c := range []struct {
		name, body string
		comments   []Comment
		want       []string
	}{
		{"the reporter's", "It hangs.", []Comment{{Body: "I have torch 2.1.0.", Reporter: true}}, []string{"torch 2.1.0 stated prose"}},
		{"another's", "It hangs.", []Comment{{Body: "I have torch 2.1.0."}}, []string{"torch 2.1.0 mention prose"}},
		{"said before", "It hangs with torch 2.0.1.", []Comment{{Body: "I have torch 2.1.0 elsewhere.", Reporter: true}}, []string{"torch 2.0.1 stated prose", "torch 2.1.0 mention prose"}},
		{"another package", "It hangs with torch 2.0.1.", []Comment{{Body: "I have numpy 1.26.4.", Reporter: true}}, []string{"torch 2.0.1 stated prose", "numpy 1.26.4 stated prose"}},
		{"after another's", "It hangs.", []Comment{{Body: "I have torch 2.1.0."}, {Body: "Mine is torch 2.2.0.", Reporter: true}}, []string{"torch 2.1.0 mention prose", "torch 2.2.0 stated prose"}},
	} {
		r := FromIssue(Issue{Title: "forward hangs", Body: c.body + "\n\n```python\nimport torch\n```\n", Comments: c.comments}, Source{})
		if got := versionLines(r); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		check(t, r)
	}
}

// TestCommits reads commits in prose.
func TestCommits(t *testing.T) {
	for text, want := range map[string]string{
		"Seen on the main branch of pytorch at commit 4a1c8b2d.": "torch main stated prose|torch 4a1c8b2d stated prose",
		"Built from commit 4a1c8b2d.":                            "tinynet 4a1c8b2d stated prose",
		"tinynet commit hash: 4a1c8b2":                           "tinynet 4a1c8b2 stated prose",
		"I commit 1234567 times.":                                "",
		"commit to it":                                           "",
	} {
		r := Parse([]byte("# Wrong sum\n\n"+text+"\n\n```python\nimport tinynet\n```\n"), Source{})
		if got := strings.Join(versionLines(r), "|"); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// FuzzVersions looks for prose whose numbers break the parser's promises.
func FuzzVersions(f *testing.F) {
	f.Add("Works in torch 2.0.1, fails in 2.1.0，dask 2023.3.1 升级到 2.2.0")
	f.Add("- TensorFlow version (use command below): v1.14.0-rc1-22-gaf24dc91b5 1.14.0")
	f.Add("1.4.4: `[1.5]`\n1.5.1: 3\nat commit abcdef012")
	f.Fuzz(func(t *testing.T, text string) {
		check(t, Parse([]byte("# wrong\n\n"+text+"\n\n```python\nimport torch, dask\n```\n"), Source{}))
	})
}

// FuzzIssue looks for an issue's JSON that breaks them.
func FuzzIssue(f *testing.F) {
	f.Add([]byte(`{"title": "x", "body": null, "comments": [{"body": "torch 2.1.0", "user": {"login": "a"}}], "user": {"login": "a"}}`))
	f.Add([]byte(`{"title": "x", "body": "y", "labels": ["a", {"name": "b"}], "created_at": "2024-01-02T03:04:05Z"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if issue, err := DecodeIssue(raw); err == nil {
			check(t, FromIssue(issue, Source{}))
		}
	})
}
