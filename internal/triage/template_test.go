package triage

import (
	"slices"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

// TestTemplateOfVersions: the block that a tracker's form brings along to print
// what is installed is not the script, however much longer than it.
func TestTemplateOfVersions(t *testing.T) {
	text := "# edges is blank\n\n## Way to reproduce\n\n```python\nfrom widgets import edges\nprint(edges(3).sum())\n```\n\n## Version information\n\n" +
		"```python\n# Paste the output of the following python commands\nfrom __future__ import print_function\nimport sys; print(sys.version)\n" +
		"import platform; print(platform.platform())\nimport widgets; print(\"widgets version: {}\".format(widgets.__version__))\n" +
		"import numpy; print(\"numpy version: {}\".format(numpy.__version__))\n```\n\n```python\n3.7.3 (default, Mar 27 2019, 16:54:48) \n[Clang 4.0.1]\nDarwin-18\nwidgets version: 0.15.0\nnumpy version: 1.16.4\n```\n"
	d := Decide(report.Parse([]byte(text), report.Source{}), Options{})
	if !slices.Equal(d.Blocks, []int{0}) || len(d.Alternatives) > 0 {
		t.Errorf("blocks %v, alternatives %v", d.Blocks, d.Alternatives)
	}
}

// TestSubjectOfAssumedImports: a snippet that imports nothing is about what its
// names stand for.
func TestSubjectOfAssumedImports(t *testing.T) {
	text := "# Gradient outside of the support\n\nFor example\n\n    x = tf.Variable(-1.0)\n\n    with tf.GradientTape() as t:\n        z = tfp.distributions.Beta(10, 1000).log_prob(x)\n\n    print(t.gradient(z, x))\n\nI do not understand the number.\n"
	d := Decide(report.Parse([]byte(text), report.Source{}), Options{})
	if len(d.Subjects) == 0 || d.Subjects[0] != "tensorflow-probability" || !slices.Contains(d.Subjects, "tensorflow") {
		t.Errorf("subjects %v", d.Subjects)
	}
}
