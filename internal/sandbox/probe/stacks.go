package probe

import (
	"bytes"
	"regexp"
	"strconv"
)

// The two forms of line that faulthandler's timed dumps consist of. The
// microseconds of the interval say whose they are (extras.py).
var (
	dumpHead   = regexp.MustCompile(`^Timeout \(\d+:\d\d:\d\d\.(\d{6})\)!$`)
	dumpThread = regexp.MustCompile(`^(?:Current thread|Thread) (0x[0-9a-f]+)(?: \[([^\]]*)\])?.* \(most recent call first\):$`)
	dumpFrame  = regexp.MustCompile(`^  File (?:"(.*)"|\?\?\?), line (\d+|\?\?\?) in (.+)$`)
)

// quarters: the observer dumps every quarter of Options.StackAfter, and the
// dumps before StackAfter are left out.
const quarters = 4

// stackReader reads the dumps of the script's own process and its children.
type stackReader struct {
	all    []Stack
	open   bool // inside a dump
	child  bool
	skip   bool   // inside the sampling thread itself
	counts [2]int // dumps so far: own, children's
	start  int    // where the dump under way begins in all
}

// take reads one plain line; false when it belongs to no dump.
func (s *stackReader) take(text []byte) bool {
	if m := dumpHead.FindSubmatch(text); m != nil {
		s.head(m[1])
		return true
	}
	if !s.open {
		return false
	}
	if m := dumpThread.FindSubmatch(text); m != nil {
		// A child is sampled by a thread of its own, which is the current one.
		s.skip = bytes.HasPrefix(text, []byte("Current"))
		if len(s.all) < maxStacks && !s.skip {
			s.all = append(s.all, Stack{Sample: s.sample(), Child: s.child, Thread: clean(threadName(m))})
		}
		return true
	}
	if m := dumpFrame.FindSubmatch(text); m != nil {
		if n := len(s.all); n > s.start && !s.skip && len(s.all[n-1].Frames) < maxFrames {
			line, _ := strconv.Atoi(string(m[2])) // "???" has none
			s.all[n-1].Frames = append(s.all[n-1].Frames, Frame{File: clean(string(m[1])), Line: line, Function: clean(string(m[3]))})
		}
		return true
	}
	// "  ...", "  <no Python frame>", "  Garbage-collecting", an empty line.
	return len(text) == 0 || bytes.HasPrefix(text, []byte("  "))
}

func threadName(m [][]byte) string {
	if len(m[2]) > 0 {
		return string(m[2])
	}
	return string(m[1])
}

func (s *stackReader) sample() int {
	if s.child {
		return s.counts[1]
	}
	return s.counts[0]
}

// head begins a dump: the main thread of the one before is its last, since the
// interpreter lists the newest thread first.
func (s *stackReader) head(micros []byte) {
	s.finish()
	// The interval is in whole milliseconds, so the last digit is the mark.
	s.child = micros[len(micros)-1] >= '5'
	if s.child {
		s.counts[1]++
	} else {
		s.counts[0]++
	}
	s.open, s.start = true, len(s.all)
}

func (s *stackReader) finish() {
	if s.open && len(s.all) > s.start {
		s.all[len(s.all)-1].Main = true
	}
}

// done gives the samples from StackAfter on, frames outermost first, counted
// from 1.
func (s *stackReader) done() []Stack {
	s.finish()
	var out []Stack
	for _, st := range s.all {
		if st.Sample < quarters {
			continue
		}
		st.Sample -= quarters - 1
		for i, j := 0, len(st.Frames)-1; i < j; i, j = i+1, j-1 {
			st.Frames[i], st.Frames[j] = st.Frames[j], st.Frames[i]
		}
		out = append(out, st)
	}
	return out
}
