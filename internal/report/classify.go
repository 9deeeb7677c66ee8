package report

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// maxSyntax is how much of a block is looked at to decide whether it is code.
const maxSyntax = 64 << 10

var (
	// pythonTag: what people write behind a fence of Python.
	pythonTag = lazyre.New(`(?i)^(?:\{?\.?python[\w.]*\}?|py3?|ipython3?|pycon|pytb)$`)
	// outputTag: ... of printed text.
	outputTag = lazyre.New(`(?i)^(?:text|txt|plain|plaintext|output|log|none|console-output)$`)
	// shellTag: ... of commands; forms use it for everything, so it counts last.
	shellTag = lazyre.New(`^(?:bash|sh|zsh)$`)
	// mayBeCommand: an option, a path or a pipe; forms and hands tag pasted output
	// as bash too.
	mayBeCommand = lazyre.New(`(?m)^\s*[A-Za-z./~][\w./~-]*(?:\s.*)?(?:\s--?[A-Za-z]|\s\||\s>|&&|[\w-]/[\w-]|\.(?:py|sh)\b)|^\s*[a-z][\w-]*\s*$`)
	// diffStart: a patch.
	diffStart = lazyre.New(`(?m)^(?:diff --git |--- \S.*\n\+\+\+ |@@ -\d)`)
	// frameLine: a frame of a traceback, of Python, IPython or old notebooks.
	frameLine = lazyre.New(`(?m)^\s*File ".*", line \d+|^\s*File ".*", in \w|^-+> +\d+ |^File \S+:\d+, in `)
	// shellLine: a command that people type, with or without a prompt.
	shellLine = lazyre.New(`^\s*(?:[$#%] +)?(?:sudo +)?(?:(?:python[\d.]*|pip[\d.]*|conda|mamba|uv|uvx|cd|git|export|docker|source|virtualenv|poetry|pytest|torchrun|accelerate|wget|curl|apt(?:-get)?|brew|ls|mkdir|cat|set|bash|sh|make|cmake|nvidia-smi)(?: +[^=(]|$)|[A-Z_][A-Z0-9_]*=\S* +\S|\./\S)`)
	// dollarLine: any command behind a dollar.
	dollarLine = lazyre.New(`^\s*\$ +\S`)
	// codeMark: a line that looks like Python on its own.
	codeMark = lazyre.New(`^\s*(?:import \w|from [\w.]+ import |def \w+\(|class \w+[(:]|for .+ in .+:|while .+:|with .+:|if .+:|elif .+:|else:|try:|except\b.*:|return\b|raise \w|assert |@\w+|print\(.*\)|[A-Za-z_][\w.]*(?:\[[^\]]*\])?(?:, *[A-Za-z_][\w.]*)* *[-+*/@]?= *\S|[A-Za-z_][\w.]*\(.*\)\s*(?:#.*)?$|lambda )`)
	// strongMark: a line that only Python has.
	strongMark = lazyre.New(`(?m)^\s*(?:import [a-zA-Z_]\w*(?:\.\w+)*(?: as \w+)?\s*(?:#.*)?$|from [\w.]+ import |def \w+\(.*|class \w+[(:]|print\(.*\))`)
	// logMark: a time, a level, a progress: no claim about a result.
	logMark = lazyre.New(`^\s*(?:\[[DIWEFC] \d{4}-|\[?\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|[IWEF]\d{4} |[IWEF] [\w/.]+:\d+\]|(?:INFO|WARNING|ERROR|DEBUG)\b|Epoch \d|\d+/\d+ )`)
	// magicLine: "!pip install x", "%matplotlib inline".
	magicLine = lazyre.New(`^\s*(?:!|%%?)[A-Za-z]`)
	// warningLine: "x.py:3: UserWarning: no".
	warningLine = lazyre.New(`^\s*(?:\S+:\d+: )?(\w*Warning: .*)$`)
)

// classify decides by content first; the fence's tag only settles what the
// content leaves open (forms tag everything "shell").
func (p *parser) classify(b *blk) BlockKind {
	text := b.text[:min(len(b.text), maxSyntax)]
	switch {
	case b.kind != "":
		return b.kind
	case hasPrompt(text):
		return BlockREPL
	case diffStart.MatchString(text) && !isScript(text, diffStart) && (b.lang == "diff" || b.lang == "patch" || strings.Contains(text, "\n@@ ") || strings.HasPrefix(text, "diff --git")):
		return BlockDiff
	case isTraceback(text):
		return BlockTraceback
	case onlyComments(text):
		return BlockOther
	case isVersionList(text):
		return BlockVersions
	case pythonTag.MatchString(b.lang):
		return pythonOrOther(text)
	}
	return p.classifyUntagged(b, text)
}

