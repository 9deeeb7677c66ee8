package symptom

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// Some libraries put the true message, class and frames of a failure inside
// the message of another one. Both sides of a comparison are looked through in
// the same way, so a report that shows the whole and an execution agree.

var (
	// wrapsTraceback are first lines behind which frames and a last line
	// follow: TensorFlow's autograph, equinox, TorchScript, torch's data
	// loader and spawn.
	wrapsTraceback = lazyre.New(`^(?:in user code:|Above is the stack outside of JIT|The following operation failed in the TorchScript interpreter|Caught \w+ in (?:DataLoader|pin memory|replica|the)|-- Process \d+ terminated with the following error)`)
	// wrapsTrace is what a whole traceback may follow in a message.
	wrapsTrace = lazyre.New(`^(?:Caught \w+ in |-- Process \d+ terminated with|\d+ fits? failed with the following error)`)
	// wrapsNode: the graph mode of TensorFlow 2.6 and later.
	wrapsNode = lazyre.New(`^(?:Graph execution error|\d+ root error\(s\) found)`)
	nodeLine  = lazyre.New(`^\s*(?:Detected at node .* defined at|Node: |\(\d+\) |Stack trace for op definition)`)
	// wrapsLayer: Keras names the layer first, then the failure.
	wrapsLayer = lazyre.New(`^Exception encountered when calling `)
	layerArgs  = lazyre.New(`^(?:Call a|A)rguments received by `)
	// wrapsCompiler: Numba's first line is the same for every typing error.
	wrapsCompiler = lazyre.New(`^Failed in \w+ mode pipeline`)
	// graphStack opens the stack of where a node was defined, which says
	// nothing of where it failed.
	graphStack = lazyre.New(`^(?:Original stack trace for |Caused by op |Errors may have originated from an input operation|The op is created at:)`)
)

// maxUnwrap bounds how often one wrapper is looked for inside another (guess:
// two were seen).
const maxUnwrap = 3

// unwrap gives a symptom the class, message and frames that its message holds.
func unwrap(sym Symptom) Symptom {
	sym.Message = plainText(sym.Message)
	for range maxUnwrap {
		first := firstLine(sym.Message)
		before := sym.Message
		switch {
		case wrapsTraceback.MatchString(first):
			sym = innerTraceback(sym)
		case wrapsNode.MatchString(first):
			sym = graphNode(sym)
		case wrapsLayer.MatchString(first):
			sym.Message = secondParagraph(sym.Message)
		case wrapsCompiler.MatchString(first):
			_, sym.Message, _ = strings.Cut(strings.TrimLeft(sym.Message, " \n"), "\n")
		default:
			return sym
		}
		if strings.TrimSpace(sym.Message) == "" {
			sym.Message = before // nothing stood behind the wrapper
			return sym
		}
		if sym.Message == before {
			return sym
		}
	}
	return sym
}

// plainText drops the colour codes that some libraries write into messages.
func plainText(s string) string {
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = ansi.ReplaceAllString(s, "")
	}
	if mayHoldCode(s) {
		s = lostCode.ReplaceAllString(s, "")
	}
	return s
}

// mayHoldCode is a cheap test for "[31m" and the like.
func mayHoldCode(s string) bool {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], 'm')
		if i < 0 {
			return false
		}
		if i += from; i >= 2 && '0' <= s[i-1] && s[i-1] <= '9' {
			return true
		}
		from = i + 1
	}
}

// autograph frames: "/x/training.py:571 train_function  *".
var autographFrame = lazyre.New(`^\s+(\S+\.py):(\d+) (\S+)\s+\*{1,2}\s*$`)

// innerTraceback reads the frames and the last line inside a message. The
// outer class stays known as one that the failure may be called by.
func innerTraceback(sym Symptom) Symptom {
	rows := strings.Split(sym.Message, "\n")
	seen := false
	for i, row := range rows {
		if f, ok := rowFrame(rows, i); ok {
			if len(sym.Frames) < maxFrames {
				sym.Frames = append(sym.Frames, f)
			}
			seen = true
			continue
		}
		m := excLine.FindStringSubmatch(strings.TrimSpace(row))
		if !seen || m == nil || !likeExc.MatchString(m[1]) || tbHeader.MatchString(row) {
			continue
		}
		if unqualified(m[1]) != unqualified(sym.Exception) && sym.Exception != "" {
			sym.Bases = append(append([]string{m[1]}, sym.Bases...), sym.Exception)
		}
		sym.Exception = m[1]
		sym.Message = strings.TrimSpace(strings.Join(append([]string{m[2]}, rows[i+1:]...), "\n"))
		return sym
	}
	return sym
}

