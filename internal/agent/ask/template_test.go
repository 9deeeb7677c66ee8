package ask_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/repgen/repgen/internal/agent/ask"
)

func TestTemplate(t *testing.T) {
	files := fstest.MapFS{
		"prompts/a.tmpl": {Data: []byte("{{/* version 3 */}}\n{{define \"task\"}}\nDo {{.What}}. {{template \"rules\"}}\n{{end}}")},
		"prompts/b.tmpl": {Data: []byte("{{/* version 12 */}}{{define \"system\"}} You are. {{end}}{{define \"rules\"}}Be brief.{{end}}")},
	}
	tm := ask.MustTemplate("room", files, "prompts/a.tmpl", "prompts/b.tmpl")
	if tm.ID() != "room/a 3, b 12" {
		t.Errorf("id %q", tm.ID())
	}
	p := ask.Prompt{Again: "stays"}
	if err := tm.Fill(&p, struct{ What string }{"<it>"}); err != nil {
		t.Fatal(err)
	}
	if p.System != "You are." || p.Task != "Do <it>. Be brief." || p.Again != "stays" || p.Template != tm.ID() {
		t.Errorf("got %+v", p)
	}
	if err := tm.Fill(&p, struct{}{}); err == nil || !strings.Contains(err.Error(), "room/a 3") {
		t.Errorf("a word that is missing: %v", err)
	}
}

func TestTemplatePanics(t *testing.T) {
	for name, text := range map[string]string{"no version": "hello", "broken": "{{/* version 1 */}}{{define", "missing": ""} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			files := fstest.MapFS{"x.tmpl": {Data: []byte(text)}}
			if name == "missing" {
				files = fstest.MapFS{}
			}
			ask.MustTemplate("room", files, "x.tmpl")
		})
	}
}
