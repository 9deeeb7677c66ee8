package report

import (
	"slices"
	"testing"
)

func TestImportedModules(t *testing.T) {
	code := "import glob, os, tinynet\n>>> import jax.numpy as jnp, numpy as np  # both\nfrom flax import linen, struct\n    import late; x = 1\nimportant = 3\n"
	want := []string{"glob", "os", "tinynet", "jax", "numpy", "flax", "late"}
	if got := importedModules(code); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A package that no table knows is known by its import, wherever it stands in
// the line.
func TestUnknownPackageIsKnownByItsImport(t *testing.T) {
	for _, line := range []string{"import tinynet", "import glob, os, tinynet", "import numpy as np, tinynet as tn", "from tinynet import add"} {
		r := Parse([]byte("# add is wrong\n\ntinynet 1.2, Python 3.11\n\n```python\n"+line+"\n\nprint(1)\n```\n"), Source{})
		if !slices.ContainsFunc(r.Versions, func(v Version) bool { return v.Dist == "tinynet" && v.Spec == "1.2" }) {
			t.Errorf("%q: got %v", line, r.Versions)
		}
	}
}

// "Upgraded X to V" names V as X's version, whatever stands before.
func TestUpgradedTo(t *testing.T) {
	for _, line := range []string{
		"Upgraded scikit-learn to 1.4.0 and now my pipeline dies",
		"I upgraded sklearn to 1.4.0, since then it crashes.",
		"After updating my scikit-learn from 1.3.2 to 1.4.0 it fails.",
		"We moved scikit-learn to version 1.4.0 last week and it broke.",
	} {
		r := Parse([]byte("# It crashes\n\n"+line+"\n\n```python\nimport sklearn\n\nprint(sklearn.show())\n```\n"), Source{})
		if !slices.ContainsFunc(r.Versions, func(v Version) bool {
			return v.Dist == "scikit-learn" && v.Spec == "1.4.0" && (v.Role == RoleStated || v.Role == RoleBad)
		}) {
			t.Errorf("%q: got %+v", line, r.Versions)
		}
	}
}

// What is said of two versions in one sentence belongs to the version of its
// own clause.
func TestStatementFollowsTheVersionOfItsClause(t *testing.T) {
	r := Parse([]byte("# unique returns another shape\n\n```python\nimport numpy as np\n\nprint(np.unique([1]).shape)\n```\n\nprints `(2, 1)` with numpy 2.0.0, on 1.26.4 it was `(2,)`. Python 3.10.\n"), Source{})
	got := map[string]string{}
	for _, s := range r.Statements {
		if s.Where != "inline" {
			continue
		}
		got[s.Text] = ""
		if s.Version != nil {
			got[s.Text] = s.Version.Spec
		}
	}
	if v, ok := got["(2, 1)"]; !ok || v != "" {
		t.Errorf("(2, 1) is said of %q: %v", v, got)
	}
	if got["(2,)"] != "1.26.4" {
		t.Errorf("(2,) is said of %q", got["(2,)"])
	}
}
