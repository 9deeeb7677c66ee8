package pysyntax

import "testing"

func TestMissingColon(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"a loop":            {"for i in range(3)\n    f(i)\ng()", "for i in range(3):\n    f(i)\ng()"},
		"a comment behind":  {"while x  # until it stops\n    x = f(x)", "while x:  # until it stops\n    x = f(x)"},
		"an empty line":     {"def f(a, b)\n\n    return a", "def f(a, b):\n\n    return a"},
		"over two lines":    {"def f(a,\n      b)\n    return a", "def f(a,\n      b):\n    return a"},
		"two of them":       {"if a\n    b()\nelse\n    c()", "if a:\n    b()\nelse:\n    c()"},
		"inside":            {"class A:\n    def f(self)\n        return 1", "class A:\n    def f(self):\n        return 1"},
		"no body":           {"for i in range(3)\nf(i)", "for i in range(3)\nf(i)"},
		"quotes and a sign": {"if x == '#'  # so\n    f()", "if x == '#'  # so\n    f()"},
		"whole already":     {"for i in range(3):\n    f(i)", "for i in range(3):\n    f(i)"},
		"a name like it":    {"format = 1\niffy = 2", "format = 1\niffy = 2"},
		"an open bracket":   {"for i in range(3\n    f(i)", "for i in range(3\n    f(i)"},
	} {
		t.Run(name, func(t *testing.T) {
			got, fixes := missingColon(c.src, nil)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if (len(fixes) > 0) != (c.src != c.want) {
				t.Errorf("fixes: %+v", fixes)
			}
		})
	}
}

// TestRepairMissingColon: the repair is one of the chain, and says what it did.
func TestRepairMissingColon(t *testing.T) {
	got, fixes := Repair("import lib\n\n# any loop\nfor _ in range(1000)\n    lib.f(_)\n")
	if want := "import lib\n\n# any loop\nfor _ in range(1000):\n    lib.f(_)\n"; got != want {
		t.Errorf("got %q", got)
	}
	if len(fixes) != 1 || fixes[0].Kind != "colon" || fixes[0].Line != 4 || fixes[0].Guessed {
		t.Errorf("fixes: %+v", fixes)
	}
}
