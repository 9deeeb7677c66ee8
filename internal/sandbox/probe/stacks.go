package probe

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
)

// The forms of line that faulthandler's timed dumps consist of. They are the
// script's own process; a child sends records.
var (
	dumpHead   = regexp.MustCompile(`^Timeout \(\d+:\d\d:\d\d(?:\.\d{6})?\)!$`)
	dumpThread = regexp.MustCompile(`^(?:Current thread|Thread) (0x[0-9a-f]+)(?: \[([^\]]*)\])?.* \(most recent call first\):$`)
	dumpFrame  = regexp.MustCompile(`^  File (?:"(.*)"|\?\?\?), line (\d+|\?\?\?) in (.+)$`)
)

// quarters: the observer samples every quarter of Options.StackAfter, and the
// samples before StackAfter are left out.
const quarters = 4

// stackReader reads the samples of the script's own process and its children,
// frames innermost first as both write them.
type stackReader struct {
	all  []Stack
	own  int // dumps of the script's own process so far
	kids int // samples of its children so far
	open bool
	at   int // where the thread that the dump is at lies in all; -1: none yet
}

// take reads one plain line; false when it belongs to no dump.
func (s *stackReader) take(text []byte) bool {
	if dumpHead.Match(text) {
		// The main thread is the last: the interpreter lists the newest first.
		s.finish()
		s.open, s.at = true, -1
		s.own++
		return true
	}
	if !s.open {
		return false
	}
	if m := dumpThread.FindSubmatch(text); m != nil {
		s.at = -1
		if s.own >= quarters && len(s.all) < maxStacks {
			s.at = len(s.all)
			s.all = append(s.all, Stack{Sample: s.own - quarters + 1, Thread: clean(threadName(m))})
		}
		return true
	}
	if m := dumpFrame.FindSubmatch(text); m != nil {
		if s.at >= 0 && len(s.all[s.at].Frames) < maxFrames {
			line, _ := strconv.Atoi(string(m[2])) // "???" has none
			s.all[s.at].Frames = append(s.all[s.at].Frames, Frame{File: clean(string(m[1])), Line: line, Function: clean(string(m[3]))})
		}
		return true
	}
	// "  ...", "  <no Python frame>", "  Garbage-collecting", an empty line.
	return len(text) == 0 || bytes.HasPrefix(text, []byte("  "))
}

// stacksBody is one sample of a child.
type stacksBody struct {
	Threads []Stack `json:"threads"`
}

// child reads a child's sample; false when it is none.
func (s *stackReader) child(body json.RawMessage) bool {
	var b stacksBody
	if json.Unmarshal(body, &b) != nil {
		return false
	}
	if s.kids++; s.kids < quarters {
		return true
	}
	for _, st := range b.Threads[:min(len(b.Threads), maxStacks-len(s.all))] {
		frames := st.Frames[:min(len(st.Frames), maxFrames)]
		for i, f := range frames {
			frames[i] = Frame{File: clean(f.File), Line: f.Line, Function: clean(f.Function)}
		}
		s.all = append(s.all, Stack{Sample: s.kids - quarters + 1, Child: true, Thread: clean(st.Thread), Main: st.Main, Frames: frames})
	}
	return true
}

func threadName(m [][]byte) string {
	if len(m[2]) > 0 {
		return string(m[2])
	}
	return string(m[1])
}

func (s *stackReader) finish() {
	if s.open && s.at >= 0 {
		s.all[s.at].Main = true
	}
}

// done gives the samples from StackAfter on, frames outermost first, counted
// from 1.
func (s *stackReader) done() []Stack {
	s.finish()
	for _, st := range s.all {
		slices.Reverse(st.Frames)
	}
	return s.all
}
