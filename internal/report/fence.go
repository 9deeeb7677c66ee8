package report

import "strings"

// opensFence gives the marks and the tag of a line that opens a fence. Tildes
// also underline: the place of an error (TorchScript's "~~~~ <--- HERE", Python's
// "~~~^^~~" below a frame) and headings. Those have no word behind them, or stand
// far to the right.
func opensFence(text string) (fence, tag string, ok bool) {
	m := fenceOpen.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	fence, tag = m[1], strings.TrimSpace(m[2])
	if fence[0] != '~' {
		return fence, tag, true
	}
	if tag == "" {
		return fence, tag, indentOf(text) < 4
	}
	return fence, tag, tag[0] == '{' || tag[0] == '.' || tag[0] >= 'a' && tag[0] <= 'z' || tag[0] >= 'A' && tag[0] <= 'Z'
}

// isFence says whether the line opens or closes one.
func isFence(text string) bool {
	_, _, ok := opensFence(text)
	return ok
}
