package candidate

import (
	"strings"
	"testing"
)

func TestSteered(t *testing.T) {
	for _, c := range []struct {
		name, body, frames string
		steered            bool
	}{
		{"plain", "import shapelib\nx = shapelib.mean([])\nshapelib.total(x, 3)\n", "3", false},
		{"an argument chosen before", "import shapelib\nx = shapelib.mean([])\naxis = 3 if x != x else 0\nshapelib.total([1], axis)\n", "4", true},
		{"by an index", "import shapelib\nx = shapelib.mean([])\naxis = [0, 3][x != x]\nshapelib.total([1], axis)\n", "4", true},
		{"by a product", "import shapelib\nx = shapelib.mean([])\naxis = 3 * (x != x)\nshapelib.total([1], axis)\n", "4", true},
		{"by a block", "import shapelib\nx = shapelib.mean([])\naxis = 0\nif x != x:\n    axis = 3\nshapelib.total([1], axis)\n", "6", true},
		{"under a condition", "import shapelib\nx = shapelib.mean([])\nif x != x:\n    shapelib.total([1], 3)\n", "4", true},
		{"an argument chosen there", "import shapelib\nx = shapelib.mean([])\nshapelib.total([1], 3 if x != x else 0)\n", "3", true},
		{"through a function", "import shapelib\ndef run(axis):\n    shapelib.total([1], axis)\nx = shapelib.mean([])\nrun(3 if x else 0)\n", "5 3:run", true},
		{"a condition on something else", "import shapelib\nn = 3\naxis = 3 if n > 2 else 0\nshapelib.total(shapelib.mean([]), axis)\n", "4", false},
		{"a loop over what came out", "import shapelib\nfor x in shapelib.grid(3):\n    shapelib.total([x], 3)\n", "3", false},
		{"a condition after it", "import shapelib\nx = shapelib.total([1], 3)\nif x > 1:\n    y = 2\n", "2", false},
		{"control", "import shapelib\naxis = 0 if control else 3\nshapelib.total([1], axis)\n", "3", false},
		{"no place", "import shapelib\nx = shapelib.mean([])\nif x:\n    shapelib.total([1], 3)\n", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			why := Steered(FromAgent(c.body, ""), axisCrash, at(t, c.frames))
			if (len(why) > 0) != c.steered {
				t.Errorf("%q", why)
			}
			if c.steered && !strings.Contains(why[0], "what shapelib returned decides") {
				t.Errorf("%q", why)
			}
		})
	}
	own := FromScript("import shapelib\nx = shapelib.mean([])\nif x:\n    shapelib.total([1], 3)\n")
	if why := Steered(own, axisCrash, at(t, "4")); why != nil {
		t.Errorf("somebody's own script: %q", why)
	}
}

// TestSteeredByACall: the condition calls the package itself, in any form.
func TestSteeredByACall(t *testing.T) {
	for name, body := range map[string]string{
		"if":       "axis = (0,)\nif shapelib.near(3) > 1:\n    axis = 3\nshapelib.total(axis)\n",
		"ternary":  "axis = 3 if shapelib.near(3) > 1 else (0,)\nshapelib.total(axis)\n",
		"index":    "axis = [(0,), 3][shapelib.near(3) > 1]\nshapelib.total(axis)\n",
		"a table":  "axis = {True: 3}.get(shapelib.near(3) > 1, (0,))\nshapelib.total(axis)\n",
		"function": "def g():\n    if shapelib.near(3) > 1:\n        return 3\n    return (0,)\nshapelib.total(g())\n",
		"argument": "def g(r):\n    return 3 if r > 1 else (0,)\naxis = g(shapelib.near(3))\nshapelib.total(axis)\n",
		"exit":     "if shapelib.near(3) < 1:\n    raise SystemExit\nshapelib.total(3)\n",
		"sys.exit": "import sys\nr = shapelib.near(3)\nif r < 1:\n    sys.exit()\nshapelib.total(3)\n",
		"and":      "shapelib.near(3) > 1 and shapelib.total(3)\n",
		"where":    "import numpy as np\naxis = np.where(shapelib.near(3) > 1, 3, 0)\nshapelib.total(axis)\n",
	} {
		c := FromAgent("import shapelib\n"+body, "")
		last := strings.Count(c.Script, "\n")
		if got := Steered(c, axisCrash, []ScriptFrame{{Line: last, Function: "<module>"}}); len(got) == 0 {
			t.Errorf("%s is believed", name)
		}
	}
	c := FromAgent("import shapelib\nm = shapelib.Model(3)\nx = m.fit([1])\nshapelib.total(x, 3)\n", "")
	if got := Steered(c, axisCrash, []ScriptFrame{{Line: ShimLines + 4, Function: "<module>"}}); got != nil {
		t.Errorf("honest: %q", got)
	}
}
