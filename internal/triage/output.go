package triage

import (
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// maxLines bounds the stated lines of one block: a claim rests on the lines
// that the script prints, and a longer output is a log. A guess.
const maxLines = 60

var (
	// failureLine is a line of a failure or warning that the recogniser left
	// over because the log was cut.
	failureLine = lazyre.New(`^(Traceback \(|\s*File ".*", line|\s*File \S+:\d+|-+> ?\d|[\w.]*(Error|Exception|Warning|Interrupt)\b(:|\s*$)|\s*warnings\.warn\(|\S+:\d+: \w*Warning:|During handling of|The above exception|Aborted\b|Segmentation fault|Killed\b|Fatal Python error|[FEWI] ?(\d{4,}|tensorflow/|external/)|E\d{4} )`)
	// noiseLine is what logging, progress bars and prompts put between the
	// lines of a script.
	noiseLine = lazyre.New(`^(\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|(INFO|DEBUG|WARNING|ERROR|CRITICAL)\b|\[[IWED] \d{4}|.*\b(it/s|s/it)\b|.*\d%\|| *[█▏▎▍▌▋▊▉]|\$ |> |\(\w+\) \$ |\.\.\.$|…$)`)
	// machineLine is a line of an environment print-out.
	machineLine = lazyre.New(`^(Linux|Darwin|Windows|macOS)[-. ]\S+`)
	labelLine   = lazyre.New(`^([A-Za-z][\w. -]*?)\s*(?:version)?\s*[:=]{0,2}\s*v?(\d+(?:\.\w+)+\S*|None)$`)
)

// printedLines are the lines of a pasted output that a script printed: what
// belongs to a traceback or a warning, log noise and version labels are out.
func printedLines(text string) []string {
	raw := []byte(text)
	for _, s := range symptom.FromText(text) {
		blank(raw, s.Start, s.End)
	}
	var lines []string
	for _, l := range strings.Split(string(raw), "\n") {
		l = strings.TrimRight(l, " \t\r")
		t := strings.TrimSpace(l)
		switch {
		case t == "", failureLine.MatchString(l), noiseLine.MatchString(t), versionLabel(t):
			continue
		case len(lines) == maxLines:
			return lines
		}
		lines = append(lines, l)
	}
	return lines
}

// versionLabel: the line says only which version of something it is. The name
// must be a known distribution or speak of versions, since "score 87.0" has
// the same form.
func versionLabel(line string) bool {
	if machineLine.MatchString(line) {
		return true
	}
	m := labelLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	name := strings.TrimSuffix(strings.TrimSpace(m[1]), ".__version__")
	if strings.EqualFold(name, "python") || strings.Contains(strings.ToLower(line), "version") {
		return true
	}
	_, known := pydist.FromWord(name)
	return known
}

// valueClass is what kind of value a token is, so that a stated value replaces
// one of its own kind.
type valueClass int

const (
	classOther valueClass = iota
	classNumber
	classBool
	classDType
	classShape
)

var (
	numberRe = lazyre.New(`(?i)^[-+]?(\d[\d_]*\.?\d*(e[-+]?\d+)?|\.\d+(e[-+]?\d+)?|nan|inf|infinity)$`)
	boolRe   = lazyre.New(`^(True|False|true|false)$`)
	dtypeRe  = lazyre.New(`^(torch\.|np\.|numpy\.|jnp\.|tf\.)?(b?float(8\w*|16|32|64)?|half|double|u?int(8|16|32|64)?|long|bool|complex(64|128)?|object|str)$`)
	shapeRe  = lazyre.New(`^(torch\.Size\()?[(\[]\s*(None|\d+)?(\s*,\s*(None|\d+)?)*\s*[)\]]\)?$`)
	// tokenRes find the tokens of each class inside a line.
	tokenRes = map[valueClass]*lazyre.Regexp{
		classNumber: lazyre.New(`(?i)(?:^|[^\w.])([-+]?(?:\d[\d_]*\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|nan|inf|infinity))(?:$|[^\w.]|\.(?:$|\s|\.))`),
		classBool:   lazyre.New(`(?:^|\W)(True|False|true|false)(?:$|\W)`),
		classDType:  lazyre.New(`(?:^|[^\w.])((?:torch\.|np\.|numpy\.|jnp\.|tf\.)?(?:b?float(?:8\w*|16|32|64)|half|double|u?int(?:8|16|32|64)|complex(?:64|128)|bool|object))(?:$|\W)`),
		classShape:  lazyre.New(`((?:torch\.Size\()?[(\[]\s*(?:None|\d+)?(?:\s*,\s*(?:None|\d+)?)*\s*[)\]]\)?)`),
	}
)

func classOf(value string) valueClass {
	switch v := strings.TrimSpace(value); {
	case numberRe.MatchString(v):
		return classNumber
	case boolRe.MatchString(v):
		return classBool
	case dtypeRe.MatchString(v):
		return classDType
	case shapeRe.MatchString(v):
		return classShape
	}
	return classOther
}

// corrected is line with its last value of value's class replaced by value;
// ok is false when the line holds none.
func corrected(line, value string) (string, bool) {
	re := tokenRes[classOf(value)]
	if re == nil {
		return "", false
	}
	start, end := -1, -1
	for at := 0; at < len(line); {
		m := re.FindStringSubmatchIndex(line[at:])
		if m == nil {
			break
		}
		start, end = at+m[2], at+m[3]
		at = max(end, at+1) // the delimiter after a token may open the next one
	}
	if start < 0 {
		return "", false
	}
	return line[:start] + strings.TrimSpace(value) + line[end:], true
}
