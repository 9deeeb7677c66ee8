// Package inerttest looks for what comes to life in a page of Markdown when a
// tracker shows it. The page is read by a kept reader of GitHub's Markdown, not by
// what wrote it.
package inerttest

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	renderer "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

var reader = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))

// Page is what a reader sees of a page.
type Page struct {
	// Shape is its blocks by kind, in order, each in brackets with what it holds.
	Shape string
	// Words are all that is written in it, blanks folded.
	Words string
	// Live is each thing in it that is more than words.
	Live []string
}

// Read reads a page.
func Read(page string) Page {
	src := []byte(page)
	p := &walker{src: src}
	p.node(reader.Parser().Parse(text.NewReader(src)))
	return Page{Shape: p.shape.String(), Words: strings.Join(strings.Fields(p.words.String()), " "), Live: p.live}
}

type walker struct {
	src          []byte
	shape, words strings.Builder
	live         []string
	run          strings.Builder // text since the last markup, as a tracker looks through it
}

func (w *walker) say(format string, args ...any) {
	w.live = append(w.live, fmt.Sprintf(format, args...))
}

func (w *walker) node(n ast.Node) {
	if n.Type() != ast.TypeInline {
		w.shape.WriteString("(" + n.Kind().String())
		if h, ok := n.(*ast.Heading); ok {
			fmt.Fprint(&w.shape, h.Level)
		}
		defer w.shape.WriteString(")")
	}
	switch n := n.(type) {
	case *ast.Text:
		w.text(seen(n.Segment.Value(w.src)))
		if n.SoftLineBreak() || n.HardLineBreak() {
			w.text(" ")
		}
		if n.HardLineBreak() {
			w.say("line break")
		}
	case *ast.String:
		w.text(string(n.Value))
	case *ast.CodeSpan:
		w.end()
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			w.words.Write(c.(*ast.Text).Segment.Value(w.src))
		}
		return
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			w.words.Write(line.Value(w.src))
		}
	case *ast.Link, *ast.AutoLink, *ast.Image, *ast.RawHTML, *ast.HTMLBlock, *ast.Emphasis,
		*extast.Strikethrough, *extast.TaskCheckBox, *extast.FootnoteLink, *extast.FootnoteBacklink:
		w.say("%s", n.Kind())
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c)
	}
	if n.Type() == ast.TypeBlock {
		w.end()
		w.words.WriteString(" ")
	}
}

func (w *walker) text(s string) {
	w.words.WriteString(s)
	w.run.WriteString(s)
}

// end looks through a run of text as GitHub's filters do, once Markdown is done.
func (w *walker) end() {
	s := w.run.String()
	w.run.Reset()
	for _, f := range filters {
		if m := f.FindString(s); m != "" {
			w.say("%q in text", m)
		}
	}
}

// filters are GitHub's own additions to Markdown, each a little wider than
// documented.
var filters = []*regexp.Regexp{
	regexp.MustCompile(`(?i)@[a-z0-9]`),
	regexp.MustCompile(`#[0-9]`),
	regexp.MustCompile(`(?i)\bgh-[0-9]`),
	regexp.MustCompile(`(?i)\b[0-9a-f]{7,40}\b`),
	regexp.MustCompile(`(?i)[a-z]+://|\bwww\.[a-z0-9]|\bmailto:`),
	regexp.MustCompile(`:[a-z0-9_+-]+:`),
	regexp.MustCompile(`\$\S[^$]*\$`),
}

// seen is a text without the backslashes that Markdown takes away, and with the
// characters that its entities stand for.
func seen(raw []byte) string {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	renderer.DefaultWriter.Write(w, raw)
	_ = w.Flush() // into memory
	return html.UnescapeString(b.String())
}
