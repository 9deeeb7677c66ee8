package ask

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"text/template"
)

// Template is the wording of one prompt: files that define "system", "task" and
// "again", each of which may be missing. Only words and figures of our own are
// ever put into it; what others wrote goes into sections.
type Template struct {
	id  string
	set *template.Template
}

var versionLine = regexp.MustCompile(`^\{\{/\* version (\d+) \*/\}\}`)

// MustTemplate reads the files, each of which must begin with a line
// "{{/* version N */}}". It panics on a broken file: they are embedded.
func MustTemplate(room string, files fs.FS, names ...string) *Template {
	t := &Template{set: template.New(room).Option("missingkey=error")}
	var ids []string
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic(fmt.Sprintf("read the prompt %s: %v", name, err))
		}
		version := versionLine.FindSubmatch(text)
		if version == nil {
			panic(fmt.Sprintf("the prompt %s does not begin with its version", name))
		}
		template.Must(t.set.New(name).Parse(string(text)))
		ids = append(ids, strings.TrimSuffix(path.Base(name), ".tmpl")+" "+string(version[1]))
	}
	t.id = room + "/" + strings.Join(ids, ", ")
	return t
}

// ID is the name and version of the wording: "generate/full 3, contract 2".
func (t *Template) ID() string { return t.id }

// Fill words a prompt. data is what the files refer to.
func (t *Template) Fill(p *Prompt, data any) error {
	p.Template = t.id
	for name, into := range map[string]*string{"system": &p.System, "task": &p.Task, "again": &p.Again} {
		part := t.set.Lookup(name)
		if part == nil {
			continue
		}
		var b strings.Builder
		if err := part.Execute(&b, data); err != nil {
			return fmt.Errorf("word the prompt %s: %w", t.id, err)
		}
		*into = strings.TrimSpace(b.String())
	}
	return nil
}
