package triage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/inert"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// maxMissing: a reporter answers two questions, not ten.
const maxMissing = 2

// completion asks for what is missing in a script, all names in one request.
func completion(gaps []gap) string {
	var names []string
	piece := slices.ContainsFunc(gaps, func(g gap) bool { return g.kind == gapCall })
	for _, g := range gaps {
		if g.kind == gapName && len(names) < 5 {
			names = append(names, quoted(g.what))
		}
	}
	switch {
	case len(names) == 0:
		return gaps[0].String()
	case piece:
		return scriptAsk // a piece of somebody's code: its names are not what is missing
	}
	return "a script that can be run as it is: " + strings.Join(names, ", ") + plural(len(names), " is", " are") + " not defined in it"
}

// maxQuoted bounds what a reply repeats of a report, in characters: the words of a
// name, not a message. A guess.
const maxQuoted = 60

// fileName is what the name of a file may look like in a reply. A text of more
// words, or with other signs, is a sentence that would be read as ours.
var fileName = lazyre.New(`^[\w./-]+( [\w./-]+){0,2}$`)

// quoted is a name of the reporter's as code.
func quoted(name string) string { return inert.Code(shorten(name, maxQuoted)) }

// named is a gap by its name, or by its line where that is no name.
func (g gap) named(by, otherwise string) string {
	if len(g.what) <= maxQuoted && fileName.MatchString(g.what) {
		return by + " " + quoted(g.what)
	}
	return fmt.Sprintf(otherwise, g.line)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// replyFor is a text to paste into the tracker, "" when there is nothing to ask.
func replyFor(d *Decision) string {
	switch d.Route {
	case Hostile, NotABug:
		return ""
	case NeedsHardware:
		return "Thanks for the report. The symptom needs an accelerator that is not at hand here. If it also shows on the CPU, a script for that would help a lot."
	}
	if len(d.Missing) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Thanks for the report. To reproduce this, could you please add:\n")
	for i, m := range d.Missing {
		fmt.Fprintf(&b, "%d. %s\n", i+1, m)
	}
	return b.String()
}

// summary is the script in one line.
func summary(rd *reading) string {
	s := rd.script
	switch {
	case rd.opts.Script && s.none():
		return "a script was given"
	case s.none():
		return "no script"
	case s.complete():
		return fmt.Sprintf("%s, %d %s", s.whole(rd.r), s.lines(), plural(s.lines(), "line", "lines"))
	}
	var what []string
	for _, g := range s.gaps {
		if len(what) == 3 {
			what = append(what, "...")
			break
		}
		what = append(what, g.short())
	}
	return fmt.Sprintf("partial script, %d %s (%s)", s.lines(), plural(s.lines(), "line", "lines"), strings.Join(what, ", "))
}

// whole says that nothing is missing, and whether something was taken away.
func (s script) whole(r *report.Report) string {
	if slices.ContainsFunc(s.blocks, func(i int) bool { return r.Blocks[i].Cut != "" }) {
		return "script cut above what was pasted below it"
	}
	return "complete script"
}

// short is a gap in a few words.
func (g gap) short() string {
	switch g.kind {
	case gapDownload:
		return "downloads " + g.what
	case gapCut:
		return "cut with ..."
	case gapSyntax:
		return fmt.Sprintf("does not parse at line %d", g.line)
	case gapFile:
		return "file " + g.what + " missing"
	case gapModule:
		return "module " + g.what + " missing"
	case gapCall:
		return g.what + " is never used"
	case gapBelow:
		return "code below its traceback"
	}
	return g.what + " undefined"
}

// kindWords are the symptom kinds as the progress line and the reasons show them.
func kindWords(k symptom.Kind) string { return strings.ReplaceAll(string(k), "_", " ") }

// oracleWords likewise.
func oracleWords(n oracle.Name) string { return strings.ReplaceAll(string(n), "_", " ") }
