package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/repgen/repgen/internal/codebase"
	"github.com/repgen/repgen/internal/codebase/query"
)

// searchBudget is in tokens; with it the code stays below maxCode as a rule.
const searchBudget = 6000

// search serves search_code.
func (s *session) search(ctx context.Context, req *sdk.CallToolRequest, in SearchIn) (*sdk.CallToolResult, SearchOut, error) {
	ask, done, err := s.codeAsk(ctx, in)
	if err != nil {
		return nil, SearchOut{}, s.fail(err)
	}
	run, result, err := s.long(ctx, req, task{Waiting: in.Waiting, tool: toolSearch, done: done, do: func(ctx context.Context, tell Tell) (any, error) {
		found, err := s.opts.Searcher.Search(ctx, ask, tell)
		if err != nil {
			return nil, err
		}
		return codeOut(found), nil
	}})
	if err != nil {
		return nil, SearchOut{}, err
	}
	return nil, SearchOut{Run: run, Code: typed[CodeOut](result)}, nil
}

// codeAsk says what is searched and where. done lets go of its environment.
func (s *session) codeAsk(ctx context.Context, in SearchIn) (ask CodeAsk, done func(), err error) {
	done = func() {}
	ask.Budget = searchBudget
	named := in.ReportRef != (ReportRef{})
	switch {
	case in.Query != "" && named:
		return ask, done, refuse("give one of them", "query and a report exclude each other")
	case len(in.Query) > maxQuery:
		return ask, done, refuse("name what is looked for in a few words", "the query has %d bytes; at most %d are taken", len(in.Query), maxQuery)
	case in.Dir != "" && in.EnvironmentID != "":
		return ask, done, refuse("give one of them", "dir and environment_id exclude each other")
	case in.Package != "" && !requireForm.MatchString(in.Package):
		return ask, done, refuse("give a package's name", "%q is no package", line(in.Package, maxLine))
	}
	if in.Query != "" {
		ask.Query = query.FromText(in.Query)
	} else {
		h, err := s.resolve(ctx, in.ReportRef)
		if err != nil {
			return ask, done, err
		}
		ask.Query = query.FromReport(h.report)
	}
	if in.EnvironmentID == "" {
		dir := in.Dir
		if dir == "" {
			dir = "."
		}
		ask.Dir, err = s.dirBelow(dir)
		return ask, done, err
	}
	opened, done, err := s.use(in.EnvironmentID)
	if err != nil {
		return ask, func() {}, err
	}
	ask.Env, ask.Package = opened.Env, in.Package
	if ask.Package == "" {
		ask.Package = opened.Spec.Subject
	}
	if ask.Package == "" {
		done()
		return ask, func() {}, refuse("name it with package", "the report does not say which package it is about")
	}
	return ask, done, nil
}

// maxQuery bounds a query, in bytes (a guess: a title is shorter).
const maxQuery = 4 << 10

// codeOut is what was found, within the size of an answer.
func codeOut(c *codebase.CodeContext) *CodeOut {
	out := &CodeOut{Project: line(c.Project, maxLine), Mode: c.Mode, Modules: []ModuleOut{}, Notices: lines(c.Notices, maxListed/2, maxLine), Notice: untrusted}
	left := maxCode
	for i := range c.Modules {
		m := moduleOut(&c.Modules[i], &left)
		if len(m.Pieces) > 0 {
			out.Modules = append(out.Modules, m)
		}
	}
	if left <= 0 {
		out.Notices = append(out.Notices, fmt.Sprintf("code beyond %d bytes is left out", maxCode))
	}
	return out
}

func moduleOut(m *codebase.Module, left *int) ModuleOut {
	out := ModuleOut{Path: line(m.Path, maxLine)}
	add := func(p PieceOut, text string, cut bool) {
		if *left <= 0 {
			return
		}
		kept, rest := head(text, *left)
		p.Text, p.Cut = kept, cut || rest > 0
		*left -= len(kept) + pieceRoom
		out.Pieces = append(out.Pieces, p)
	}
	for i := range m.Chunks {
		c := &m.Chunks[i]
		add(PieceOut{Name: line(c.Chunk.Name, maxLine), Why: "match", Start: c.Chunk.StartLine, End: c.Chunk.EndLine}, c.Text, c.Cut)
	}
	if l := m.Loop; l != nil {
		add(PieceOut{Name: line(l.Name, maxLine), Why: "training loop", Start: l.StartLine, End: l.EndLine}, l.Text, l.Cut)
	}
	for i := range m.Dependencies {
		d := &m.Dependencies[i]
		add(PieceOut{Name: line(d.Name, maxLine), Why: "needed by a match", Path: line(d.Path, maxLine), Start: d.StartLine, End: d.EndLine}, d.Text, d.Cut)
	}
	return out
}

// pieceRoom is what a piece takes besides its text (a guess).
const pieceRoom = 150