// rowFrame reads a frame of CPython's or autograph's form from row i.
func rowFrame(rows []string, i int) (Frame, bool) {
	row := strings.TrimRight(strings.TrimRight(rows[i], " "), "*")
	m := fileLine.FindStringSubmatch(row)
	if m == nil {
		m = autographFrame.FindStringSubmatch(rows[i])
	}
	if m == nil {
		return Frame{}, false
	}
	n, _ := strconv.Atoi(m[2]) // absent: 0
	return newFrame(m[1], m[3], n, next(rows, i)), true
}

// graphNode reads "Graph execution error:": where the node was defined, then
// what happened there. The frames of the definition are kept behind those of
// the call, since they name the layer or the op.
func graphNode(sym Symptom) Symptom {
	rows := strings.Split(strings.TrimLeft(sym.Message, " \n"), "\n")
	for i := 1; i < len(rows); i++ {
		if f, ok := rowFrame(rows, i); ok {
			if f.Source != "" && indent(next(rows, i)) <= indent(rows[i]) {
				f.Source = ""
			}
			if len(sym.Frames) < maxFrames {
				sym.Frames = append(sym.Frames, f)
			}
			continue
		}
		if blank(rows[i]) || indent(rows[i]) > 0 || nodeLine.MatchString(rows[i]) {
			continue
		}
		sym.Message = strings.TrimSpace(strings.Join(rows[i:], "\n"))
		return sym
	}
	return sym
}

// secondParagraph is what follows the first empty line, up to the next one or
// to the list of arguments.
func secondParagraph(s string) string {
	_, rest, _ := strings.Cut(s, "\n\n")
	rest, _, _ = strings.Cut(strings.TrimLeft(rest, "\n"), "\n\n")
	if layerArgs.MatchString(rest) {
		return ""
	}
	return rest
}

func next(rows []string, i int) string {
	if i+1 < len(rows) {
		return rows[i+1]
	}
	return ""
}

// goesOn says how a message whose first line is given continues beyond an
// empty line; nil for the others, which end there. It must take no more than
// the library wrote: a sentence of the reporter that became part of a message
// would be searched for in an execution.
func goesOn(first string) func(s *scanner, i int) bool {
	switch {
	case wrapsNode.MatchString(first):
		return func(s *scanner, i int) bool {
			for j := i - 1; j > i-3; j-- {
				if t := s.text(j); !blank(t) {
					// Behind a frame, its source or the node's name.
					return fileLine.MatchString(t) || nodeLine.MatchString(t) || wrapsNode.MatchString(lastPart(t)) || indent(t) >= 2
				}
			}
			return false
		}
	case wrapsLayer.MatchString(first):
		return func(s *scanner, i int) bool {
			return layerArgs.MatchString(s.text(i+1)) || strings.Contains(s.text(i-1), "Exception encountered when calling ")
		}
	case strings.HasPrefix(first, "in user code:"):
		return func(s *scanner, i int) bool { return indent(s.text(i+1)) > 0 }
	case fitsFailed.MatchString(first):
		return func(s *scanner, i int) bool {
			return strings.HasPrefix(s.text(i+1), "Below are more details about the failures") || strings.HasPrefix(s.text(i+1), "-----")
		}
	case first == "":
		return func(s *scanner, i int) bool { return strings.HasPrefix(s.text(i+1), "-- Process ") }
	}
	return nil
}

var fitsFailed = lazyre.New(`^All the \d+ fits failed`)

// lastPart is what stands behind "Class: " of a last line.
func lastPart(t string) string {
	if _, rest, ok := strings.Cut(t, ": "); ok {
		return rest
	}
	return t
}
