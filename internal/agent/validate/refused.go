package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// advice says what to do instead, by the words a refusal begins with. The first
// that fits is taken.
var advice = []struct{ words, instead string }{
	{"touches the observer", "Use observe(name, value) and control as they are given: import neither, and look for nothing behind them."},
	{"touches no library code", "Import the library and call it."},
	{"patches", "Use the library as it is installed: show the bug by calling it, not by changing it."},
	{"replaces a module", "Use the library as it is installed."},
	{"branches on a version", "Do the same on every release: no condition on a version."},
	{"branches", "Do the same on every release: no condition on what the release has."},
	{"defines its own copy", "Call the library's own function instead of a copy of it."},
	{"raises", "Let the library raise it: call what the report says raises."},
	{"issues a warning by hand", "Let the library warn: call what the report says warns."},
	{"ends or signals a process", "Let the library crash by itself: no kill, no abort."},
	{"changes the interpreter", "Leave the interpreter as it is."},
	{"sleeps", "Let the library be slow or hang by itself: no sleep."},
	{"prints only constants", "Observe what the library returned, not a constant."},
	{"asserts nothing", "Observe what the library returned."},
	{"edits", "Leave the script's and the library's files alone."},
	{"reaches for the bundle", "Write to files of your own only."},
	{"runs hidden code", "Write the code out plainly."},
	{"gives code the name of a file", "Write the code out plainly."},
	{"uses the network", "There is no network in the run: make small data of the same shape and type in the script."},
	{"opens a socket", "There is no network in the run: make what is needed in the script."},
	{"asks a name server", "There is no network in the run."},
	{"sends mail", "There is no network in the run."},
	{"starts a process", "Do it in the script's own process, through the library's Python interface."},
	{"reads a secret", "There are no secrets in the run: the script must need none."},
	{"asks what time it is", "Do the same at any time: no clock, no process number, no random name."},
	{"holds characters", "Write it with escapes, such as \"\\x1b\", in plain left-to-right text."},
	{"reads a version", "Do the same on every release: no look at a version."},
	{"asks what the release has", "Do the same on every release: no hasattr on the library."},
	{"reads", "The script must not look through the environment."},
	{"looks for secrets", "There are no secrets in the run: the script must need none."},
	{"looks", "Use what the library returns, and look at nothing behind it."},
	{"reaches for", "Use files that the script itself made, below the current folder."},
	{"gives", "Leave the names observe and control as they are given."},
	{"observe takes", `Write observe("name", value), with the name as a plain string.`},
	{"uses observe", `Write observe("name", value) as a statement of its own.`},
	{"imports *", "Import each name that you use."},
	{"imports what", "Import it by its name, at the top."},
	{"imports", "Do without that module."},
	{"runs code", "Write the code out plainly."},
	{"swallows", "Catch nothing: an exception must end the script."},
	{"calls a library", "Call the library outside of try and except."},
}

var atLine = lazyre.New(`^line (\d+): `)

// maxRefused of the reasons are told at once.
const maxRefused = 5

// checkRefused tells why a script could not be believed whatever it shows, and
// what to do instead.
func checkRefused(in Input) []task.Feedback {
	c := candidate.FromAgent(in.Script, in.Trigger)
	e := in.Expectation
	if e == nil {
		e = &oracle.Expectation{Oracle: oracle.OracleNone}
	}
	var out []task.Feedback
	refused := proof.Refusals(c, e)
	for _, reason := range refused {
		out = append(out, refusal(reason, task.SeverityError))
	}
	for _, reach := range c.Reaches {
		// What is no refusal may be the subject's own work (a server on the
		// loopback); where it is not, the run fails and this says why.
		if !slices.ContainsFunc(refused, func(r string) bool { return strings.HasSuffix(r, reach) }) {
			out = append(out, refusal(reach, task.SeverityWarning))
		}
	}
	return out[:min(len(out), maxRefused)]
}

// refusal words one reason, with what to do instead: a model that is only told no
// tries the same in other words.
func refusal(reason string, severity task.Severity) task.Feedback {
	line, what := splitLine(reason)
	text := "the script " + what + "."
	if severity == task.SeverityError {
		text = "the script could not be believed: " + what + "."
	}
	if line > 0 {
		text = fmt.Sprintf("line %d: %s", line, text)
	}
	for _, a := range advice {
		if strings.HasPrefix(what, a.words) {
			text += " " + a.instead
			break
		}
	}
	return told(task.StageRefused, severity, line, what, text)
}

// splitLine takes "line N: " off and counts N as the model wrote the script, 0
// for a line that is not the model's.
func splitLine(reason string) (line int, what string) {
	reason = strings.TrimPrefix(reason, "reaches outside: ")
	m := atLine.FindStringSubmatch(reason)
	if m == nil {
		return 0, reason
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n <= candidate.ShimLines {
		return 0, reason[len(m[0]):]
	}
	return n - candidate.ShimLines, reason[len(m[0]):]
}
