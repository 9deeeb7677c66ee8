package report

import (
	"slices"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	for line, want := range map[string]string{
		"$ ls -l":                             "ls -l",
		"(venv) me@host:~/work$ python x.py":  "python x.py",
		"root@8d0f:/w# pip list":              "pip list",
		"[me@host x]$ python3 a.py":           "python3 a.py",
		"C:\\Users\\me> python run.py":        "python run.py",
		"PS C:\\Users\\me> python run.py":     "python run.py",
		"❯ python x.py":                       "python x.py",
		"(base) $ python x.py":                "python x.py",
		">>> 1":                               "",
		"> quoted":                            "",
		"# a comment":                         "",
		"$5 a month":                          "",
		"x = a@b":                             "",
		"loss: 3 $ 4":                         "",
		"":                                    "",
		"$ " + strings.Repeat("a", 3000) + "": "",
	} {
		if got := command(line); got != want {
			t.Errorf("command(%q) = %q, want %q", line, got, want)
		}
	}
}

// TestTranscripts: the output of a script counts, that of an installer does not.
func TestTranscripts(t *testing.T) {
	for _, c := range []struct {
		name, block string
		kind        BlockKind
		want        []string
		magics      []string
	}{
		{"a script", "$ python a.py\n3\n4\n5", BlockOutput, []string{"3", "4", "5"}, []string{"python a.py"}},
		{"a command more than its output", "$ pip install x\n$ cd y\n$ python a.py\n3", BlockShell, []string{"3"}, nil},
		{"an installer", "$ pip install x\nCollecting x\nUsing cached x\nSuccessfully installed", BlockOutput, nil, []string{"pip install x"}},
		{"both", "$ pip install x\nCollecting x\nDone\n$ python a.py\nnan\n0\n1", BlockOutput, []string{"nan", "0", "1"}, []string{"pip install x", "python a.py"}},
		{"a variable before", "$ A_B=1 python3 a.py\n3\n4\n5", BlockOutput, []string{"3", "4", "5"}, []string{"A_B=1 python3 a.py"}},
		{"tests", "$ python -m pytest a.py\ncollected 1 item\nE  x\nfailed", BlockOutput, nil, []string{"python -m pytest a.py"}},
		{"a question", "$ python --version\nPython 3.8.1\nx\ny", BlockOutput, nil, []string{"python --version"}},
		{"only commands", "$ pip install x\n$ python a.py", BlockShell, nil, nil},
	} {
		r := Parse([]byte("# wrong\n\nI run\n\n```\n"+c.block+"\n```\n"), Source{})
		check(t, r)
		if len(r.Blocks) != 1 {
			t.Fatalf("%s: %d blocks", c.name, len(r.Blocks))
		}
		var got []string
		for _, s := range r.Statements {
			if s.Kind == SaysOutput {
				got = append(got, s.Text)
			}
		}
		if b := r.Blocks[0]; b.Kind != c.kind || !slices.Equal(got, c.want) || !slices.Equal(b.Magics, c.magics) {
			t.Errorf("%s: %s block, output %q, typed %q", c.name, b.Kind, got, b.Magics)
		}
	}
}

func TestNoOutput(t *testing.T) {
	for line, want := range map[string]bool{
		"...": true, "-----": true, "=====": true, "\x1b[0;31m-----\x1b[0m": true, "3": false, "nan": false, "-1": false, "\x1b[31m3\x1b[0m": false,
		"The stack trace below excludes JAX-internal frames.": true,
		"The stack is empty":     false,
		"Detected at node 'x'":   true,
		"Detected at least one.": false,
	} {
		if got := noOutput(line); got != want {
			t.Errorf("noOutput(%q) = %v", line, got)
		}
	}
}

func FuzzTranscript(f *testing.F) {
	f.Add("$ python a.py\n3\n(venv) me@host:~$ python -c \"import x; print(x.__version__)\"\n1.2.3")
	f.Add("PS C:\\x> pip install a==1\n")
	f.Fuzz(func(t *testing.T, text string) {
		check(t, Parse([]byte("# wrong\n\nprints\n\n```\n"+text+"\n```\n"), Source{}))
	})
}

// TestConsolePrompts: an editor's console writes its prompts without the blank
// and with dots of its own; the code is the same.
func TestConsolePrompts(t *testing.T) {
	const session = "Python 3.9.1 | packaged by someone\nConsole: using IPython 7.20.0\n" +
		"In[2]: import lib\n ... : import time\n ... : lib.__version__\nOut[2]: '1.4.0'\n" +
		"In[3]: start = time.time()\n ... : for i in range(3):\n ... :     lib.call(i)\n ... : time.time() - start\nOut[3]: 12.5\n"
	r := Parse([]byte("# lib.call is slow\n\n```\n"+session+"```\n"), Source{})
	if len(r.Blocks) != 1 || r.Blocks[0].Kind != BlockREPL || len(r.Blocks[0].Cells) != 2 {
		t.Fatalf("blocks: %+v", r.Blocks)
	}
	cells := r.Blocks[0].Cells
	if want := "import lib\nimport time\nlib.__version__"; cells[0].Code != want || cells[0].Output != "'1.4.0'" {
		t.Errorf("first cell: %q, %q", cells[0].Code, cells[0].Output)
	}
	if want := "start = time.time()\nfor i in range(3):\n    lib.call(i)\ntime.time() - start"; cells[1].Code != want || cells[1].Output != "12.5" {
		t.Errorf("second cell: %q, %q", cells[1].Code, cells[1].Output)
	}
}
