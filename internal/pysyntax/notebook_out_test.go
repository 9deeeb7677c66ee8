package pysyntax

import "testing"

// TestNotebookOut: a line that a notebook printed between lines of code is no
// code, though Python reads it.
func TestNotebookOut(t *testing.T) {
	for src, want := range map[string]string{
		"x = ones(3)\nx.shape\nOut[39]: (3,)\nprint(x)\n": "x = ones(3)\nx.shape\n# Out[39]: (3,)\nprint(x)\n",
		"Out = {}\nOut[3]: int = 4\n":                     "Out = {}\nOut[3]: int = 4\n",
		"s = '''\nOut[3]: 4\n'''\nprint(Out)\n":           "s = '''\nOut[3]: 4\n'''\nprint(Out)\n",
		"for i in x:\n    Out[3]: 4\n":                    "for i in x:\n    Out[3]: 4\n",
		"y = Out[3]\n":                                    "y = Out[3]\n",
	} {
		got, fixes := Repair(src)
		if got != want || (len(fixes) > 0) != (got != src) {
			t.Errorf("%q: %q %+v, want %q", src, got, fixes, want)
		}
	}
}