// classifyUntagged settles what no mark settles: commands, code or output.
func (p *parser) classifyUntagged(b *blk, text string) BlockKind {
	code, log, shell, lines := countLines(text)
	switch {
	case shell > 0 && shell*2 >= lines:
		return BlockShell
	case log*2 >= lines:
		return BlockOutput
	case strongMark.MatchString(text) && code*2 >= lines:
		return BlockPython
	case lines <= 3 && p.shown(b.span.Start) && !codeStarts.MatchString(text):
		return BlockOutput
	case outputTag.MatchString(b.lang):
		return BlockOutput
	case code*3 >= lines*2 && isPython(text):
		return BlockPython
	case code == lines && lines >= 2 && isPython(text):
		return BlockPython
	case shellTag.MatchString(b.lang) && mayBeCommand.MatchString(text):
		return BlockShell
	case b.lang != "" && otherLanguage.MatchString(b.lang):
		return BlockOther
	}
	return BlockOutput
}

// codeStarts is a statement, or a call of a plain name: no printed value.
var codeStarts = lazyre.New(`(?m)^\s*(?:[A-Za-z_][\w.]*(?:\[[^\]]*\])?\s*=[^=]|(?:for|if|with|while|def|class|assert|raise|del|try)\b)`)

// shown: the section shows what came or should come, not what was run.
func (p *parser) shown(pos int) bool {
	switch p.roleAt(pos) {
	case RoleActual, RoleExpected, RoleLog:
		return true
	}
	return false
}

var otherLanguage = lazyre.New(`(?i)^(?:json|ya?ml|toml|ini|c|cpp|c\+\+|cuda|rust|java|javascript|js|ts|html|xml|sql|dockerfile|markdown|md|mermaid)$`)

// countLines counts lines that look like code, log and commands, and all that
// are not blank.
func countLines(text string) (code, log, shell, all int) {
	depth := 0
	for _, l := range strings.Split(text, "\n") {
		t := strings.TrimSpace(l)
		if t == "" {
			continue
		}
		all++
		switch {
		case dollarLine.MatchString(l), shellLine.MatchString(l) && depth == 0:
			shell++
		case logMark.MatchString(l):
			log++
		case depth > 0, codeMark.MatchString(l), strings.HasPrefix(t, "#"), strings.HasPrefix(t, ")"), strings.HasPrefix(t, "]"), strings.HasPrefix(t, "}"), magicLine.MatchString(l):
			code++
		}
		depth = max(0, depth+brackets(t))
	}
	return code, log, shell, max(all, 1)
}

// brackets is how many more a line opens than it closes: inside them a line of
// code looks like nothing in particular.
func brackets(t string) int {
	return strings.Count(t, "(") + strings.Count(t, "[") + strings.Count(t, "{") -
		strings.Count(t, ")") - strings.Count(t, "]") - strings.Count(t, "}")
}

// pythonOrOther: the tag says Python; only a plain log or a list of commands
// proves it wrong.
func pythonOrOther(text string) BlockKind {
	code, log, shell, lines := countLines(text)
	switch {
	case strongMark.MatchString(text):
		return BlockPython
	case shell*2 > lines && code == 0:
		return BlockShell
	case log*2 > lines:
		return BlockOutput
	case code == 0 && !isPython(text):
		return BlockOutput
	}
	return BlockPython
}

// maxParsed is how much of a block the syntax tree is asked about: the score is
// a share of lines, and a text of nothing but quotation marks takes a
// millisecond a KiB.
const maxParsed = 16 << 10

// isPython asks the syntax tree about the beginning of a text.
func isPython(text string) bool {
	if len(text) > maxParsed {
		text = text[:maxParsed]
		if k := strings.LastIndexByte(text, '\n'); k > 0 {
			text = text[:k]
		}
	}
	return pysyntax.IsPython(text)
}

// hasPrompt says whether a transcript stands in the text. An example in a
// docstring is none.
func hasPrompt(text string) bool {
	var quoted map[int]bool
	for i, l := range strings.Split(text, "\n") {
		if !replPrompt.MatchString(l) && !cellPrompt.MatchString(l) {
			continue
		}
		if quoted == nil {
			quoted = quotedLines(text)
		}
		if !quoted[i+1] {
			return true
		}
	}
	return false
}

// isTraceback wants a traceback's frames and no code around them.
func isTraceback(text string) bool {
	if isScript(text, traceLine) {
		return false
	}
	if !strings.Contains(text, "Traceback (most recent call last)") && !(frameGate.open(text) && frameLine.MatchString(text)) {
		return false
	}
	first := strings.TrimSpace(strings.SplitN(strings.TrimSpace(text), "\n", 2)[0])
	return !importLine.MatchString(first) && !strings.HasPrefix(first, "def ") && !strings.HasPrefix(first, "class ")
}

// frameGate is in the case of the words, unlike the others.
var frameGate = newGate("File |-> ")

// traceLine is a traceback's first line with what logs, workers and IPython put
// before it. A quotation mark or the sign of a comment is nothing of that: there it
// is only spoken of.
var traceLine = lazyre.New(`(?m)^[^"'#\n]*Traceback \(most recent call last\)`)

var traceAny = lazyre.New(`(?m)^.*Traceback \(most recent call last\)`)

// onlyComments is true for a form's placeholder ("# Error messages here please").
func onlyComments(text string) bool {
	for _, l := range strings.Split(text, "\n") {
		if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "#") {
			return false
		}
	}
	return !strings.Contains(text, "packages in environment")
}
