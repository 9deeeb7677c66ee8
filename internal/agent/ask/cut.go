package ask

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/repgen/repgen/internal/llm"
)

// Cut shortens a text to at most n estimated tokens and says how many lines went
// (0: it fits). Whole lines stay where there are any; a mark stands where
// something is missing.
func Cut(text string, n int, keep Keep) (string, int) {
	size := llm.EstimateTokens(text)
	if size <= n {
		return text, 0
	}
	if n < 1 {
		return "", lines(text)
	}
	room := int(float64(len(text)) * float64(n) / float64(size))
	for {
		short, gone := cutBytes(text, room, keep)
		if llm.EstimateTokens(short) <= n || room <= 0 {
			return short, gone
		}
		room = room*9/10 - 1 // what stays is denser than the whole
	}
}

func cutBytes(text string, room int, keep Keep) (string, int) {
	head, tail := room, 0
	switch keep {
	case KeepTail:
		head, tail = 0, room
	case KeepEnds:
		head, tail = room*2/5, room-room*2/5
	}
	first, last := headOf(text, head), tailOf(text, tail)
	gone := max(1, lines(text[len(first):len(text)-len(last)]))
	mark := fmt.Sprintf("[... %d lines left out ...]", gone)
	var parts []string
	for _, part := range []string{strings.TrimRight(first, "\n"), mark, last} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n"), gone
}

// headOf is the beginning of at most n bytes, to the end of a line where that
// loses less than a quarter of it.
func headOf(text string, n int) string {
	if n <= 0 {
		return ""
	}
	n = min(n, len(text))
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	if end := strings.LastIndexByte(text[:n], '\n'); end >= n*3/4 && n < len(text) {
		return text[:end+1]
	}
	return text[:n]
}

// tailOf is the end, likewise.
func tailOf(text string, n int) string {
	if n <= 0 {
		return ""
	}
	at := max(0, len(text)-n)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	if end := strings.IndexByte(text[at:], '\n'); at > 0 && end >= 0 && end < n/4 {
		return text[at+end+1:]
	}
	return text[at:]
}

func lines(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
}
