package symptom

import (
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

// settle finishes a symptom that was read from a traceback: it looks through
// the wrappers that jax and TensorFlow put around a message and decides
// whether the failure happened while a package was being imported.
func settle(sym Symptom) Symptom {
	if unqualified(sym.Exception) == "UnfilteredStackTrace" {
		if m := excLine.FindStringSubmatch(firstLine(sym.Message)); m != nil && likeExc.MatchString(m[1]) {
			_, rest, _ := strings.Cut(sym.Message, ":")
			sym.Exception, sym.Message = m[1], strings.TrimSpace(rest)
		}
	}
	if strings.HasPrefix(sym.Message, "in user code:") {
		sym = userCode(sym)
	}
	if sym.Kind == Exception && duringImport(sym) {
		sym.Kind = ImportError
	}
	return sym
}

// duringImport: the body of a library's module is on the stack, or the class
// says so itself.
func duringImport(sym Symptom) bool {
	switch unqualified(sym.Exception) {
	case "ImportError", "ModuleNotFoundError":
		return true
	}
	for _, f := range sym.Frames {
		if f.Function == "<module>" && f.InLibrary() {
			return true
		}
	}
	return false
}

// autograph frames: "/x/training.py:571 train_function  *".
var autographFrame = lazyre.New(`^\s+(\S+\.py):(\d+) (\S+)\s+\*{1,2}\s*$`)

// userCode unwraps what TensorFlow's autograph makes of a failure in a traced
// function: the true frames and the true message stand inside the message.
func userCode(sym Symptom) Symptom {
	rows := strings.Split(sym.Message, "\n")
	for i, row := range rows {
		row = strings.TrimRight(strings.TrimRight(row, " "), "*")
		if m := fileLine.FindStringSubmatch(row); m != nil {
			n, _ := strconv.Atoi(m[2]) // absent: 0
			sym.Frames = append(sym.Frames, newFrame(m[1], m[3], n, next(rows, i)))
			continue
		}
		if m := autographFrame.FindStringSubmatch(rows[i]); m != nil {
			n, _ := strconv.Atoi(m[2]) // the pattern holds digits only
			sym.Frames = append(sym.Frames, newFrame(m[1], m[3], n, next(rows, i)))
			continue
		}
		m := excLine.FindStringSubmatch(strings.TrimSpace(rows[i]))
		if m != nil && likeExc.MatchString(m[1]) {
			sym.Exception = m[1]
			sym.Message = strings.TrimSpace(strings.Join(append([]string{m[2]}, rows[i+1:]...), "\n"))
			return sym
		}
	}
	return sym
}

func next(rows []string, i int) string {
	if i+1 < len(rows) {
		return rows[i+1]
	}
	return ""
}

func firstLine(s string) string {
	for l := range strings.SplitSeq(s, "\n") {
		if t := strings.TrimSpace(l); t != "" {
			return t
		}
	}
	return ""
}
