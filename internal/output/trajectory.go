package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/repgen/repgen/internal/agent/trace"
	"github.com/repgen/repgen/internal/system/inert"
)

// node is a span with what was done under it.
type node struct {
	trace.Span
	Children []*node
}

// maxDepth of a tree that is drawn: a damaged file may nest without end.
const maxDepth = 32

// tree hangs spans under their parents, each list by time. A span whose parent
// never ended, or that is its own ancestor, hangs from the root.
func tree(spans []trace.Span) []*node {
	nodes := map[int]*node{}
	for _, s := range spans {
		nodes[s.ID] = &node{Span: s}
	}
	var roots []*node
	for _, s := range spans {
		n := nodes[s.ID]
		if n.ID != s.ID || n.Start != s.Start || n.Name != s.Name {
			continue // another span has taken the number
		}
		if up, ok := nodes[s.Parent]; ok && !circle(nodes, s) {
			up.Children = append(up.Children, n)
			continue
		}
		roots = append(roots, n)
	}
	for _, n := range nodes {
		slices.SortStableFunc(n.Children, earlier)
	}
	slices.SortStableFunc(roots, earlier)
	return roots
}

func earlier(a, b *node) int {
	switch {
	case a.Start < b.Start:
		return -1
	case a.Start > b.Start:
		return 1
	}
	return a.ID - b.ID
}

// circle says that a span does not come up to the root within maxDepth.
func circle(nodes map[int]*node, s trace.Span) bool {
	for range maxDepth {
		up, ok := nodes[s.Parent]
		if !ok {
			return false
		}
		s = up.Span
	}
	return true
}

// nameOf is a span's name, with its number where there are several alike.
func nameOf(s trace.Span) string {
	if s.Name == "attempt" && s.Attempt > 0 {
		return fmt.Sprintf("attempt %d", s.Attempt)
	}
	return s.Name
}

// took is what a span cost, in words: time, tokens, money, sandbox.
func took(s trace.Span) string {
	parts := []string{seconds(s.End - s.Start)}
	if c := s.Call; c != nil {
		tokens := fmt.Sprintf("%d + %d tokens", c.Usage.InputTokens, c.Usage.OutputTokens)
		if c.Usage.CachedTokens > 0 {
			tokens += fmt.Sprintf(" (%d cached)", c.Usage.CachedTokens)
		}
		if c.Usage.Estimated {
			tokens += " (estimated)"
		}
		parts = append(parts, tokens)
		if c.USD > 0 {
			parts = append(parts, fmt.Sprintf("%.4f USD", c.USD))
		}
		if c.Source != "" {
			parts = append(parts, "from "+c.Source)
		}
	}
	if s.Sandbox > 0 {
		parts = append(parts, seconds(s.Sandbox)+" in the sandbox")
	}
	return strings.Join(parts, ", ")
}

func seconds(s float64) string {
	switch {
	case s < 0.0005:
		return "0 s"
	case s < 10:
		return fmt.Sprintf("%.3g s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// costOf sums up all spans: "12 calls, 41000 + 3000 tokens, 0.1200 USD, 14 s in
// the sandbox".
func costOf(spans []trace.Span) string {
	var sum trace.Cost
	end := 0.0
	for _, c := range trace.Totals(spans) {
		sum.Calls += c.Calls
		sum.InputTokens += c.InputTokens
		sum.OutputTokens += c.OutputTokens
		sum.USD += c.USD
		sum.Sandbox += c.Sandbox
	}
	for _, s := range spans {
		end = max(end, s.End)
	}
	text := fmt.Sprintf("%s, %d + %d tokens", number(sum.Calls, "call"), sum.InputTokens, sum.OutputTokens)
	if sum.USD > 0 { // no price may be known
		text += fmt.Sprintf(", %.4f USD", sum.USD)
	}
	text += ", " + seconds(end)
	if sum.Sandbox > 0 {
		text += fmt.Sprintf(", %s of executions", seconds(sum.Sandbox))
	}
	return text
}

// maxDetail lines of a detail stand on a terminal; the page has all.
const maxDetail = 6

// TrajectoryView says how much of a trajectory is drawn.
type TrajectoryView struct {
	// All details, with every line.
	Details bool
}

// Trajectory draws what the agent did as a tree.
func Trajectory(w io.Writer, spans []trace.Span, v TrajectoryView, st Style) {
	if len(spans) == 0 {
		return
	}
	_, _ = fmt.Fprintln(w, StageLine("trajectory", costOf(spans), st))
	for _, n := range tree(spans) {
		drawNode(w, n, 0, v, st)
	}
}

func drawNode(w io.Writer, n *node, depth int, v TrajectoryView, st Style) {
	pad := strings.Repeat("  ", depth+1)
	line := pad + inert.Line(nameOf(n.Span))
	if text := inert.Line(n.Text); text != "" {
		line += ": " + text
	}
	cost := "  (" + inert.Line(took(n.Span)) + ")"
	if st.Color {
		cost = lipgloss.NewStyle().Faint(true).Render(cost)
		if n.Failed {
			line = lipgloss.NewStyle().Foreground(lipgloss.Color("3")).Render(line)
		}
	} else if n.Failed {
		line = pad + "! " + strings.TrimPrefix(line, pad)
	}
	_, _ = fmt.Fprintln(w, line+cost)
	drawDetail(w, n, pad+"  | ", v)
	for _, c := range n.Children {
		drawNode(w, c, depth+1, v, st)
	}
}

// drawDetail shows a feedback; a script is long and is shown when all is.
func drawDetail(w io.Writer, n *node, pad string, v TrajectoryView) {
	text := strings.TrimRight(inert.Text(n.Detail), "\n")
	if text == "" || !v.Details && !n.Failed {
		return
	}
	lines := strings.Split(text, "\n")
	left := 0
	if !v.Details && len(lines) > maxDetail {
		left = len(lines) - maxDetail
		lines = lines[:maxDetail]
	}
	for _, l := range lines {
		_, _ = fmt.Fprintln(w, pad+l)
	}
	if left > 0 {
		_, _ = fmt.Fprintf(w, "%s... %d more lines: --verbose or --html shows all\n", pad, left)
	}
}
