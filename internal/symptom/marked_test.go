package symptom

import "testing"

// TestHeaderInItalics: an output pasted without a fence begins with Markdown's
// underscore; a private class of a library keeps its own.
func TestHeaderInItalics(t *testing.T) {
	for header, class := range map[string]string{"_ValueError": "ValueError", "_InactiveRpcError": "_InactiveRpcError", "ValueError": "ValueError"} {
		all := FromText(header + "                                Traceback (most recent call last)\n<ipython-input-3-ab12> in <module>\n----> 1 f(1)\n\n" + class + ": no\n")
		if len(all) != 1 || all[0].Exception != class {
			t.Errorf("%s: %+v", header, all)
		}
	}
}

// TestEggPath: the folder of an egg is no package.
func TestEggPath(t *testing.T) {
	f := newFrame("/opt/py/lib/python3.6/site-packages/scipy-1.2.0.dev0+c8069fd-py3.6-macosx-10.7-x86_64.egg/scipy/stats/stats.py", "pearsonr", 3036, "")
	if f.Package != "scipy" || f.File != "scipy/stats/stats.py" {
		t.Errorf("%+v", f)
	}
}
