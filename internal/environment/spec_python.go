package environment

import (
	"regexp"
	"strings"

	"github.com/repgen/repgen/internal/report"
)

// impliedPython is the interpreter of a report that names none in so many
// words: that of the builds it lists, else that of the paths in its logs.
func (w *inference) impliedPython() (minor, why string) {
	if minor, dist := w.pythonOfBuilds(); minor != "" {
		return minor, "the build of " + dist + " was made for it"
	}
	if minor, path := w.pythonOfPaths(); minor != "" {
		return minor, "the report's own paths have it (" + path + ")"
	}
	return "", ""
}

// buildPython reads the interpreter out of a conda build ("py3.8_cuda11.1",
// "py38h20f2e39_0") or a wheel's tag ("-cp39-").
var buildPython = regexp.MustCompile(`(?:[=\s]py|[-_]cp)3\.?([0-9]{1,2})(?:[^0-9]|$)`)

// pythonOfBuilds is the interpreter that the builds of a list were made for,
// when no line names it. They agree in one environment; the first one counts.
func (w *inference) pythonOfBuilds() (minor, dist string) {
	for _, v := range w.in.Report.Versions {
		text := w.textOf(v)
		switch {
		case v.Where == "wheel": // the span ends where the tags fit several interpreters
			text = spanOf(w.in.Report.Text, v.Span)
		case v.Where != "conda" && v.Where != "collect_env" && !v.Local:
			continue
		}
		if m := buildPython.FindStringSubmatch(text); m != nil && minorNumber("3."+m[1]) >= 3 {
			return "3." + m[1], v.Dist
		}
	}
	return "", ""
}

func spanOf(text string, s report.Span) string {
	if !s.Within(text) {
		return ""
	}
	return text[s.Start:s.End]
}

var (
	// unixPython: "/usr/lib/python3.11/site-packages/", "lib64/python3.11/json/".
	unixPython = regexp.MustCompile(`\blib(?:64)?/python3\.([0-9]{1,2})/`)
	// windowsPython: "C:\Users\me\AppData\Local\Programs\Python\Python310\lib\".
	windowsPython = regexp.MustCompile(`(?i)[\\/]python3([0-9]{1,2})[\\/](?:lib|libs|dlls)[\\/]`)
)

// maxPaths bounds how many paths of a report are compared (a guess).
const maxPaths = 256

// pythonOfPaths is the interpreter in whose folders the report's tracebacks and
// logs lie. Where two are named nothing says which one is meant.
func (w *inference) pythonOfPaths() (minor, path string) {
	text := w.in.Report.Text
	found := append(unixPython.FindAllStringSubmatch(text, maxPaths), windowsPython.FindAllStringSubmatch(text, maxPaths)...)
	for _, m := range found {
		switch next := "3." + m[1]; {
		case minorNumber(next) < 3:
		case minor == "":
			minor, path = next, strings.Trim(m[0], `\/`)
		case minor != next:
			return "", ""
		}
	}
	return minor, path
}
