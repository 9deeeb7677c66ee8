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
	b.WriteString("# ///\n")
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
		fmt.Fprintf(&b, "__import__(\"os\").environ.setdefault(%s, %s)\n", pysyntax.Quote(k), pysyntax.Quote(all[k]))
	}
	return b.String()
}

// body is the script without the header.
func body(script string) (string, bool) {
	_, rest, ok := strings.Cut(script, endOfHeader)
	return rest, ok
}

func minor(python string) string {
	parts := strings.SplitN(python, ".", 3)
	if len(parts) < 2 {
		return python
	}
	return parts[0] + "." + parts[1]
}
