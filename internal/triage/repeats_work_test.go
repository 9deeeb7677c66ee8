package triage

import "testing"

// TestRepeats: only a loop that does work can leak again and again.
func TestRepeats(t *testing.T) {
	for src, want := range map[string]bool{
		"for i in range(9):\n    f(i)": true,
		"while True: f()":              true,
		"def g():\n    for x in xs:\n        # so\n        y = h(x)\n":                           true,
		"for i in range(9):\n    for j in xs:\n        f(j)":                                     true,
		"out = [f(i) for i in range(9)]":                                                         true,
		"model.fit(x, y, epochs=20)":                                                             true,
		"@njit\ndef f(x):\n  y = x[:]\n  for v in (y,): pass\n\nf(zeros((10,)))\nprint(stats())": false,
		"for a in xs:\n    a += 1\nf(a)":                                                         false,
		"f(1)\nprint(g())":                                                                       false,
		"":                                                                                       false,
	} {
		if got := repeats(src); got != want {
			t.Errorf("%q: %t", src, got)
		}
	}
}
