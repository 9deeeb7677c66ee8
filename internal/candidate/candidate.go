package candidate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

// Origins of a script.
const (
	originReporter = "reporter"
	originGiven    = "given"
	originAgent    = "agent"
)

// ErrNoBlocks says that the decision names no block to build a script from.
var ErrNoBlocks = errors.New("the report has no script to run")

// FromReport joins the blocks that the decision names, in that order, into one
// script, with as few edits as make it run, each recorded. The error (ErrNoBlocks,
// or an index that the report does not have) says that there is nothing to
// join; a script that does not parse is a Candidate with SyntaxError set.
func FromReport(r *report.Report, d *triage.Decision) (*Candidate, error) {
	if len(d.Blocks) == 0 {
		return nil, ErrNoBlocks
	}
	c := &Candidate{Origin: originReporter}
	defer c.remember()()
	var parts, originals []string
	line := 1
	for _, i := range d.Blocks {
		if i < 0 || i >= len(r.Blocks) {
			return nil, fmt.Errorf("join blocks: the report has no block %d", i)
		}
		block := &r.Blocks[i]
		code := c.blockCode(block, d, line)
		parts, originals = append(parts, code), append(originals, strings.TrimRight(block.Text, "\n"))
		line += strings.Count(code, "\n") + 2
	}
	c.Original = strings.Join(originals, "\n\n") + "\n"
	c.Script = strings.Join(parts, "\n\n") + "\n"
	if len(parts) > 1 {
		c.edit(Edit{Kind: "join_blocks", Why: fmt.Sprintf("%d code blocks form one script", len(parts))})
	}
	c.shellRequirements(r)
	c.echoLast(d)
	if d.Lower {
		c.lowerDevice()
	}
	c.leaveVersionChecks()
	c.addImports()
	c.standIns(r, d)
	c.silenceWindows()
	c.withoutScreen()
	c.terminal(r)
	c.environment(r)
	c.nameOperands()
	c.facts(c.parse(c.Script))
	c.WatchFor(d.Expectation)
	return c, nil
}

// FromScript takes somebody else's script as it is, without an edit, and says
// why it may not be believed. One that begins with the agent's shim (edited in
// a run folder) stays an agent's.
func FromScript(src string) *Candidate {
	if _, ours := withoutShim(src); ours {
		return fromAgentScript(src, "")
	}
	c := &Candidate{Script: src, Original: src, Origin: originGiven}
	c.facts(pysyntax.Parse(src))
	return c
}

// facts fills everything that is read from the final script.
func (c *Candidate) facts(f *pysyntax.File) {
	c.Imports = f.TopModules()
	for _, name := range f.Undefined() {
		c.Undefined = append(c.Undefined, name.Name)
	}
	if len(f.SyntaxErrors) > 0 {
		e := f.SyntaxErrors[0]
		c.SyntaxError = fmt.Sprintf("line %d: %s", e.Line, e.Text)
	}
	c.Compare, c.Watch = comparisons(f)
	c.Reaches = reaches(f)
	c.agentFacts(f)
	c.judge(f)
}

func (c *Candidate) edit(e Edit) { c.Edits = append(c.Edits, e) }

// shift moves the recorded lines at or after line by n lines.
func (c *Candidate) shift(line, n int) {
	for i := range c.Edits {
		if c.Edits[i].Line >= line {
			c.Edits[i].Line += n
		}
	}
}

// addOnce appends s unless it is there.
func addOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// Reread reads a recorded candidate's script again, so that what is said of it
// is not taken from whoever recorded it: HasControl too. An unknown origin is
// somebody else's.
func Reread(c *Candidate) *Candidate {
	fresh := &Candidate{Script: c.Script, Original: c.Original, Origin: originGiven}
	switch _, ours := withoutShim(c.Script); {
	case c.Origin == originAgent || ours: // no reporter writes our shim
		fresh.Origin, fresh.Trigger = originAgent, c.Trigger
	case c.Origin == originReporter:
		fresh.Origin = originReporter
	}
	fresh.facts(pysyntax.Parse(fresh.Own()))
	return fresh
}
