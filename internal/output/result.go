package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system/inert"
)

// JSON writes the one object of docs/json.md. What inert.Text would remove is
// escaped: it says the same, and the terminal that shows it is not steered.
func JSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	if err == nil {
		_, err = w.Write(escaped(b.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("write the JSON result: %w", err)
	}
	return nil
}

// escaped writes the characters that steer a terminal as JSON's escapes. The
// encoder does so below a blank only; outside of strings there are none.
func escaped(data []byte) []byte {
	if !bytes.ContainsFunc(data, inert.Steers) {
		return data
	}
	out := make([]byte, 0, len(data)+64)
	for _, r := range string(data) {
		if inert.Steers(r) {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, "\\u%04x", unit)
			}
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return out
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
		_, _ = fmt.Fprintf(w, "   - %s\n", inert.Line(reason))
	}
	for _, m := range r.Missing {
		_, _ = fmt.Fprintf(w, "   missing: %s\n", inert.Line(m))
	}
	if r.Error != nil && r.Error.Next != "" {
		_, _ = fmt.Fprintf(w, "   next: %s\n", inert.Line(r.Error.Next))
	}
	// Where the fault is ours or the model's, the reporter is not who must act.
	if r.Reply != "" && r.Headline != oracle.Failed {
		_, _ = fmt.Fprintf(w, "\n   A reply that can be pasted:\n\n%s\n", indent(inert.Text(r.Reply)))
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
	path = inert.Line(path)
	if plainWord.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// Quiet is the one line of --quiet.
func Quiet(w io.Writer, r *proof.Result) {
	// A run folder that is shown may be anybody's.
	_, _ = fmt.Fprintln(w, inert.Line(string(r.Headline)+" "+string(r.Grade)))
}

// Problem writes an error for people: what happened, why, what to do next.
func Problem(w io.Writer, e proof.ResultError) {
	_, _ = fmt.Fprintf(w, "repgen: %s\n", inert.Line(e.What))
	if e.Why != "" {
		_, _ = fmt.Fprintf(w, "  why:  %s\n", inert.Line(e.Why))
	}
	if e.Next != "" {
		_, _ = fmt.Fprintf(w, "  next: %s\n", inert.Line(e.Next))
	}
}

// budgetEnded is the ending of an agent that a limit of the user's stopped.
const budgetEnded = "budget"

// number is "1 call", "2 calls".
func number(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// ModelPart writes what a language model did and cost, and its explanation,
// marked as its own words.
func ModelPart(w io.Writer, r *proof.Result) {
	m := r.Model
	if m == nil {
		return
	}
	who := m.Name
	if m.Model != "" && !strings.Contains(who, m.Model) {
		who += " (" + m.Model + ")"
	}
	money := "price unknown"
	if m.Priced {
		money = fmt.Sprintf("%.4f USD", m.USD)
	}
	tokens := fmt.Sprintf("%d + %d tokens", m.Usage.Input, m.Usage.Output)
	if m.Usage.Estimated {
		tokens += " (partly estimated)"
	}
	if m.Calls == 0 {
		tokens, money = "nothing was asked", "no cost"
	}
	_, _ = fmt.Fprintf(w, "   model: %s, %s in %s, %s, %s, %s\n", inert.Line(who), number(m.Attempts, "attempt"), number(m.Contexts, "context"), number(m.Calls, "call"), tokens, money)
	if m.Ending == budgetEnded {
		run := "RUN"
		if r.Run != nil {
			run = ShellWord(inert.Line(*r.Run))
		}
		_, _ = fmt.Fprintf(w, "   more: raise the budget that ended it (docs/llm.md, Budget) and go on: repgen reproduce --resume %s\n", run)
	}
	if len(m.Without) > 0 {
		_, _ = fmt.Fprintf(w, "   switched off: %s\n", inert.Line(strings.Join(m.Without, ", ")))
	}
	if m.Wrote {
		_, _ = fmt.Fprintln(w, "   the script is the model's; the verdict is from our own executions of it")
	}
	if m.Explanation != "" {
		_, _ = fmt.Fprintf(w, "\n   Explanation, in the model's words:\n\n%s\n", indent(inert.Text(m.Explanation)))
	}
}
