package environment

import (
	"slices"
	"strings"
	"testing"
)

// TestGuardedImports: what a script imports inside a try is wanted when it is
// known, and never the end of the matter.
func TestGuardedImports(t *testing.T) {
	for _, c := range []struct {
		name, script, imports string
		want, certified, edit string
		unavailable           string
	}{
		{"inside a function", "def f():\n    import jax\n", "jax", "jax[cpu]", "jax", "", ""},
		{"known, inside a try", "try:\n    import xgboost\nexcept ImportError:\n    xgboost = None\n", "xgboost", "xgboost", "", "", ""},
		{"guess, inside a try", "try:\n    import my_speedups\nexcept ImportError:\n    pass\n", "my_speedups", "", "", "import my_speedups: left out", ""},
		{"own file, inside a try", "try:\n    from utils import x\nexcept ImportError:\n    pass\n", "utils", "", "", "import utils: left out", ""},
		{"own file", "from utils import x\n", "utils", "", "", "", "looks like a file of the reporter's own project"},
		{"once inside, once outside", "import jax\ntry:\n    import jax.numpy\nexcept ImportError:\n    pass\n", "jax", "jax[cpu]", "jax", "", ""},
		{"namespace by name", "from google import protobuf\n", "google", "protobuf", "google.protobuf", "", ""},
		{"namespace that nobody knows", "import google.nobody.has.this\n", "google", "", "", "", ""},
	} {
		s, u, err := inferSpec(t.Context(), specWorld(), specCase{imports: strings.Fields(c.imports), script: c.script}.input())
		if err != nil || (u != nil) != (c.unavailable != "") || u != nil && !strings.Contains(u.Why, c.unavailable) {
			t.Errorf("%s: %+v %v", c.name, u, err)
			continue
		}
		if got := lines(s.Requirements); u == nil && got != c.want {
			t.Errorf("%s: requirements %q, want %q", c.name, got, c.want)
		}
		if got := strings.Join(s.Imports, " "); u == nil && got != c.certified {
			t.Errorf("%s: certificate imports %q, want %q", c.name, got, c.certified)
		}
		if !strings.Contains(strings.Join(s.Edits, "\n"), c.edit) {
			t.Errorf("%s: edits %q lack %q", c.name, s.Edits, c.edit)
		}
	}
}

// TestOptionalIsDropped: a known distribution that this index does not have.
func TestOptionalIsDropped(t *testing.T) {
	w := mlWorld()
	s, u, err := inferSpec(t.Context(), w, specCase{imports: []string{"numpy", "xgboost"}, script: "import numpy\ntry:\n    import xgboost\nexcept ImportError:\n    pass\n"}.input())
	if err != nil || u != nil {
		t.Fatalf("%v %v", u, err)
	}
	s.Python, s.PythonSource = "3.11", "flag"
	lock, u := solve(t, w, s)
	if u != nil {
		t.Fatal(u.Why)
	}
	if got := packagesOf(lock); got != "numpy==2.1.0" {
		t.Errorf("packages %s", got)
	}
	if !slices.ContainsFunc(lock.Asked, func(a Asked) bool { return a.Name == "xgboost" }) {
		t.Errorf("asked %+v", lock.Asked)
	}
}
