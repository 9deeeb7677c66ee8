package report

import (
	"strings"
	"testing"
)

// roles reads the roles of lib's versions in a report: "1.9 good".
func libRoles(text string) string {
	r := Parse([]byte("# lib.fit\n\n"+text+"\n\n```python\nimport lib\nprint(lib.fit([1, 2]))\n```\n"), Source{})
	var out []string
	for _, v := range r.Versions {
		if v.Dist == "lib" || v.Name == "lib" {
			out = append(out, v.Spec+" "+string(v.Role))
		}
	}
	return strings.Join(out, ", ")
}

// TestComparedVersions: of two numbers that a complaint compares, the second is
// what it should be like.
func TestComparedVersions(t *testing.T) {
	for text, good := range map[string]string{
		"I see a large performance regression with lib=2.1.5 versus 2.1.3.":         "2.1.3",
		"fit is much slower in lib 2.1.5 than in 2.1.3.":                            "2.1.3",
		"lib 2.1.5 gives wrong sums compared to lib 2.1.3.":                         "2.1.3",
		"Memory leaks in lib 2.1.5 as opposed to version 2.1.3.":                    "2.1.3",
		"lib 2.1.5 is much faster compared to lib 2.1.3 and gives the same numbers": "",
	} {
		got := libRoles(text)
		if has := strings.Contains(got, "good"); has != (good != "") || good != "" && !strings.Contains(got, good+" good") {
			t.Errorf("%q: %s, want good %q", text, got, good)
		}
	}
}

// TestExpectedOutputsOfAnOlderVersion: below a heading of what is expected, the
// version that printed it is a good one, if the reporter's own is newer.
func TestExpectedOutputsOfAnOlderVersion(t *testing.T) {
	const bad = "Since lib 2.1.0 the sums are wrong.\n\n"
	for label, good := range map[string]bool{
		"ran in lib 2.0.5:":                            true,
		"What the same code printed with lib 2.0.5":    true,
		"Output of lib 2.0.5:":                         true,
		"ran in lib 2.2.5:":                            false, // newer than what is said to be wrong
		"The sums of lib 2.0.5 are not it either; a 3": false,
	} {
		got := libRoles(bad + "#### Expected Output\n\n" + label + "\n\n```\n3\n```")
		if strings.Contains(got, "good") != good {
			t.Errorf("%q: %s", label, got)
		}
	}
}
