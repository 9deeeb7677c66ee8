package candidate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// terminal gives a script what it would have had from whoever started it: the
// command line that the report shows, and the answers that its output shows.
func (c *Candidate) terminal(r *report.Report) {
	if strings.Contains(c.Script, "argparse") || strings.Contains(c.Script, "sys.argv") || strings.Contains(c.Script, "add_argument") {
		c.commandLine(r)
	}
	if strings.Contains(c.Script, "input(") {
		c.answers(r)
	}
}

var (
	// startsScript is a line of a shell that runs a Python file. Launchers of
	// several processes are another program.
	startsScript = lazyre.New(`^\s*[$>%]?\s*((?:[A-Z_][A-Z0-9_]*=\S+\s+)*)(?:uv\s+run\s+)?python[\d.]*\s+(?:-u\s+)?([\w./-]+\.py)\b(.*)$`)
	shellSyntax  = "|;&<>$`\\(){}*?"
	optionWord   = lazyre.New(`^--?[A-Za-z][\w-]*`)
)

// commandLine sets the arguments of the one command line of the report whose
// options the script knows. Without one the script's own defaults hold.
func (c *Candidate) commandLine(r *report.Report) {
	f := c.parse(c.Script)
	known := map[string]bool{"-h": true}
	required := ""
	for _, call := range f.Calls {
		if call.Method != "add_argument" {
			continue
		}
		for _, a := range call.Args {
			if name, ok := unquoted(a); ok {
				known[name] = true
				if !strings.HasPrefix(name, "-") && call.Keywords["nargs"] == "" || call.Keywords["required"] == "True" {
					required = name
				}
			}
		}
	}
	for _, line := range shellLines(r) {
		m := startsScript.FindStringSubmatch(line)
		// What only a shell can work out (a variable, a pipe) is not guessed.
		if m == nil || strings.ContainsAny(m[3], shellSyntax) {
			continue
		}
		words, ok := shellWords(m[3])
		if !ok || len(words) == 0 || !knowsOptions(words, known) {
			continue
		}
		var list []string
		for _, w := range words {
			list = append(list, quoted(w))
		}
		set := `__import__("sys").argv[1:] = [` + strings.Join(list, ", ") + `]`
		c.prologue([]string{set})
		c.edit(Edit{Kind: "argv", Why: "the report starts the script with these arguments", Line: 1, Before: strings.TrimSpace(line), After: set})
		return
	}
	if required != "" {
		c.Notes = addOnce(c.Notes, fmt.Sprintf("the script needs the argument %s and the report shows no command line", required))
	}
}

// knowsOptions: every option of the line is one that the script adds; a script
// that reads sys.argv itself knows all.
func knowsOptions(words []string, known map[string]bool) bool {
	if len(known) == 1 {
		return true
	}
	for _, w := range words {
		if opt := optionWord.FindString(w); opt != "" && !known[opt] {
			return false
		}
	}
	return true
}

// shellLines are the lines of the report's shell blocks, and of the prose where
// a command stands between backticks.
func shellLines(r *report.Report) []string {
	var lines []string
	for _, b := range r.Blocks {
		if b.Kind == report.BlockShell || b.Kind == report.BlockOutput || b.Kind == report.BlockOther {
			lines = append(lines, strings.Split(b.Text, "\n")...)
		}
	}
	for i, part := range strings.Split(r.Text, "`") {
		if i%2 == 1 && strings.HasPrefix(part, "python") && !strings.Contains(part, "\n") {
			lines = append(lines, part)
		}
	}
	return lines
}

