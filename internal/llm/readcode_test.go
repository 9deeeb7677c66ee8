package llm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/llm"
)

const script = "import numpy as np\n\nx = np.zeros((3, 0))\nprint(np.mean(x))\n"

func TestReadCode(t *testing.T) {
	fenced := "```python\n" + script + "```\n"
	for name, c := range map[string]struct{ text, want, notes string }{
		"a block":           {fenced, script, ""},
		"prose around":      {"Here it is:\n\n" + fenced + "\nIt shows the bug.", script, ""},
		"no name":           {"```\n" + script + "```", script, ""},
		"another fence":     {"~~~py\n" + script + "~~~", script, ""},
		"line ends":         {strings.ReplaceAll(fenced, "\n", "\r\n"), script, ""},
		"thinking":          {"<think>\n```python\nx = 1\n```\n</think>\n" + fenced, script, ""},
		"install first":     {"```bash\npip install numpy\n```\n" + fenced, script, "1 other blocks were left out"},
		"output after":      {fenced + "Output:\n```\nnan\nRuntimeWarning: Mean of empty slice.\n```", script, "1 other blocks were left out"},
		"a corrected one":   {"```python\nimport numpy as np\nx = np.zeros((3, 0)); print(x.maen())\n```\nBetter:\n" + fenced, script, "1 other blocks were left out"},
		"example of use":    {fenced + "or\n```python\nmain()\n```", script, "1 other blocks were left out"},
		"in two parts":      {"```python\nimport numpy as np\n```\nthen\n```python\nx = np.zeros(3)\nprint(x)\n```", "import numpy as np\nx = np.zeros(3)\nprint(x)\n", "2 blocks were put together"},
		"in a list":         {"1. Run:\n\n   ```python\n   import os\n   print(os)\n   ```\n", "import os\nprint(os)\n", "its indentation was taken off"},
		"never closed":      {"```python\n" + script, script, "the end of its block was missing"},
		"no block":          {script, script, "the script stood in no block"},
		"no block, prose":   {"Sure, here is the script:\n\n" + script + "\nI hope this helps.", script, "the script stood in no block; prose around it was left out"},
		"JSON":              {`{"explanation": "x", "code": "import os\nprint(os.sep)\n"}`, "import os\nprint(os.sep)\n", "the script stood in a JSON object"},
		"JSON with a block": {"{\"script\": \"```python\\nimport os\\nprint(os.sep)\\n```\"}", "import os\nprint(os.sep)\n", "the script stood in a JSON object"},
		"session":           {"```python\n>>> x = [1]\n>>> for i in x:\n...     print(i)\n...\n1\n```", "x = [1]\nfor i in x:\n    print(i)\n\n", "prompts of an interactive session were taken off"},
		"fence in a string": {"```python\ntext = '''\n```\n'''\nprint(text)\n```", "text = '''\n```\n'''\nprint(text)\n", ""},
		"does not parse":    {"```python\nimport os\nprint os.sep)\nx = 1\n```", "import os\nprint os.sep)\nx = 1\n", ""},
		"JavaScript inside": {"```python\njs = 'console.log(1)'\nprint(js)\n```", "js = 'console.log(1)'\nprint(js)\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			code, notes, err := llm.ReadCode(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimRight(code, "\n") != strings.TrimRight(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", code, c.want)
			}
			if !strings.HasSuffix(code, "\n") {
				t.Error("no line end")
			}
			if n := strings.Join(notes, "; "); n != c.notes {
				t.Errorf("notes %q, want %q", n, c.notes)
			}
		})
	}
}

func TestReadCodeFails(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want error
		why  string
	}{
		"nothing":         {"", llm.ErrEmpty, ""},
		"blanks":          {"\n \n", llm.ErrEmpty, ""},
		"prose":           {"I am sorry, but I cannot reproduce this. The report says too little.", llm.ErrNoCode, ""},
		"advice":          {"You could try this:\n\n- upgrade numpy\n- report a bug\n", llm.ErrNoCode, ""},
		"shell only":      {"```bash\npip install numpy\n```", llm.ErrNoCode, ""},
		"output only":     {"```\nnan\n```", llm.ErrNoCode, ""},
		"JavaScript":      {"```javascript\nconst x = 1;\nconsole.log(x);\n```", llm.ErrLanguage, "JavaScript"},
		"JavaScript, py":  {"```python\nconst x = require('fs');\nconsole.log(x);\n```", llm.ErrLanguage, "JavaScript"},
		"C, no block":     {"#include <stdio.h>\nint main(void) {\n  return 0;\n}\n", llm.ErrLanguage, "C or C++"},
		"Haskell":         {"```haskell\nmain = putStrLn \"x\"\n```", llm.ErrLanguage, "haskell"},
		"in a call":       {"```python\nimport numpy as np\nx = np.zeros((3,", llm.ErrTruncated, "statement"},
		"in a string":     {"```python\nprint('hel", llm.ErrTruncated, "statement"},
		"in a docstring":  {"```python\n\"\"\"Shows\nthe bug", llm.ErrTruncated, "statement"},
		"after a colon":   {"```python\nfor i in range(3):\n", llm.ErrTruncated, "statement"},
		"after an equals": {"```python\nx = 1\ny =", llm.ErrTruncated, "statement"},
		"no block, cut":   {"import numpy as np\nx = np.zeros((3,", llm.ErrTruncated, "statement"},
		"a bare fence":    {"Here it is:\n```python\n", llm.ErrTruncated, "no statement"},
		"in thought":      {"<think>\n```python\nx = 1\n```\n", llm.ErrTruncated, "thinks aloud"},
		"too long":        {"```python\n" + strings.Repeat("x = 1\n", 1<<17) + "```", llm.ErrTooLong, "the limit"},
		"1 MB of prose":   {strings.Repeat("and so on ", 100_000), llm.ErrNoCode, ""},
		"fences":          {strings.Repeat("```\n", 100_000), llm.ErrNoCode, ""},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, err := llm.ReadCode(c.text)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if !strings.Contains(err.Error(), c.why) {
				t.Errorf("error %q", err)
			}
			if code != "" {
				t.Errorf("and code %q", code)
			}
		})
	}
}
