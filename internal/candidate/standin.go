package candidate

import (
	"path"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
	"github.com/repgen/repgen/internal/triage"
)

// standIns makes what the script takes from outside: first files whose content
// the report shows, then what the script itself says enough of. A line that the
// reporter's traceback goes through is left as it is: there the read itself is
// what failed.
func (c *Candidate) standIns(r *report.Report, d *triage.Decision) {
	if f := c.parse(c.Script); len(f.SyntaxErrors) > 0 || !takesFromOutside.MatchString(c.Script) {
		return
	}
	c.shownFiles(r, d)
	var prologues []string
	var changes []pysyntax.Change
	for _, s := range pysyntax.StandIns(c.Script) {
		// "np.load fails with ..." must not be answered with a file that loads.
		if judgedSource(d, lineOfNumber(c.Script, s.Line)) {
			continue
		}
		kind := "stand_in_" + s.Kind
		if s.Kind == "data" {
			kind = "stand_in_file"
		}
		e := Edit{Kind: kind, Why: s.Why, Line: s.Line, After: s.Prologue, Risky: true}
		if s.Prologue == "" && len(s.Changes) > 0 {
			e.Before, e.After = c.Script[s.Changes[0].Span.Start:s.Changes[0].Span.End], s.Changes[0].After
		}
		c.edit(e)
		changes = append(changes, s.Changes...)
		if s.Prologue != "" {
			prologues = append(prologues, s.Prologue)
		}
	}
	// The changes are in the spans of the script as it was split: they come first.
	c.Script = pysyntax.Apply(c.Script, changes)
	c.prologue(prologues)
}

// takesFromOutside is a quick look: most scripts read nothing and are not split
// into parts.
var takesFromOutside = lazyre.New(`open|load|read|pretrained|weights|applications|datasets|create_model`)

// prologue puts statements in front of the script, on the line of its first
// statement where that can be, so that lines keep their numbers.
func (c *Candidate) prologue(statements []string) {
	if len(statements) == 0 {
		return
	}
	before := strings.Count(c.Script, "\n")
	f := c.parse(c.Script)
	c.Script = importFirst(f, c.Script, strings.Join(statements, "; "))
	if added := strings.Count(c.Script, "\n") - before; added > 0 && len(f.Statements) > 0 {
		c.shift(f.Statements[0].Line, added)
	}
}

func judgedSource(d *triage.Decision, line string) bool {
	if d == nil || d.Expectation == nil || strings.TrimSpace(line) == "" {
		return false
	}
	for _, fr := range d.Expectation.Symptom.Frames {
		if fr.Source != "" && sameCode(fr.Source, line) {
			return true
		}
	}
	return false
}

// lineOfNumber is the text of a 1-based line, "" when there is none.
func lineOfNumber(text string, line int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}

// maxShown bounds a file that is written from the report: what a report shows
// of a file is a few lines.
const maxShown = 8 << 10

var (
	opensText = lazyre.New(`^(open|read_csv|read_table|read_json|loadtxt|genfromtxt|read_text|from_file|from_yaml|load_dataset)$`)
	fileName  = lazyre.New(`^[\w-][\w.-]*\.(csv|tsv|txt|json|jsonl|ya?ml|toml|ini|cfg|md|xml|conf|dat)$`)
)

// shownFiles writes the text files that the script reads by name and that a
// block of the report shows under that name.
func (c *Candidate) shownFiles(r *report.Report, d *triage.Decision) {
	var prologues []string
	seen := map[string]bool{}
	for _, call := range c.parse(c.Script).Calls {
		name, ok := unquoted(arg(call, 0))
		if !ok || !opensText.MatchString(call.Method) || seen[name] || path.IsAbs(name) || strings.Contains(name, "..") {
			continue
		}
		seen[name] = true
		mode, _ := unquoted(arg(call, 1))
		base := path.Base(name)
		text, whole := shown(r, d, base)
		if text == "" || !fileName.MatchString(base) || strings.ContainsAny(mode, "wax+") || strings.ContainsAny(name, `"\`) {
			continue
		}
		p := ""
		if dir := path.Dir(name); dir != "." {
			p = `__import__("os").makedirs(` + quoted(dir) + `, exist_ok=True); `
		}
		p += `_f = open(` + quoted(name) + `, "w"); _ = _f.write(` + pysyntax.Quote(text) + `); _f.close()`
		prologues = append(prologues, p)
		c.edit(Edit{
			Kind: "stand_in_file", Why: "the report shows the content of " + name, Line: call.Line, After: clip(text), Risky: !whole,
		})
	}
	c.prologue(prologues)
}

// shown is the content of a file as a block of the report has it, and whether it
// is whole: a cut one ends in three dots or is called an example.
func shown(r *report.Report, d *triage.Decision, name string) (text string, whole bool) {
	for i, b := range r.Blocks {
		if slices.Contains(d.Blocks, i) || len(b.Text) > maxShown {
			continue
		}
		switch b.Kind {
		case report.BlockTraceback, report.BlockPython, report.BlockREPL, report.BlockShell, report.BlockDiff, report.BlockVersions:
			continue
		}
		body := b.Text
		first, rest, _ := strings.Cut(body, "\n")
		headed := strings.Trim(first, "#:/* \t`") == name
		if headed {
			body = rest
		}
		if !headed && !mentions(lastLine(b.Lead), name) {
			continue
		}
		return strings.TrimRight(body, "\n") + "\n", !b.Approximate && !strings.Contains(body, "...") && !strings.Contains(body, "…")
	}
	return "", false
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
