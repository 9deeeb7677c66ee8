package candidate

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
	"github.com/repgen/repgen/internal/triage"
)

// blockCode is the code of one block that will begin at line of the script.
func (c *Candidate) blockCode(b *report.Block, d *triage.Decision, line int) string {
	if len(b.Cells) > 0 {
		return c.transcript(b, d, line)
	}
	code := b.Text
	if c.hasPrompts(code) { // a transcript whose cells nobody cut
		code = stripPrompts(code)
		c.edit(Edit{Kind: "strip_prompt", Why: "prompts of the interactive interpreter are no code", Line: line})
	}
	code = strings.TrimRight(c.repairText(code, line), "\n")
	if b.Cut != "" {
		c.edit(Edit{Kind: "cut", Why: "what was pasted below the script in one block is no part of it", Line: line + strings.Count(code, "\n")})
	}
	return code
}

// repairText undoes what copying did to the text, then takes out what is no
// Python. Lines are kept, so that the reporter's line numbers hold.
func (c *Candidate) repairText(code string, line int) string {
	if fixed, ok := pysyntax.Dedent(code); ok {
		c.edit(Edit{Kind: "dedent", Why: "the whole snippet was indented", Line: line})
		code = fixed
	}
	code = c.repairQuotes(code, line)
	return c.repairDamage(c.repairIndent(c.dropMagics(code, line), line), line)
}

// fixKinds are the edits that the repairs of a source count as.
var fixKinds = map[string]string{
	"quotes": "quotes", "tabs": "indent", "indent": "indent", "python2": "python2", "prompt": "strip_prompt",
	"line_numbers": "leftover", "leftover": "leftover", "bracket": "bracket", "colon": "bracket", "capital": "capital", "answer": "leftover",
}

// maxRepaired bounds the repair of one candidate: a report may hold 64 blocks,
// and no damaged script is as long.
const maxRepaired = 48 << 10

// repairDamage mends what keeps the text from being Python 3. Where the damage
// could be read in another way the edit is risky.
func (c *Candidate) repairDamage(code string, line int) string {
	if f := c.parse(code); len(f.SyntaxErrors) == 0 && len(f.Undefined()) == 0 {
		return code // nothing to mend: most scripts
	}
	if c.memo != nil {
		if c.memo.repaired += len(code); c.memo.repaired > maxRepaired {
			return code
		}
	}
	fixed, fixes := pysyntax.Repair(code)
	for _, f := range fixes {
		c.edit(Edit{
			Kind: fixKinds[f.Kind], Why: f.Why, Line: line + f.Line - 1, Before: f.Before, After: f.After, Risky: f.Guessed,
		})
	}
	return fixed
}

