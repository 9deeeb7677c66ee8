package oracle

import (
	"strings"

	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	noModule = lazyre.New(`No module named '?([\w.]+)'?`)
	// hints by which libraries ask for an optional one.
	pipInstall   = lazyre.New("pip3? install (?:-U |--upgrade |-q )*['\"`]?([A-Za-z][\\w.-]*)")
	optionalDep  = lazyre.New(`(?i)(?:missing optional dependency|optional dependency) '?([\w.-]+)'?`)
	requiresLib  = lazyre.New("(?i)requires? (?:the )?[`'\"]?([A-Za-z][\\w.-]*)[`'\"]? (?:library|package|module|to be installed)")
	notInstalled = lazyre.New("(?i)[`'\"]?([A-Za-z][\\w.-]*)[`'\"]? (?:is not installed|not installed|must be installed|needs to be installed|is required|library is not|package is not)")
	metadataOf   = lazyre.New(`(?:No package metadata was found for |The ')([A-Za-z][\w.-]*)`)
	sharedLib    = lazyre.New(`(lib[\w+.-]+\.so[\w.]*): cannot open shared object file`)
	badName      = lazyre.New(`cannot import name '?\w+'? from '?([\w.]+)'?`)
)

// environmentFault says whether a failure comes from what is not installed.
// The failure's chain is read too, since libraries wrap the failing import.
func environmentFault(s symptom.Symptom) (fault, detail string) {
	for _, c := range append([]symptom.Symptom{s}, s.Chain...) {
		if fault, detail = faultOf(c); fault != "" {
			return fault, detail
		}
	}
	return "", ""
}

// faultOf reads one exception of a chain. Only what Python and the usual
// libraries raise for a missing distribution counts; a message that merely speaks
// of a module is left alone unless a library raised it.
func faultOf(s symptom.Symptom) (fault, detail string) {
	switch {
	case s.IsA("DistributionNotFound"), s.IsA("PackageNotFoundError"):
		if m := metadataOf.FindStringSubmatch(s.Message); m != nil {
			return FaultMissingModule, m[1]
		}
		return FaultMissingModule, strings.Trim(firstWord(s.Message), "'")
	case s.IsA("ImportError"), s.IsA("ModuleNotFoundError"):
		return importFault(s.Message)
	}
	// "RuntimeError: Failed to import x because of: No module named 'y'"
	if m := noModule.FindStringSubmatch(s.Message); m != nil && raisedBelow(s) {
		return FaultMissingModule, m[1]
	}
	return "", ""
}

// raisedBelow keeps a script's own raise from passing for a broken environment.
func raisedBelow(s symptom.Symptom) bool {
	inner, ok := symptom.Innermost(s.Frames)
	return ok && inner.InLibrary()
}

// importFault tells by the words of an ImportError what is missing, the most
// certain form first: Python's own sentence, then the linker's, then hints of
// libraries.
func importFault(message string) (fault, detail string) {
	if m := noModule.FindStringSubmatch(message); m != nil {
		return FaultMissingModule, m[1]
	}
	if m := sharedLib.FindStringSubmatch(message); m != nil {
		return FaultMissingLibrary, m[1]
	}
	if m := badName.FindStringSubmatch(message); m != nil {
		return FaultBrokenImport, m[1]
	}
	for _, re := range []*lazyre.Regexp{pipInstall, optionalDep, requiresLib, notInstalled} {
		if m := re.FindStringSubmatch(message); m != nil {
			return FaultMissingModule, strings.TrimRight(m[1], ".")
		}
	}
	return FaultBrokenImport, ""
}

// firstWord: DistributionNotFound names what is missing first.
func firstWord(s string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return w
}
