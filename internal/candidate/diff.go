package candidate

import (
	"fmt"
	"strings"
)

const (
	// diffContext is the number of unchanged lines around a change.
	diffContext = 3
	// maxCells bounds the table of the longest common subsequence (8 bytes a
	// cell); over it the changed middle is shown as replaced as a whole.
	maxCells = 4_000_000
)

// op is one line of a diff: ' ' kept, '-' removed, '+' added.
type op struct {
	sign byte
	text string
}

// Diff is the unified diff from original to edited, "" when they are equal.
func Diff(original, edited string) string {
	if original == edited {
		return ""
	}
	ops := compareLines(splitLines(original), splitLines(edited))
	var out strings.Builder
	out.WriteString("--- original\n+++ edited\n")
	oldLine, newLine := 1, 1
	for i := 0; i < len(ops); {
		if ops[i].sign == ' ' {
			oldLine, newLine, i = oldLine+1, newLine+1, i+1
			continue
		}
		begin := max(0, i-diffContext)
		for j := i - 1; j >= begin; j-- { // step back over kept lines only
			oldLine, newLine = oldLine-1, newLine-1
		}
		end := hunkEnd(ops, i)
		oldLine, newLine = writeHunk(&out, ops[begin:end], oldLine, newLine)
		i = end
	}
	return out.String()
}

// hunkEnd is where the hunk with the change at i ends: hunks nearer than twice
// the context are one.
func hunkEnd(ops []op, i int) int {
	end := i
	for j := i; j < len(ops) && j-end <= 2*diffContext; j++ {
		if ops[j].sign != ' ' {
			end = j + 1
		}
	}
	return min(len(ops), end+diffContext)
}

func writeHunk(out *strings.Builder, ops []op, oldLine, newLine int) (int, int) {
	var olds, news int
	for _, o := range ops {
		if o.sign != '+' {
			olds++
		}
		if o.sign != '-' {
			news++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", hunkRange(oldLine, olds), hunkRange(newLine, news))
	for _, o := range ops {
		out.WriteByte(o.sign)
		out.WriteString(o.text)
		out.WriteByte('\n')
	}
	return oldLine + olds, newLine + news
}

// hunkRange: an empty side is counted from the line before it.
func hunkRange(line, count int) string {
	if count == 0 {
		line--
	}
	if count == 1 {
		return fmt.Sprint(line)
	}
	return fmt.Sprintf("%d,%d", line, count)
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// compareLines cuts what is common at both ends and compares the middle.
func compareLines(a, b []string) []op {
	var head, tail []op
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, op{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, op{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	ops := append(head, middle(a, b)...)
	for i := len(tail) - 1; i >= 0; i-- {
		ops = append(ops, tail[i])
	}
	return ops
}

// middle is the classic longest common subsequence by dynamic programming.
func middle(a, b []string) []op {
	var ops []op
	if len(a)*len(b) > maxCells {
		for _, line := range a {
			ops = append(ops, op{'-', line})
		}
		for _, line := range b {
			ops = append(ops, op{'+', line})
		}
		return ops
	}
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			ops = append(ops, op{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || table[i+1][j] >= table[i][j+1]):
			ops = append(ops, op{'-', a[i]})
			i++
		default:
			ops = append(ops, op{'+', b[j]})
			j++
		}
	}
	return ops
}
