package symptom

import (
	"slices"
	"strconv"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// dumpHead is faulthandler's word when dump_traceback_later runs out.
	dumpHead = lazyre.New(`^Timeout \(\d+:\d\d:\d\d(?:\.\d+)?\)!\s*$`)
	// spyHead and spyFrame are py-spy's form: "Thread 12 (idle): "MainThread"",
	// then "    wait (threading.py:302)" from the innermost frame out.
	spyHead  = lazyre.New(`^Thread (?:0x[0-9A-Fa-f]+|\d+) \((?:idle|active)[^)]*\)(?:: "([^"]+)")?\s*$`)
	spyFrame = lazyre.New(`^\s+(\S.*?) \(([^()]+?):(\d+)\)\s*$`)
	// current marks the thread that was running, in faulthandler's dumps.
	current = lazyre.New(`^Current thread 0x`)
)

// stackDump reads where a process was while it did not end: what faulthandler
// prints on a time-out, or what py-spy prints on demand. Kind is Hang; the
// frames are those of the main thread where it is named, else of the first.
func (s *scanner) stackDump(i int) (int, bool) {
	switch t := s.text(i); {
	case dumpHead.MatchString(t):
		sym := Symptom{Kind: Hang}
		next := s.threads(&sym, i+1, faultStack, s.faultFrameAt)
		return s.addDump(sym, i, next), true
	case spyHead.MatchString(t):
		sym := Symptom{Kind: Hang}
		next := s.threads(&sym, i, spyHead, s.spyFrameAt)
		if len(sym.Frames) == 0 {
			return i, false
		}
		return s.addDump(sym, i, next), true
	}
	return i, false
}

// addDump adds a hang that was read from the lines [from, next).
func (s *scanner) addDump(sym Symptom, from, next int) int {
	s.span(&sym, from, next)
	s.add(sym)
	return next
}

// threads reads one stack after the other, each under a line that head
// matches, and keeps the most telling: the main or current thread's, else the
// last one with frames (faulthandler prints the main thread last).
func (s *scanner) threads(sym *Symptom, i int, head *lazyre.Regexp, frame func(i int) (Frame, bool)) int {
	kept := false // a stack that is certainly the right one
	var frames []Frame
	sure := false
	flush := func() {
		if len(frames) > 0 && (!kept || sure) {
			slices.Reverse(frames)
			sym.Frames, kept = frames, sure
		}
		frames, sure = nil, false
	}
	for ; i < len(s.lines); i++ {
		t := s.text(i)
		if f, ok := frame(i); ok {
			if len(frames) < maxFrames {
				frames = append(frames, f)
			}
			continue
		}
		if m := head.FindStringSubmatch(t); m != nil {
			flush()
			sure = current.MatchString(t) || len(m) > 1 && m[1] == "MainThread"
			continue
		}
		if !blank(t) {
			break
		}
		// Behind a stack and an empty line only another stack goes on.
		if len(frames) > 0 && !head.MatchString(s.text(i+1)) {
			break
		}
	}
	flush()
	return i
}

func (s *scanner) faultFrameAt(i int) (Frame, bool) {
	m := faultFrame.FindStringSubmatch(s.text(i))
	if m == nil {
		return Frame{}, false
	}
	n, _ := strconv.Atoi(m[2]) // "???": 0
	return newFrame(m[1], m[3], n, ""), true
}

func (s *scanner) spyFrameAt(i int) (Frame, bool) {
	m := spyFrame.FindStringSubmatch(s.text(i))
	if m == nil {
		return Frame{}, false
	}
	n, _ := strconv.Atoi(m[3]) // the pattern holds digits only
	return newFrame(m[2], m[1], n, ""), true
}
