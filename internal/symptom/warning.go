package symptom

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// warningLine is what the warnings module prints.
	warningLine = lazyre.New(`^\s*(?:WARNING:py\.warnings:|[\w\- :,.]* WARNING [\w: -]*?py\.warnings[: -]+)?(\S.*?):(\d+): ((?:\w+\.)*[A-Z]\w*Warning):(?: (.*))?$`)
	bareWarning = lazyre.New("^\\s*[`*]{0,3}((?:\\w+\\.)*[A-Z]\\w*Warning): (.+?)[`*]{0,3}$")
)

// warning reads a printed warning with the source line below it.
func (s *scanner) warning(i int) (int, bool) {
	t := s.text(i)
	sym := Symptom{Kind: Warning}
	if m := warningLine.FindStringSubmatch(t); m != nil {
		n, _ := strconv.Atoi(m[2]) // the pattern holds digits only
		sym.Exception, sym.Message = m[3], strings.TrimSpace(m[4])
		sym.Frames = []Frame{newFrame(m[1], "", n, "")}
	} else if m := bareWarning.FindStringSubmatch(t); m != nil {
		sym.Exception, sym.Message = m[1], strings.TrimSpace(m[2])
	} else {
		return i, false
	}
	next := i + 1
	if sym.Message == "" && len(sym.Frames) == 1 && !blank(s.text(next)) && indent(s.text(next)) == 0 {
		sym.Message = s.text(next) // the message begins on a line of its own
		next++
	}
	if src := s.text(next); len(sym.Frames) == 1 && indent(src) == indent(t)+2 && !warningLine.MatchString(src) {
		sym.Frames[0].Source = strings.TrimSpace(src)
		next++
	}
	s.span(&sym, i, next)
	s.add(sym)
	return next, true
}
