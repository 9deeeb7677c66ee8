package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// block is a fenced block of an answer.
type block struct {
	lang string // as written, in lower case
	body string
	open bool // the answer ended within
}

// fence is the line that opens or closes a block; it may stand in a list.
var fence = regexp.MustCompile("^[ \\t]*(?:[-*] |\\d+[.)] )?[ \\t]*(```+|~~~+)[ \\t]*([^`\\n]*)$")

// fences reads the blocks of an answer. A fence inside a Python string that is
// not closed yet does not close the block, unless no other one does.
func fences(text string) []block {
	out, skipped := readFences(text, maxSkipped)
	if skipped && out[len(out)-1].open {
		out, _ = readFences(text, 0)
	}
	return out
}

// maxSkipped bounds how many fences in a string are looked at: each look reads
// the block so far.
const maxSkipped = 20

// readFences is one reading; skip fences at most may stand in strings.
func readFences(text string, skip int) (out []block, skipped bool) {
	var now *block
	var marks string
	var body []string
	end := func(open bool) {
		now.body, now.open = strings.Join(body, "\n"), open
		out = append(out, *now)
		now, body = nil, nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		var m []string
		if strings.Contains(line, "```") || strings.Contains(line, "~~~") { // few lines need the pattern
			m = fence.FindStringSubmatch(line)
		}
		switch {
		case now == nil && m != nil:
			lang, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(m[2])), " ")
			now, marks = &block{lang: strings.Trim(lang, "{}.")}, m[1]
		case now == nil:
		case m == nil || m[1][0] != marks[0] || len(m[1]) < len(marks) || strings.TrimSpace(m[2]) != "":
			body = append(body, line)
		case skip > 0 && isPythonName(now.lang) && inString(body):
			skip, skipped = skip-1, true
			body = append(body, line)
		default:
			end(false)
		}
	}
	if now != nil {
		end(true)
	}
	return out, skipped
}

// inString: a triple-quoted string is open after these lines.
func inString(lines []string) bool { return scanPython(strings.Join(lines, "\n")).text }

func isPythonName(lang string) bool {
	return slices.Contains([]string{"python", "py", "python3", "py3", "python2", "ipython", "pycon"}, lang)
}

// unsaid are the names of blocks that say nothing of their language.
var unsaid = []string{"", "text", "txt", "plaintext", "plain", "code", "script", "output", "none"}

// pythonOf are the blocks that hold Python.
func pythonOf(blocks []block) []block {
	var out []block
	for _, b := range blocks {
		if strings.TrimSpace(b.body) == "" {
			continue
		}
		named := isPythonName(b.lang) || strings.HasSuffix(b.lang, ".py")
		if named && foreignLanguage(b.body) == "" || slices.Contains(unsaid, b.lang) && pysyntax.IsPython(b.body) {
			out = append(out, b)
		}
	}
	return out
}

// noScript are blocks that are no program.
var noScript = append([]string{
	"bash", "sh", "shell", "console", "zsh", "json", "yaml", "yml", "toml", "xml", "html", "diff", "ini", "markdown", "md", "log",
}, unsaid...)

// noPython says why none of the blocks is the script.
func noPython(blocks []block) error {
	open := false
	for _, b := range blocks {
		foreign := foreignLanguage(b.body)
		if foreign == "" && !slices.Contains(noScript, b.lang) && !isPythonName(b.lang) {
			foreign = clip(b.lang)
		}
		if foreign != "" {
			return fmt.Errorf("%w but %s", ErrLanguage, foreign)
		}
		open = open || b.open
	}
	if open {
		return fmt.Errorf("%w: a block begins and holds no statement", ErrTruncated)
	}
	return ErrNoCode
}

// foreign are what no Python program has at the start of a line.
var foreign = []struct {
	name string
	line *regexp.Regexp
}{
	{"JavaScript", regexp.MustCompile(`(?m)^\s*(const|let|var)\s+[\w{}, ]+\s*=|^\s*console\.log\(|^\s*function\s+\w+\s*\(|=>\s*\{\s*$`)},
	{"C or C++", regexp.MustCompile(`(?m)^\s*#include\s*[<"]|^\s*(int|void)\s+main\s*\(`)},
	{"Java", regexp.MustCompile(`(?m)^\s*(public|private)\s+(static\s+)?(final\s+)?(class|void|int)\b|^\s*System\.out\.`)},
	{"Go", regexp.MustCompile(`(?m)^package\s+\w+\s*$|^func\s+\w+\(`)},
	{"Rust", regexp.MustCompile(`(?m)^\s*(pub\s+)?fn\s+\w+\s*\(|^\s*println!\(|^\s*let\s+mut\s`)},
	{"R", regexp.MustCompile(`(?m)^\s*library\(\w+\)\s*$|^\s*\w+\s*<-\s*(function|c)\(`)},
	{"a shell script", regexp.MustCompile(`(?m)\A\s*#!\s*/(usr/)?bin/(env )?(ba|z|da)?sh\b|^\s*(sudo )?apt(-get)? install `)},
	{"Julia", regexp.MustCompile(`(?m)^\s*using\s+[A-Z]\w+\s*$|^\s*println\(".*"\)\s*$`)},
}

// foreignLanguage names the language of a program that is not Python, "" for
// Python and for what is no program at all. A script may hold another language in
// a string, so whatever parses as Python is Python.
func foreignLanguage(text string) string {
	const looked = 64 << 10
	text = text[:min(len(text), looked)]
	for _, f := range foreign {
		if f.line.MatchString(text) && len(pysyntax.Parse(text).SyntaxErrors) > 0 {
			return f.name
		}
	}
	return ""
}
