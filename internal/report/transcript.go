package report

import (
	"strings"

	"github.com/repgen/repgen/internal/system/lazyre"
)

var (
	// transcriptLine is a line that begins with a shell's prompt: "$ ls", "(env)
	// me@host:~/x$ ls", "C:\x> dir", "PS C:\x> dir", "[me@host x]$ ls", "❯ ls".
	transcriptLine = lazyre.New(`^\s*(?:\(\S{1,40}\)\s*)?(?:\$|❯|[\w.-]{1,40}@[\w.-]{1,60}[:\s]\S{0,120}[$#]|\[[\w.-]{1,40}@[^\]\n]{1,80}\][$#]|(?:PS )?[A-Za-z]:\\[^>\n]{0,120}>)\s+(\S.*)$`)
	// runsScript is a command that runs a script of the reporter's.
	runsScript = lazyre.New(`^(?:[A-Z_][A-Z0-9_]*=\S*\s+)*(?:\S*/)?python[\d.]*(?:\.exe)?\s`)
	// runsOther is such a command whose output is no result of the script.
	runsOther = lazyre.New(`\s-m\s+(?:pip|pytest|venv|unittest|ensurepip)\b|\s-[VvI]+\b|(?i)version`)
	// typedAlone is a command that was pasted without its prompt.
	typedAlone = lazyre.New(`^(?:python[\d.]*|pip[\d.]*) +(?:-m +)?\S+(?:\.py\b| install\b).{0,200}$`)
	colours    = lazyre.New("\x1b\\[[0-9;]*[A-Za-z]")
	// frameworkNote is what a library prints around a traceback.
	frameworkNote = lazyre.New(`^(?:jax\.\S*JaxStackTraceBeforeTransformation\b|The preceding (?:stack trace )?is the |The stack trace below excludes |For simplicity, JAX has removed |The above exception was the direct cause |During handling of the above exception|Detected at node |Traceback \(most recent call last\))`)
)

// command is what stands behind the prompt, "" on any other line.
func command(t string) string {
	if len(t) > 2000 || !strings.ContainsAny(t, "$#>❯") {
		return ""
	}
	if m := transcriptLine.FindStringSubmatch(t); m != nil {
		return m[1]
	}
	return ""
}

// printsAfter says whether the lines below a command are the script's own output.
func printsAfter(cmd string) bool {
	return runsScript.MatchString(cmd) && !runsOther.MatchString(cmd)
}

// isTranscript says whether the block begins with a prompt.
func isTranscript(text string) bool {
	text = strings.TrimLeft(text, "\n ")
	if k := strings.IndexByte(text, '\n'); k >= 0 {
		text = text[:k]
	}
	return command(text) != ""
}

// typedIn are the commands of a transcript, in order.
func typedIn(text string) []string {
	if !isTranscript(text) {
		return nil
	}
	var out []string
	for _, l := range strings.Split(text, "\n") {
		if cmd := command(l); cmd != "" && len(out) < maxMagics {
			out = append(out, cmd)
		}
	}
	return out
}

// runsAndPrints says whether a transcript shows what a script printed.
func runsAndPrints(text string) bool {
	after := false
	for _, l := range strings.Split(text, "\n") {
		if cmd := command(l); cmd != "" {
			after = printsAfter(cmd)
		} else if after && strings.TrimSpace(l) != "" {
			return true
		}
	}
	return false
}

// noOutput says that a line of an output block states nothing: an ellipsis, a
// ruler, what a framework adds around a traceback.
func noOutput(t string) bool {
	if strings.IndexByte(t, 0x1b) >= 0 {
		t = strings.TrimSpace(colours.ReplaceAllString(t, ""))
	}
	return strings.Trim(t, ".…-=_*~ ") == "" || frameworkNote.MatchString(t)
}
