package bundle

import (
	"fmt"
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/pysyntax"
)

// endOfHeader divides what the bundle adds to the script from the script.
const endOfHeader = "# --- the script, as it was run ---\n"

// header makes the script runnable by `uv run` alone: PEP 723 metadata with
// exact pins as of the report's day, and the environment variables of the run
// and of the variant, if it is one.
func header(c Content, own map[string]string) string {
	var b strings.Builder
	b.WriteString("# /// script\n")
	if l := c.Outcome.Lock; l != nil {
		fmt.Fprintf(&b, "# requires-python = %q\n", "=="+minor(l.Python)+".*")
		b.WriteString("# dependencies = [\n")
		for _, p := range l.Packages {
			fmt.Fprintf(&b, "#   %q,\n", p.Name+"=="+p.Version)
		}
		b.WriteString("# ]\n#\n# [tool.uv]\n")
		fmt.Fprintf(&b, "# exclude-newer = %q\n", l.AsOf.UTC().Format("2006-01-02T15:04:05Z"))
		b.WriteString(exempt(l))
		b.WriteString(wheelSources(c))
	}
	// Comments of the script right below would belong to the block.
	b.WriteString("# ///\n\n")
	b.WriteString(variables(c, own))
	b.WriteString(endOfHeader)
	return b.String()
}

// exempt lists packages whose files carry a later upload time than the day
// (uploaded again), as the lock exempted them.
func exempt(l *environment.Lock) string {
	var names []string
	for _, name := range l.Exempt {
		names = append(names, fmt.Sprintf("%q = false", name))
	}
	if len(names) == 0 {
		return ""
	}
	return "# exclude-newer-package = { " + strings.Join(names, ", ") + " }\n"
}

// setVariable begins a line that sets a variable of the environment.
const setVariable = `__import__("os").environ.setdefault(`

// variables sets what the run had in its environment, unless the user has set
// it already. An empty value among a variant's own means that the variable is
// not to be set.
func variables(c Content, own map[string]string) string {
	all := map[string]string{}
	for k, v := range c.Outcome.Spec.Env {
		all[k] = v
	}
	for k, v := range c.Candidate.Env {
		all[k] = v
	}
	for k, v := range own {
		if delete(all, k); v != "" {
			all[k] = v
		}
	}
	if len(all) == 0 {
		return ""
	}
	names := make([]string, 0, len(all))
	for k := range all {
		names = append(names, k)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, k := range names {
		fmt.Fprintf(&b, setVariable+"%s, %s)\n", pysyntax.Quote(k), pysyntax.Quote(all[k]))
	}
	return b.String()
}

// Script is a bundle's script without what the bundle put before it; false for a
// text that has no such beginning.
func Script(text string) (string, bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	before, _, ok := strings.Cut(text, endOfHeader)
	if !ok {
		return "", false
	}
	for line := range strings.Lines(before) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !strings.HasPrefix(line, setVariable) {
			return "", false
		}
	}
	return body(text)
}

// body is the script behind the header.
func body(text string) (string, bool) {
	_, rest, ok := strings.Cut(text, endOfHeader)
	return putBack(rest), ok
}

// setAside makes metadata of the script's own a mere comment, by one blank: a
// file may have one block of it, and that is ours. What looks like it inside of a
// string stays, since the script would be another. putBack undoes it.
func setAside(script string) string {
	aside := blanked(script, "# ", "#  ")
	if putBack(aside) != script {
		return script
	}
	return aside
}

func putBack(script string) string { return blanked(script, "#  ", "# ") }

// blanked begins the comments of whole lines that begin a block of metadata, or
// have been made to look otherwise, with other blanks.
func blanked(script, old, new string) string {
	if !strings.Contains(script, old) || !strings.Contains(script, "///") {
		return script
	}
	var b strings.Builder
	done := 0
	for _, c := range pysyntax.Parse(script).Comments {
		text := script[c.Span.Start:c.Span.End]
		whole := c.Span.Start == 0 || script[c.Span.Start-1] == '\n'
		if rest, ok := strings.CutPrefix(text, old); ok && whole && strings.HasPrefix(strings.TrimLeft(rest, " "), "///") {
			b.WriteString(script[done:c.Span.Start])
			b.WriteString(new)
			done = c.Span.Start + len(old)
		}
	}
	return b.String() + script[done:]
}

func minor(python string) string {
	parts := strings.SplitN(python, ".", 3)
	if len(parts) < 2 {
		return python
	}
	return parts[0] + "." + parts[1]
}
