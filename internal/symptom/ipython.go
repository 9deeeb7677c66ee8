package symptom

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// "File ~/x/y.py:932, in Class.f(self, X)" of IPython 8.
	ipyFile = lazyre.New(`^\s*File ([^\s"].*?):(\d+),? in (.+?)\s*$`)
	// A module's own lines come without a name; below a header only, since so
	// short a line is in many logs.
	ipyModule = lazyre.New(`^File ([^\s"]\S*\.(?:py|pyx)):(\d+)\s*$`)
	// "Cell In[3], line 5", "Cell In[3], line 5, in f(x)", and
	// "Input In [3], in <cell line: 5>()".
	ipyCell = lazyre.New(`^\s*((?:Cell|Input) In ?\[\d*\]),? (?:line (\d+)(?:,? in (.+?))?|in (.+?))\s*$`)
	// "~/x/y.py in f(self, x)" and "<ipython-input-3-ab> in <module>" of IPython 7.
	ipyOld   = lazyre.New(`^(<ipython-input-[^>]+>|(?:[~/.]|[A-Za-z]:\\)\S*\.(?:py|pyx)) in ([\w.<>]+)(\(.*\))?\s*$`)
	ipyArrow = lazyre.New(`^\s*-+>\s*(\d+)(?:[ \t](.*))?$`)
	// ipyGap is where IPython itself leaves code out.
	ipyGap  = lazyre.New(`^\s+(?:\(\.{3}\)|\.{3})(?:\s|$)`)
	ipyCode = lazyre.New(`^\s*\d+(?:\s.*)?$`)
)

func isIPythonFrame(t string) bool {
	return ipyFile.MatchString(t) || ipyCell.MatchString(t) || ipyOld.MatchString(t)
}

// ipython reads IPython's and Jupyter's form. The class stands in the header
// and, with the message, at the end; when the end was cut it is still known.
func (s *scanner) ipython(i int, class string) (Symptom, int) {
	sym := Symptom{Kind: Exception, Truncated: class == ""}
	if class != "" {
		i++
	}
	last := i
	for ; i < len(s.lines); i++ {
		t := s.text(i)
		if f, ok := ipythonFrame(t); ok {
			if len(sym.Frames) < maxFrames {
				sym.Frames = append(sym.Frames, f)
			}
			last = i + 1
			continue
		}
		if m := ipyArrow.FindStringSubmatch(t); m != nil {
			arrow(&sym, m)
			last = i + 1
			continue
		}
		if m := endOfIPython(t, class); m != nil {
			sym.Exception = m[1]
			return s.message(sym, m[2], i+1)
		}
		switch {
		case ipyGap.MatchString(t):
		case dots.MatchString(t):
			sym.Truncated = true
		case fileLine.MatchString(t): // SyntaxError of a cell, mixed forms
			i = s.frames(&sym, i, 0) - 1
		case blank(t), ipyCode.MatchString(t), indent(t) > 0:
			continue
		default:
			sym.Exception, sym.Truncated = class, true
			return sym, last
		}
		last = i + 1
	}
	sym.Exception, sym.Truncated = class, true
	return sym, last
}

func endOfIPython(t, class string) []string {
	m := excLine.FindStringSubmatch(t)
	if m == nil || indent(t) > 0 {
		return nil
	}
	if class != "" && unqualified(m[1]) == unqualified(class) {
		return m
	}
	if class == "" && likeExc.MatchString(m[1]) {
		return m
	}
	return nil
}

func ipythonFrame(t string) (Frame, bool) {
	if m := ipyFile.FindStringSubmatch(t); m != nil {
		n, _ := strconv.Atoi(m[2]) // the pattern holds digits only
		return newFrame(m[1], m[3], n, ""), true
	}
	if m := ipyModule.FindStringSubmatch(t); m != nil {
		n, _ := strconv.Atoi(m[2]) // the pattern holds digits only
		return newFrame(m[1], "<module>", n, ""), true
	}
	if m := ipyCell.FindStringSubmatch(t); m != nil {
		n, _ := strconv.Atoi(m[2]) // absent: 0
		if m[3] != "" {
			return newFrame(m[1], m[3], n, ""), true
		}
		return newFrame(m[1], "<module>", n, ""), true
	}
	if m := ipyOld.FindStringSubmatch(t); m != nil {
		return newFrame(m[1], m[2], 0, ""), true
	}
	return Frame{}, false
}

// arrow gives the frame above it its line and source; without one the quoted
// line alone identifies a frame.
func arrow(sym *Symptom, m []string) {
	n, _ := strconv.Atoi(m[1]) // the pattern holds digits only
	source := strings.TrimSpace(m[2])
	if len(sym.Frames) == 0 || sym.Frames[len(sym.Frames)-1].Source != "" {
		sym.Frames = append(sym.Frames, Frame{Where: whereUnknown, Line: n, Source: source})
		return
	}
	f := &sym.Frames[len(sym.Frames)-1]
	f.Line, f.Source = n, source
}
