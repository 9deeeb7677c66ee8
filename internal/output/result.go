package output

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/repgen/repgen/internal/proof"
)

// JSON writes the one object of docs/json.md.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write the JSON result: %w", err)
	}
	return nil
}

// maxReasons is how many reasons a terminal shows; the JSON has all. The last
// one sums up, so those before it go.
const maxReasons = 12

// Details writes what stands below the stage lines: why, what is missing, and
// how to run it again.
func Details(w io.Writer, r *proof.Result) {
	last := len(r.Reasons) - 1
	for i, reason := range r.Reasons {
		if left := last - maxReasons + 1; left > 1 && i >= maxReasons-1 && i < last {
			if i == maxReasons-1 {
				_, _ = fmt.Fprintf(w, "   ... and %d more: --json has all\n", left)
			}
			continue
		}
		_, _ = fmt.Fprintf(w, "   - %s\n", inertLine(reason))
	}
	for _, m := range r.Missing {
		_, _ = fmt.Fprintf(w, "   missing: %s\n", inertLine(m))
	}
	if r.Error != nil && r.Error.Next != "" {
		_, _ = fmt.Fprintf(w, "   next: %s\n", inertLine(r.Error.Next))
	}
	if r.Reply != "" {
		_, _ = fmt.Fprintf(w, "\n   A reply that can be pasted:\n\n%s\n", indent(Inert(r.Reply)))
	}
}

func indent(s string) string {
	return "   > " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n   > ")
}

// Rerun says how a bundle is run again; bundle is its path as the user would
// name it.
func Rerun(w io.Writer, bundle string) {
	_, _ = fmt.Fprintf(w, "   re-run it:  repgen verify %s   or  uv run %s\n", ShellWord(bundle), ShellWord(bundle+"/reproduce.py"))
}

// plainWord needs no quotes in any shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./][A-Za-z0-9_@%+=:,./-]*$`)

// ShellWord is a path as one word that can be pasted into a POSIX shell.
func ShellWord(path string) string {
	path = inertLine(path)
	if plainWord.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// Quiet is the one line of --quiet.
func Quiet(w io.Writer, r *proof.Result) {
	if r.Grade != "" {
		_, _ = fmt.Fprintf(w, "%s %s\n", r.Headline, r.Grade)
		return
	}
	_, _ = fmt.Fprintln(w, r.Headline)
}

// Problem writes an error for people: what happened, why, what to do next.
func Problem(w io.Writer, e proof.ResultError) {
	_, _ = fmt.Fprintf(w, "repgen: %s\n", inertLine(e.What))
	if e.Why != "" {
		_, _ = fmt.Fprintf(w, "  why:  %s\n", inertLine(e.Why))
	}
	if e.Next != "" {
		_, _ = fmt.Fprintf(w, "  next: %s\n", inertLine(e.Next))
	}
}