// repairIndent moves statements that stand too deep at module scope, below
// nothing that opens a block, to the margin: the interpreter would refuse them,
// so that nothing else can have been meant.
func (c *Candidate) repairIndent(code string, line int) string {
	f := c.parse(code)
	lines, inString := strings.Split(code, "\n"), c.parse(code).StringLines()
	for _, s := range f.Statements {
		first := lines[s.Line-1]
		indent := first[:len(first)-len(strings.TrimLeft(first, " \t"))]
		if indent == "" || inString[s.Line] || s.Kind == "error" || !strings.HasPrefix(first[len(indent):], firstLine(s.Text)) {
			continue
		}
		for i := s.Line; i <= s.EndLine; i++ {
			if !inString[i] {
				lines[i-1] = strings.TrimPrefix(lines[i-1], indent)
			}
		}
		c.edit(Edit{
			Kind: "dedent", Why: "indented below nothing", Line: line + s.Line - 1, Before: first, After: lines[s.Line-1],
		})
	}
	return strings.Join(lines, "\n")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// typographic characters that word processors and web pages put into code.
var typographic = strings.NewReplacer(
	"\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u2018", "'", "\u2019", "'",
	"\u00a0", " ", "\u202f", " ", "\u2007", " ", "\u200b", "", "\ufeff", "", "\u2028", " ",
)

// repairQuotes replaces typographic characters where they break the syntax:
// in a string that parses they are the reporter's data.
func (c *Candidate) repairQuotes(code string, line int) string {
	fixed := typographic.Replace(code)
	if fixed == code {
		return code
	}
	before, after := c.parse(code), c.parse(fixed)
	odd := strings.ContainsAny(code, "\u00a0\u202f\u2007\u200b\ufeff\u2028") && len(before.SyntaxErrors) > 0
	if len(after.SyntaxErrors) >= len(before.SyntaxErrors) && !odd {
		return code
	}
	old, changed := strings.Split(code, "\n"), strings.Split(fixed, "\n")
	for i := range old {
		if i < len(changed) && old[i] != changed[i] {
			c.edit(Edit{
				Kind: "quotes", Why: "typographic quotes or blanks are no Python",
				Line: line + i, Before: old[i], After: changed[i],
			})
		}
	}
	return fixed
}

var (
	magicLine = lazyre.New(`^(\s*)(%{1,2}[a-zA-Z]\w*|!\s*\S|get_ipython\(\)|\?{1,2}\w|[A-Za-z_][\w.]*\?{1,2}\s*$)`)
	pipLine   = lazyre.New(`^\s*(?:[!%]|\$\s*|>\s*)?\s*(?:python[\d.]*\s+-m\s+|py\s+-m\s+|uv\s+)?pip[\d.]*\s+install\s+(.+)$`)
)

// dropMagics turns the lines of a notebook that are no Python into comments,
// and their install lines into requirements.
func (c *Candidate) dropMagics(code string, line int) string {
	if !strings.ContainsAny(code, "%!?") && !strings.Contains(code, "get_ipython") && !strings.Contains(code, "pip") {
		return code
	}
	inString := c.parse(code).StringLines()
	lines := strings.Split(code, "\n")
	for i, text := range lines {
		magic := magicLine.FindStringSubmatch(text)
		install := pipLine.FindStringSubmatch(text)
		if (magic == nil && install == nil) || inString[i+1] {
			continue
		}
		why := "a notebook's command is no Python"
		if install != nil {
			c.require(install[1])
			why = "an install command states requirements"
		}
		if rest, ok := timed(text); ok {
			lines[i] = rest
		} else {
			lines[i] = commented(text)
		}
		c.edit(Edit{Kind: "magic", Why: why, Line: line + i, Before: text, After: lines[i]})
	}
	return strings.Join(lines, "\n")
}

var timeMagic = lazyre.New(`^(\s*)%(?:time|timeit|prun|memit)\s+([^-\s].*)$`)

// timed is the statement that a timing magic runs.
func timed(text string) (string, bool) {
	if m := timeMagic.FindStringSubmatch(text); m != nil {
		return m[1] + m[2], true
	}
	return "", false
}

// commented keeps the line's number; below an indentation a bare comment could
// leave a block empty.
func commented(text string) string {
	trimmed := strings.TrimLeft(text, " \t")
	indent := text[:len(text)-len(trimmed)]
	if indent != "" {
		return indent + "pass  # " + trimmed
	}
	return "# " + trimmed
}

// requirement is a PEP 508 name with optional extras and version. No URL, no
// path, no marker: those are not on an index.
var requirement = lazyre.New(`^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._,-]+\])?((===|==|~=|!=|<=|>=|<|>)[A-Za-z0-9.*+!_-]+(,(==|~=|!=|<=|>=|<|>)[A-Za-z0-9.*+!_-]+)*)?$`)

// withValue are pip's options that take the next word.
var withValue = map[string]bool{
	"-i": true, "--index-url": true, "--extra-index-url": true, "-f": true, "--find-links": true,
	"-r": true, "-c": true, "-e": true, "--requirement": true, "--constraint": true,
	"--editable": true, "-t": true, "--target": true, "--platform": true, "--python-version": true,
}

// require records the words of an install command that name a distribution.
func (c *Candidate) require(words string) {
	words, _, _ = strings.Cut(words, "#")
	words, _, _ = strings.Cut(words, "&&")
	words, _, _ = strings.Cut(words, ";")
	skip := false
	for _, word := range strings.Fields(words) {
		word = strings.Trim(word, "\"'`,")
		switch {
		case skip:
			skip = false
		case strings.HasPrefix(word, "-"):
			skip = withValue[word]
		case strings.ContainsAny(word, "/\\@$|"):
		case requirement.MatchString(word):
			c.Requirements = addOnce(c.Requirements, word)
		}
	}
}

// shellRequirements reads install commands from shell blocks.
func (c *Candidate) shellRequirements(r *report.Report) {
	for _, b := range r.Blocks {
		lines := b.Magics
		if b.Kind == report.BlockShell {
			lines = append(lines, strings.Split(b.Text, "\n")...)
		}
		for _, line := range lines {
			if m := pipLine.FindStringSubmatch(line); m != nil {
				c.require(m[1])
			}
		}
	}
}
