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
	maxWrapped      = 400     // lines of a message that holds a stack of its own
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
	// rank matches what torchrun, horovodrun, mpirun and ray put before each
	// line of a process. torchrun's own mark ("default") has no space behind it.
	rank = lazyre.New(`^(?:\[default\d+\]:|(?:\[(?:rank|worker)?\d+(?:,\d+)?\](?:<\w+>)?:|\d+: \[rank\d+\]:|\(\w+ pid=\d+(?:, ip=[\d.]+)?\)) ?)`)
	// prompt is IPython's, when what a cell prints begins on its line.
	prompt = lazyre.New(`^In ?\[\d+\]:(?:\s+\.\.\. ?:)* ?`)
	// groupBar is the margin of PEP 654 exception groups. A Markdown table
	// starts its bar in the first column, a group never does.
	groupBar = lazyre.New(`^\s+[|+] ?`)
	// lostCode is a colour code whose escape character was lost in a paste.
	lostCode = lazyre.New(`\[(?:\d{1,3};){0,4}\d{1,3}m`)
	// cutFrame is a frame line that a terminal or a mail broke before the name
	// of the function; restOfFrame is what then stands on the next line.
	cutFrame    = lazyre.New(`^\s*File "[^"]+", line \d+,(?: in)?$`)
	restOfFrame = lazyre.New(`^\s*(?:in )?(?:<[\w.]+>|[A-Za-z_][\w.<>]*)$`)
)

// streams cuts text into lines and puts lines of different processes into
// streams of their own, so that interleaved ranks are read one by one.
func streams(text string) [][]line {
	var out [][]line
	index := map[string]int{}
	quoted := false
	for pos := 0; pos <= len(text); {
		end := strings.IndexByte(text[pos:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += pos
		}
		raw := strings.TrimRight(text[pos:min(end, pos+maxLine)], "\r \t")
		raw = plainText(raw)
		if quoted = isQuoted(raw, quoted); quoted {
			raw = strings.TrimPrefix(strings.TrimPrefix(raw, ">"), " ")
		}
		key := ""
		if m := rank.FindString(raw); m != "" {
			key, raw = strings.TrimRight(m, " "), raw[len(m):]
		}
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, nil)
		}
		out[i] = addLine(out[i], line{text: margins(raw), start: pos, end: end})
		pos = end + 1
	}
	return out
}

// addLine appends l, or completes a frame line that was broken in two: the
// frame would otherwise be none, and the class below it would be lost.
func addLine(lines []line, l line) []line {
	if len(lines) == 0 || !strings.Contains(lines[len(lines)-1].text, "File \"") {
		return append(lines, l)
	}
	last := &lines[len(lines)-1]
	rest := strings.TrimSpace(l.text)
	if !cutFrame.MatchString(last.text) || !restOfFrame.MatchString(rest) ||
		strings.HasSuffix(last.text, ",") != strings.HasPrefix(rest, "in ") {
		return append(lines, l)
	}
	last.text, last.end = last.text+" "+rest, l.end
	return lines
}

// isQuoted says whether a line belongs to a log that a mail quotes: from the
// first header or frame behind ">" as long as lines begin so. pytest marks the
// failing line like that too, with more than one space behind.
func isQuoted(s string, before bool) bool {
	if !strings.HasPrefix(s, ">") || strings.HasPrefix(s, ">>>") {
		return false
	}
	return before || strings.HasPrefix(s, "> Traceback") || strings.HasPrefix(s, "> ") && strings.Contains(s, "File \"")
}

// margins drops the bars that exception groups add, and IPython's prompt.
func margins(s string) string {
	if strings.HasPrefix(s, "In [") {
		s = prompt.ReplaceAllString(s, "")
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
