package symptom

import (
	"strings"
)

// settle finishes a symptom that was read from a traceback: it looks through
// the wrappers that libraries put around a message (unwrap.go) and decides
// whether the failure happened while a package was being imported.
func settle(sym Symptom) Symptom {
	if unqualified(sym.Exception) == "UnfilteredStackTrace" {
		if m := excLine.FindStringSubmatch(firstLine(sym.Message)); m != nil && likeExc.MatchString(m[1]) {
			_, rest, _ := strings.Cut(sym.Message, ":")
			sym.Exception, sym.Message = m[1], strings.TrimSpace(rest)
		}
	}
	return settleKind(unwrap(sym))
}

func settleKind(sym Symptom) Symptom {
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

func firstLine(s string) string {
	for l := range strings.SplitSeq(s, "\n") {
		if t := strings.TrimSpace(l); t != "" {
			return t
		}
	}
	return ""
}
