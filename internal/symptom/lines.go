package symptom

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// Limits of the recogniser. A log of a real failure is far below them; they
// only keep a hostile report from costing time (guesses with room).
const (
	maxSymptoms     = 200
	maxFrames       = 400
	maxMessageLines = 60
	maxLine         = 8 << 10 // bytes of a line that are looked at
)

// line is one line of a log with its byte span in the text. Text is what the
// recogniser reads: without colour codes, process prefixes and group bars.
type line struct {
	text       string
	start, end int
}

var (
	ansi = lazyre.New(`\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07`)
	// rank matches what torchrun, horovodrun, mpirun and docker compose put
	// before each line of a process.
	rank = lazyre.New(`^(\[(?:rank|default|worker)?\d+(?:,\d+)?\](?:<\w+>)?:|\d+: \[rank\d+\]:) ?`)
	// groupBar is the margin of PEP 654 exception groups. A Markdown table
	// starts its bar in the first column, a group never does.
	groupBar = lazyre.New(`^\s+[|+] ?`)
	quoteBar = lazyre.New(`^(?:> ?)+`)
)

// streams cuts text into lines and puts lines of different processes into
// streams of their own, so that interleaved ranks are read one by one.
func streams(text string) [][]line {
	var out [][]line
	index := map[string]int{}
	for pos := 0; pos <= len(text); {
		end := strings.IndexByte(text[pos:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += pos
		}
		raw := strings.TrimRight(text[pos:min(end, pos+maxLine)], "\r \t")
		if strings.IndexByte(raw, 0x1b) >= 0 {
			raw = ansi.ReplaceAllString(raw, "")
		}
		key := ""
		if m := rank.FindString(raw); m != "" {
			key, raw = m, raw[len(m):]
		}
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], line{text: margins(raw), start: pos, end: end})
		pos = end + 1
	}
	return out
}

// margins drops the bars that mail quotes and exception groups add.
func margins(s string) string {
	if strings.HasPrefix(s, "> ") && strings.Contains(s, "File \"") ||
		strings.HasPrefix(s, "> Traceback") {
		s = quoteBar.ReplaceAllString(s, "")
	}
	if m := groupBar.FindString(s); m != "" && !strings.HasPrefix(strings.TrimSpace(s), "+-") {
		rest := s[len(m):]
		if strings.Contains(m, "+") && !strings.HasPrefix(rest, "Exception Group") {
			return s
		}
		return rest
	}
	return s
}

func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }
