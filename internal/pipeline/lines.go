package pipeline

import (
	"fmt"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/agent"
	"github.com/repgen/repgen/internal/candidate"
	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/llm"
	"github.com/repgen/repgen/internal/oracle"
	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/triage"
)

const dot = " · "

// reportLine says what was read: what a user checks first when a verdict
// surprises.
func reportLine(req *Request) string {
	r := req.Report
	parts := []string{fmt.Sprintf("%q", clip(r.Title, 60))}
	if named := namedVersions(r); len(named) > 0 {
		parts = append(parts, "names "+strings.Join(named, ", "))
	}
	if !r.Created.IsZero() {
		parts = append(parts, "filed "+r.Created.UTC().Format("2006-01-02"))
	}
	if req.ScriptName != "" {
		parts = append(parts, "judging "+req.ScriptName)
	}
	return strings.Join(parts, dot)
}

// maxNamed versions stand in the report's line, and at most maxListed of them
// from a list such as pip freeze.
const (
	maxNamed  = 4
	maxListed = 3
)

// namedVersions lists each package once, with the version said first, unless
// another one is called good.
func namedVersions(r *report.Report) []string {
	var named []string
	seen := map[string]bool{}
	for _, v := range r.Versions {
		text := v.Name + " " + v.Spec
		if v.Role == report.RoleGood {
			text += " (good)"
		}
		key := v.Dist
		if v.Role == report.RoleGood {
			key = text
		}
		if v.Local || v.Role == report.RoleMention || seen[key] || v.Where == "freeze" && len(named) >= maxListed {
			continue
		}
		seen[key] = true
		named = append(named, text)
	}
	if more := len(named) - maxNamed; more > 0 {
		named = append(named[:maxNamed], fmt.Sprintf("and %d more", more))
	}
	return named
}

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

func triageLine(d *triage.Decision) string {
	parts := []string{d.Summary}
	if d.Route != triage.Attempt {
		parts = append(parts, string(d.Route))
	}
	if e := d.Expectation; e != nil {
		parts = append(parts, fmt.Sprintf("%s, judged by: %s", words(string(e.Symptom.Kind)), words(string(e.Oracle))))
	} else if d.Route == triage.Attempt {
		parts = append(parts, "nothing says what is wrong: at best a lead")
	}
	return joinSome(parts)
}

// scriptLine says for whose script the one that is judged is taken.
func scriptLine(c *candidate.Candidate) string {
	switch c.Origin {
	case "reporter":
		return "the reporter's own, word for word"
	case "agent":
		return "not the reporter's: a language model's, or made from one"
	}
	return "not the reporter's: its prints and asserts say nothing"
}

func words(s string) string { return strings.ReplaceAll(s, "_", " ") }

func joinSome(parts []string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, dot)
}

func environmentLine(o *proof.Outcome) string {
	if o.Unavailable != nil {
		return "unavailable" + dot + o.Unavailable.Why
	}
	l := o.Lock
	day, source := l.Day(o.Spec)
	packages := "packages"
	if len(l.Packages) == 1 {
		packages = "package"
	}
	return fmt.Sprintf("python %s, %d %s as of %s (%s)%srung %d of %d",
		l.Python, len(l.Packages), packages, day.UTC().Format(time.DateOnly), source, dot, l.Rung, environment.Rungs) + indexText(l) + standInText(l)
}

func indexText(l *environment.Lock) string {
	if l.Index == "" {
		return ""
	}
	return dot + "index of " + l.Index
}

func standInText(l *environment.Lock) string {
	if len(l.StandIns) == 0 {
		return ""
	}
	return dot + "stand-in for " + strings.Join(l.StandIns, ", ")
}

func runLine(o *proof.Outcome) string {
	v := o.Verdict
	text := fmt.Sprintf("%d of %d show it (95 %% interval %.2f-%.2f)", v.Hits, v.Runs, v.Low, v.High)
	switch {
	case v.Runs == 0:
		text = "no execution could be judged"
	case o.Expectation != nil && o.Expectation.Oracle == oracle.OracleNone:
		text = fmt.Sprintf("%d executions, recorded and not judged", v.Runs)
	}
	if o.Subject.Name != "" {
		text += dot + o.Subject.Name + " " + o.Subject.Version
	}
	return text
}

// controlLine lists what each control showed.
func controlLine(o *proof.Outcome) string {
	var parts []string
	for _, g := range o.Evidence.Groups {
		if g.Side == oracle.SideReported || g.Side == oracle.SideNeutral {
			continue
		}
		parts = append(parts, controlText(g))
	}
	if len(parts) == 0 {
		return "none"
	}
	if len(parts) > 4 {
		parts = append(parts[:4], fmt.Sprintf("and %d more", len(parts)-4))
	}
	return strings.Join(parts, dot)
}

func controlText(g oracle.Group) string {
	name := g.Subject + " " + g.Version
	if g.Change != "" {
		return changeText(g)
	}
	if g.Side == oracle.SideNewest {
		name = "newest " + name
	}
	if g.Unavailable != "" || len(g.Judgements) == 0 {
		return name + ": could not be built"
	}
	hits, counts := 0, map[oracle.Finding]int{}
	for _, j := range g.Judgements {
		counts[j.Finding]++
		if j.Finding == oracle.Hit {
			hits++
		}
	}
	text := fmt.Sprintf("%d of %d on %s", hits, len(g.Judgements), name)
	for _, f := range []oracle.Finding{oracle.Absent, oracle.Collided, oracle.Inconclusive, oracle.Within} {
		if counts[f] > 0 {
			text += " (" + words(string(f)) + ")"
		}
	}
	return text
}

// changeText is a variant of the script: "without drop_last=True: 0 of 3".
func changeText(g oracle.Group) string {
	hits, clean := 0, true
	for _, j := range g.Judgements {
		if j.Finding == oracle.Hit {
			hits++
		}
		clean = clean && j.Finding == oracle.Clean
	}
	text := fmt.Sprintf("%s: %d of %d", g.Change, hits, len(g.Judgements))
	if clean && hits == 0 && g.Side != oracle.SidePinned && g.Side != oracle.SideReseeded {
		return "gone " + text
	}
	return text
}

func verdictLine(r *proof.Result) string {
	parts := []string{string(r.Headline)}
	if r.Grade != "" {
		parts = append(parts, "grade "+string(r.Grade))
	}
	for _, h := range r.Also {
		parts = append(parts, "also "+string(h))
	}
	return strings.Join(parts, dot)
}

// agentLine sums up what the model did: "5 attempts in 2 contexts · dead_end ·
// 12 calls, 41000 tokens, 0.12 USD".
func agentLine(a *agent.Result) string {
	parts := []string{counted(len(a.Attempts), "attempt")}
	if n := contextsOf(a); n > 0 {
		parts[0] += " in " + counted(n, "context")
	}
	parts = append(parts, words(string(a.Ending)))
	if len(a.Why) > 0 {
		parts = append(parts, clip(a.Why[0], 120))
	}
	return strings.Join(append(parts, totalsText(a.Totals)), dot)
}

func totalsText(t llm.Totals) string {
	text := fmt.Sprintf("%s, %d tokens", counted(t.Calls, "call"), t.InputTokens+t.OutputTokens)
	if t.Estimated {
		text += " (estimated)"
	}
	switch {
	case t.Calls == 0:
	case !t.Priced:
		text += ", price unknown"
	default:
		text += fmt.Sprintf(", %.4f USD", t.USD)
	}
	return text
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
