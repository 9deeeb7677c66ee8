package report

import "testing"

// TestInterpreterVersion: what sys.version prints names no package.
func TestInterpreterVersion(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"conda", "```\n3.7.3 | packaged by conda-forge | (default, Jul  1 2019, 21:52:21) \n[GCC 7.3.0]\nLinux-5.0\n```\n", "3.7.3"},
		{"anaconda's own", "```\n>>> print(sys.version)\n2.7.14 |Anaconda, Inc.| (default, Dec  7 2017, 17:05:42) \n[GCC 7.2.0]\n```\n", "2.7.14"},
		{"of a tag", "3.11.4 (tags/v3.11.4:d2340ef, Jun  7 2023, 05:45:37) [MSC v.1934 64 bit (AMD64)]\n", "3.11.4"},
		{"quoted", "```\n'3.8.5 (default, Jul 28 2020, 12:59:40) \\n[GCC 9.3.0]'\n```\n", "3.8.5"},
		{"a release candidate", "3.13.0rc1 (main, Aug  6 2024, 10:33:52) [GCC 12.2.0]\n", "3.13.0"},
		{"stated beside it", "Python: 3.9.1\n\n3.8.5 (default, Jul 28 2020, 12:59:40) \n", "3.9.1"},
		{"of another program", "```\n2.4.1 (default, build of July)\n```\n", ""},
	} {
		r := Parse([]byte("# zoom shifts by one\n\n```python\nimport widgets\nwidgets.zoom(3)\n```\n\n## Versions\n\n"+c.text), Source{})
		got := ""
		for _, v := range r.Versions {
			if v.Dist == "python" && v.Role == RoleStated {
				got += v.Spec
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
