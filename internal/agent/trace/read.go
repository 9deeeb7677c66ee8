package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/repgen/repgen/internal/system"
)

// maxLine bounds one span read back, in bytes: a Detail is a script or a
// feedback, and the longest script that an answer may hold is 1 MiB.
const maxLine = 8 << 20

// Read reads the spans of a file, by ID. A line that is no span (the last one
// of a killed run, cut in the middle) is left out; a parent that never ended is
// not among them, and its children then hang from nothing.
func Read(path string) ([]Span, error) {
	f, err := system.OpenPlain(path)
	if err != nil {
		return nil, fmt.Errorf("read the trajectory: %w", err)
	}
	defer func() { _ = f.Close() }()
	return ReadFrom(f)
}

// ReadFrom is Read of an open file.
func ReadFrom(r io.Reader) ([]Span, error) {
	var spans []Span
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if s, ok := spanOf(line); ok {
			spans = append(spans, s)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the trajectory: %w", err)
		}
	}
	slices.SortStableFunc(spans, func(a, b Span) int { return a.ID - b.ID })
	return spans, nil
}

func spanOf(line []byte) (Span, bool) {
	var s Span
	line = bytes.TrimSpace(line)
	if len(line) == 0 || len(line) > maxLine || json.Unmarshal(line, &s) != nil || s.ID <= 0 || !s.sane() {
		return s, false
	}
	return s, true
}

// sane: numbers that a run can have, so that no sum of them leaves what JSON can
// write.
func (s Span) sane() bool {
	const most = 1e12
	numbers := []float64{float64(s.ID), float64(s.Parent), s.Start, s.End, s.Sandbox}
	if c := s.Call; c != nil {
		numbers = append(numbers, c.USD, float64(c.Usage.InputTokens), float64(c.Usage.OutputTokens))
	}
	return !slices.ContainsFunc(numbers, func(n float64) bool { return !(n >= -most && n <= most) })
}

// maxDepth of a span below its stage that is looked through; the agent's own
// have four.
const maxDepth = 64

// Cost is what the spans of one name took.
type Cost struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	// Seconds are wall seconds, those of the spans below them included.
	Seconds      float64 `json:"seconds"`
	Sandbox      float64 `json:"sandbox_s"`
	Calls        int     `json:"calls"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	USD          float64 `json:"usd"`
}

func (c *Cost) add(s Span) {
	c.Sandbox += s.Sandbox
	if s.Call != nil {
		c.Calls++
		c.InputTokens += s.Call.Usage.InputTokens
		c.OutputTokens += s.Call.Usage.OutputTokens
		c.USD += s.Call.USD
	}
}

// Totals are the costs by stage, in order of appearance: each call and run
// counts for the nearest stage above it, else under its own name. Their sums
// are those of all spans.
func Totals(spans []Span) []Cost {
	byID := map[int]Span{}
	for _, s := range spans {
		byID[s.ID] = s
	}
	var costs []Cost
	at := map[string]int{}
	entry := func(name string) *Cost {
		i, ok := at[name]
		if !ok {
			i = len(costs)
			at[name] = i
			costs = append(costs, Cost{Name: name})
		}
		return &costs[i]
	}
	for _, s := range spans {
		if s.Kind == KindDecision {
			continue
		}
		c := entry(stageOf(byID, s))
		c.add(s)
		if c.Name == s.Name {
			c.Count++
			c.Seconds += s.End - s.Start
		}
	}
	return costs
}

// stageOf is the name of the nearest stage at or above a span. The walk is
// bounded: a damaged file may hold a circle, or a chain of all its spans.
func stageOf(byID map[int]Span, s Span) string {
	for at, n := s, 0; n <= maxDepth; n++ {
		if at.Kind == KindStage {
			return at.Name
		}
		up, ok := byID[at.Parent]
		if !ok {
			break
		}
		at = up
	}
	return s.Name
}
