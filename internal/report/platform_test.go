package report

import "testing"

// TestPlatformVersions: the version of a system is none of the package's,
// whatever the sentence says of it.
func TestPlatformVersions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"keras version: 3.3.2 / 3.3\nOperating System: Red Hat 7.5 / MacOS 10.15.5\n", "3.3.2"},
		{"keras 3.3.2 crashes on Ubuntu 20.04.3 and with CUDA 11.2.1 as well.\n", "3.3.2"},
		{"It crashes with keras 3.3.2 under macos version 12.6.1.\n", "3.3.2"},
		{"With keras 3.3.2 it crashes, 3.2.0 was fine.\n", "3.3.2 3.2.0"},
	} {
		r := Parse([]byte("# keras crashes\n\n"+c.text+"\n```python\nimport keras\nkeras.f()\n```\n"), Source{})
		check(t, r)
		got := ""
		for _, v := range r.Versions {
			if v.Dist == "keras" {
				got += " " + v.Spec
			}
		}
		if got != " "+c.want {
			t.Errorf("%s: versions of keras:%s, want %s", c.text, got, c.want)
		}
	}
}