// shellWords cuts a line into words as a shell does, without expansions.
func shellWords(s string) (words []string, ok bool) {
	var word strings.Builder
	quote, inWord := byte(0), false
	for i := range len(s) {
		switch ch := s[i]; {
		case quote != 0 && ch == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(ch)
		case ch == '"' || ch == '\'':
			quote, inWord = ch, true
		case ch == ' ' || ch == '\t' || ch == '\r':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		case ch == '#' && !inWord:
			return words, true
		default:
			word.WriteByte(ch)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, quote == 0
}

// answers feeds the script what the report's output shows as typed behind its
// prompts. Where that is not shown the script is left as it is and meets the
// end of its input, which is then its own failure.
func (c *Candidate) answers(r *report.Report) {
	f := c.parse(c.Script)
	own := slices.ContainsFunc(f.Assigns, func(a pysyntax.Assign) bool { return a.Target == "input" }) ||
		slices.ContainsFunc(f.Defined, func(d pysyntax.Def) bool { return d.Name == "input" })
	if own || f.Imported("input") {
		return
	}
	var prompts []string
	line := 0
	for _, call := range f.Calls {
		if call.Func != "input" {
			continue
		}
		if line == 0 {
			line = call.Line
		}
		prompt, ok := unquoted(arg(call, 0))
		if prompt = strings.TrimSpace(prompt); !ok || prompt == "" {
			prompts = nil
			break
		}
		prompts = append(prompts, prompt)
	}
	if line == 0 {
		return
	}
	// Fewer answers than questions: the output is of another run, or was cut. A
	// made-up answer would choose what the script does.
	typed := typedAnswers(r, prompts)
	if len(prompts) == 0 || len(typed) < len(prompts) {
		c.Notes = addOnce(c.Notes, fmt.Sprintf("line %d: asks for input() and the report does not show what was typed", line))
		return
	}
	text := strings.Join(typed, "\n") + "\n"
	set := `__import__("sys").stdin = __import__("io").StringIO(` + pysyntax.Quote(text) + `)`
	c.prologue([]string{set})
	c.edit(Edit{Kind: "stand_in_input", Why: "the report shows what was typed", Line: line, After: set})
}

// typedAnswers are what stands behind the prompts in the report's output, in
// order.
func typedAnswers(r *report.Report, prompts []string) []string {
	var typed []string
	for _, b := range r.Blocks {
		if b.Kind != report.BlockOutput && b.Kind != report.BlockShell && b.Kind != report.BlockOther && b.Kind != report.BlockTraceback {
			continue
		}
		for line := range strings.SplitSeq(b.Text, "\n") {
			i := slices.IndexFunc(prompts, func(p string) bool { return strings.HasPrefix(strings.TrimSpace(line), p) })
			if i >= 0 {
				typed = append(typed, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), prompts[i])))
			}
		}
	}
	return typed
}

// headless are the variables with which toolkits draw to nowhere, by the module
// that says that one is needed.
var headless = map[string][2]string{
	"pygame": {"SDL_VIDEODRIVER", "dummy"}, "gymnasium": {"SDL_VIDEODRIVER", "dummy"}, "gym": {"SDL_VIDEODRIVER", "dummy"},
	"PyQt5": {"QT_QPA_PLATFORM", "offscreen"}, "PyQt6": {"QT_QPA_PLATFORM", "offscreen"},
	"PySide2": {"QT_QPA_PLATFORM", "offscreen"}, "PySide6": {"QT_QPA_PLATFORM", "offscreen"},
}

// screenBackend are matplotlib's backends that need a screen.
var screenBackend = lazyre.New(`^(?i)(tkagg|tkcairo|qt[456]?agg|qt[456]?cairo|gtk[34]?agg|gtk[34]?cairo|wxagg|wxcairo|macosx|webagg|nbagg|notebook|widget)$`)

// withoutScreen asks for drawing to nowhere.
func (c *Candidate) withoutScreen() {
	f := c.parse(c.Script)
	for _, module := range f.TopModules() {
		v, ok := headless[module]
		if ok && (module != "gym" && module != "gymnasium" || strings.Contains(c.Script, "human")) && c.Env[v[0]] == "" {
			c.setEnv(v[0], v[1])
			c.edit(Edit{Kind: "headless", Why: "there is no screen here", After: v[0] + "=" + v[1]})
		}
	}
	var changes []replacement
	for _, call := range f.Calls {
		if call.Full != "matplotlib.use" && call.Full != "matplotlib.pyplot.switch_backend" {
			continue
		}
		for _, s := range f.Strings {
			if call.Span.Start < s.Span.Start && s.Span.End < call.Span.End && screenBackend.MatchString(s.Value) {
				changes = append(changes, replacement{s.Span, `"Agg"`, s.Line})
			}
		}
	}
	c.apply(changes, "headless", "there is no screen here", harmless)
}
