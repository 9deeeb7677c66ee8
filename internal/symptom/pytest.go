package symptom

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	pytestE    = lazyre.New(`^E(?:\s{3,}|\s*$)(.*)$`)
	pytestLoc  = lazyre.New(`^(\S+\.py[xd]?):(\d+): (?:in ([\w.<>]+)|([A-Za-z_][\w.]*)(?:: .*)?)?\s*$`)
	pytestCode = lazyre.New(`^>\s+(.*)$`)
)

// lookBack bounds how far above its E lines a failure's frames are searched;
// pytest's long form shows whole functions (guess: three screens).
const lookBack = 150

// pytest reads the E lines of a failed test with the places around them.
func (s *scanner) pytest(i int) (int, bool) {
	if !strings.HasPrefix(s.text(i), "E ") || pytestE.FindString(s.text(i)) == "" {
		return i, false
	}
	first, next := i, i
	var rows []string
	for ; next < len(s.lines); next++ {
		m := pytestE.FindStringSubmatch(s.text(next))
		if m == nil {
			break
		}
		rows = append(rows, m[1])
	}
	sym := Symptom{Kind: Exception}
	next = s.pytestPlace(&sym, next)
	named := false // an E line says the class
	for sub, row := range rows {
		m := excLine.FindStringSubmatch(strings.TrimSpace(row))
		if m != nil && (likeExc.MatchString(m[1]) || m[1] == "Failed") {
			sym.Exception, named = m[1], true
			sym.Message = strings.TrimRight(strings.Join(append([]string{m[2]}, rows[sub+1:]...), "\n"), " \n")
			break
		}
	}
	if !named && len(rows) > 0 && unqualified(sym.Exception) == "AssertionError" || sym.Exception == "" {
		sym.Message = strings.TrimSpace(strings.Join(rows, "\n"))
	}
	if sym.Exception == "" {
		if !strings.HasPrefix(sym.Message, "assert") {
			return i, false
		}
		sym.Exception = "AssertionError"
	}
	// Last, since looking back costs: most E lines of a hostile log end above.
	sym.Frames = merge(s.pytestFrames(first), sym.Frames)
	s.span(&sym, first, next)
	s.addLinked(settle(sym), first)
	return next, true
}

// addLinked adds a failure, or makes the one before it its cause when pytest
// says so between them.
func (s *scanner) addLinked(sym Symptom, e int) {
	k := len(s.out) - 1
	for j := e - 1; k >= 0 && j >= 0 && j > e-lookBack && s.lines[j].start >= s.out[k].End; j-- {
		if strings.Contains(s.text(j), "above exception") && linkLine.MatchString(s.text(j)) {
			start := s.out[k].Start
			sym = link(s.out[k], sym)
			sym.Start = start
			s.out[k] = sym
			return
		}
	}
	s.add(sym)
}

// pytestFrames collects "path:line: in f" (or ": " of the long form) above the
// E lines; the failing line is the one behind ">".
func (s *scanner) pytestFrames(e int) []Frame {
	var frames []Frame
	source := ""
	for j := max(0, e-lookBack); j < e; j++ {
		t := s.text(j)
		if strings.HasPrefix(t, "____") || strings.HasPrefix(t, "E  ") {
			frames, source = nil, ""
		}
		if m := pytestCode.FindStringSubmatch(t); m != nil {
			source = m[1]
		}
		if m := pytestLoc.FindStringSubmatch(t); m != nil && len(frames) < maxFrames {
			n, _ := strconv.Atoi(m[2]) // the pattern holds digits only
			src := source
			if src == "" && indent(s.text(j+1)) > 0 {
				src = s.text(j + 1)
			}
			frames = append(frames, newFrame(m[1], m[3], n, src))
			source = ""
		}
	}
	if source != "" {
		frames = append(frames, Frame{Where: whereUnknown, Source: strings.TrimSpace(source)})
	}
	return frames
}

// pytestPlace reads "path:12: TypeError" below the E lines.
func (s *scanner) pytestPlace(sym *Symptom, i int) int {
	j := s.skip(i, blank)
	m := pytestLoc.FindStringSubmatch(s.text(j))
	if m == nil || m[4] == "" || j > i+2 {
		return i
	}
	n, _ := strconv.Atoi(m[2]) // the pattern holds digits only
	sym.Exception = m[4]
	sym.Frames = []Frame{newFrame(m[1], "", n, "")}
	return j + 1
}

// merge gives the place that pytest names below the source line that it shows
// above.
func merge(above, below []Frame) []Frame {
	if k := len(above) - 1; k >= 0 && len(below) > 0 && above[k].File == "" {
		below[0].Source = above[k].Source
		above = above[:k]
	}
	return append(above, below...)
}
