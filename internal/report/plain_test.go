package report

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPlainOf(t *testing.T) {
	for in, want := range map[string]string{
		"a `b` *c* | d":                  "a  b   c    d",
		"版本：2.1，好。":                      "版本:  2.1,  好.  ",
		"“nan”":                          "   nan   ",
		"- OS (e.g., Linux): macOS":      "- OS              : macOS",
		"- Python (e.g. 3.9):":           "- Python           :",
		"MindSpore (e.g., 1.7.0.Bxxx) :": "MindSpore                    :",
		"It fails (e.g. with torch 2.0) and I do not know why: " + strings.Repeat("word ", 20): "It fails (e.g. with torch 2.0) and I do not know why: " + strings.Repeat("word ", 20),
		"v2.9.0-rc2-42-g8a20d54a3c1 2.9.0": "                           2.9.0",
		"v2.9.0-rc2-42-g8a20d54a3c1":       "v2.9.0-rc2-42-g8a20d54a3c1",
		"a-gabc 1.0":                       "a-gabc 1.0",
	} {
		if got := plainOf(in); got != want {
			t.Errorf("plainOf(%q) =\n%q, want\n%q", in, got, want)
		}
	}
}

// Every index into the plain text is one into the text.
func TestPlainKeepsPositions(t *testing.T) {
	parts := append([]string{"(e.g., x): ", "- A (e.g. ", "v1.2.3-4-gabcdef0 1.2", "\n", "a", "é"}, wide...)
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts"), "")
		if got := plainOf(s); len(got) != len(s) || strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Fatalf("%q becomes %q", s, got)
		}
	})
}

func FuzzPlain(f *testing.F) {
	f.Add("- OS (e.g., Linux): 1")
	f.Add("版本：“2.1”\n v2.9.0-rc2-42-g8a20d54a3c1 2.9.0")
	f.Fuzz(func(t *testing.T, s string) {
		if got := plainOf(s); len(got) != len(s) {
			t.Fatalf("%d bytes become %d", len(s), len(got))
		}
	})
}

// TestTitles finds the line that says what is wrong, not a template's words.
func TestTitles(t *testing.T) {
	for text, want := range map[string]string{
		"### Describe the bug\n\nIt hangs.\n":                                                              "It hangs.",
		"### Describe your issue.\n\nIt hangs.\n":                                                          "It hangs.",
		"Note: Providing complete information helps.\n\n## Description\nIt hangs.\n":                       "It hangs.",
		"<em>Please make sure that this is a bug.</em>\n\n**Describe the problem**\nIt hangs.\n":           "It hangs.",
		"### System Info\n\n- numpy 1.2.3\n\n### Information\n\n- [ ] x\n\n### Expected behavior\n\nThat.": "That.",
		"**It hangs on every second call**\n\nSee above.\n":                                                "It hangs on every second call",
		"**Bug**\n\nIt hangs.\n":                                  "It hangs.",
		"<h3>It hangs</h3>\n\nMore.\n":                            "It hangs",
		"## 问题描述\n\n卡住了。\n":                                       "卡住了。",
		"### 🚀 The feature, motivation and pitch\n\nA new one.\n": "A new one.",
		"- [ ] I have searched\n- [x] I use main\n\nIt hangs.\n":  "It hangs.",
		"- [ ] only boxes\n":                                      "- [ ] only boxes",
	} {
		r := Parse([]byte(text), Source{})
		if r.Title != want {
			t.Errorf("%q: title %q, want %q", text, r.Title, want)
		}
		check(t, r)
	}
}

// TestHeadingRoles asks about headings in the words of several trackers.
func TestHeadingRoles(t *testing.T) {
	for heading, want := range map[string]Role{
		"Expected behavior / 预期结果 (Mandatory / 必填)": RoleExpected,
		"期望结果": RoleExpected, "实际结果": RoleActual, "环境": RoleVersions, "复现代码": RoleCode, "报错信息": RoleLog,
		"日志": RoleLog, "备注": RoleOther, "再現": RoleCode, "Ожидаемое поведение": RoleExpected,
		"Screenshots/ 日志 / 截图 (Mandatory / 必填)": RoleLog, "Screenshots": RoleOther,
		"Information": RoleOther, "Tasks": RoleOther, "Mobile device": RoleOther, "Mobile": RoleDescription,
		"Build info (Required if built from source)": RoleVersions, "Desktop (please complete)": RoleVersions,
		"What have you tried to solve it?": RoleOther, "": RoleDescription, "Bug": RoleDescription,
		"SciPy/NumPy/Python version and system information": RoleVersions, "Standalone code to reproduce the issue": RoleCode,
		"Current behavior?": RoleActual, "Relevant log output": RoleLog, "Expected vs actual": RoleDescription,
	} {
		if got := roleOfHeading(heading); got != want {
			t.Errorf("%q: %s, want %s", heading, got, want)
		}
	}
}
