package proof

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// use is a name of the subject that the script uses, with the keyword
// arguments that it gives when it calls it.
type use struct {
	Path     string   `json:"path"`
	Keywords []string `json:"keywords"`
}

// swallowed are the subject's names that a script uses while it catches what
// their absence would raise. A release without them runs such a script to its
// end, and the judged call was never reached. Nil for scripts that catch nothing
// of the kind: those would have died.
func swallowed(script string, modules []string) []use {
	f := pysyntax.Parse(script)
	if !slices.ContainsFunc(f.Handlers, swallowsAbsence) {
		return nil
	}
	var uses []use
	add := func(path string, keywords []string) {
		top, _, _ := strings.Cut(path, ".")
		if len(uses) < maxUses && slices.Contains(modules, top) && dottedName.MatchString(path) {
			uses = append(uses, use{path, keywords})
		}
	}
	for _, a := range f.Attributes {
		if f.Imported(a.Text) {
			add(a.Full, nil)
		}
	}
	for _, imp := range f.Imports {
		for _, n := range imp.Names {
			add(imp.Module+"."+n.Name, nil)
		}
	}
	for _, c := range f.Calls {
		if len(c.Keywords) > 0 && f.Imported(c.Func) {
			add(c.Full, slices.Sorted(maps.Keys(c.Keywords)))
		}
	}
	return uses
}

// maxUses bounds the question to a release: a guess far above what reports use.
const maxUses = 200

var dottedName = lazyre.New(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*){1,9}$`)

// absences are the classes raised where a name or a keyword is gone.
var absences = map[string]bool{"AttributeError": true, "TypeError": true, "ImportError": true, "ModuleNotFoundError": true, "NameError": true}

func swallowsAbsence(h pysyntax.Handler) bool {
	return !h.Raises && (h.Broad() || slices.ContainsFunc(h.Classes, func(c string) bool { return absences[c] }))
}

// lacksMark begins a line of the answer.
const lacksMark = "lacks "

// lacksScript asks an installed release which of the names it has not. A name
// that fails otherwise than by being absent is there.
const lacksScript = `import importlib, inspect, json

def absent(path, keywords):
    parts = path.split(".")
    thing = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], 2):
        try:
            thing = getattr(thing, part)
        except AttributeError:
            try:
                thing = importlib.import_module(".".join(parts[:i]))
            except ImportError:
                return True
    if keywords:
        known = inspect.signature(thing).parameters.values()
        if not any(p.kind is p.VAR_KEYWORD for p in known):
            return not set(keywords) <= {p.name for p in known}
    return False

for use in json.loads(%q):
    try:
        gone = absent(use["path"], use["keywords"])
    except Exception:
        gone = False
    if gone:
        print("` + lacksMark + `" + use["path"])
`

// lacks runs the question on a control whose runs looked clean.
func (p *proof) lacks(ctx context.Context, s *side) ([]string, error) {
	uses := swallowed(p.in.Candidate.Own(), append(slices.Clone(p.exp.Modules), p.in.Spec.Imports...))
	if len(uses) == 0 {
		return nil, nil
	}
	key := p.key(s, 0) + "-names"
	ex, ok := p.Journal.Load(key)
	if !ok {
		var err error
		if ex, err = p.ask(ctx, s, uses); err != nil {
			return nil, err
		}
		if err := p.Journal.Save(key, ex); err != nil {
			return nil, fmt.Errorf("record which names a release has: %w", err)
		}
	}
	return readLacks(ex.Stdout, uses), nil
}

func (p *proof) ask(ctx context.Context, s *side, uses []use) (sandbox.Execution, error) {
	text, err := json.Marshal(uses)
	if err != nil {
		return sandbox.Execution{}, fmt.Errorf("lay out the names of the script: %w", err)
	}
	work, err := os.MkdirTemp(p.WorkRoot, "repgen-names-")
	if err != nil {
		return sandbox.Execution{}, fmt.Errorf("make a work folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	script := fmt.Sprintf(lacksScript, text)
	if err := os.WriteFile(filepath.Join(work, sandbox.ScriptNm), []byte(script), 0o644); err != nil {
		return sandbox.Execution{}, fmt.Errorf("write the script: %w", err)
	}
	c := s.env.Command(sandbox.EnvDir+"/bin/python", sandbox.ScriptNm)
	if c.Env == nil {
		c.Env = map[string]string{}
	}
	maps.Copy(c.Env, s.spec.Env)
	c.Work = work
	c.Label = "names " + s.group.Subject + " " + s.group.Version
	ex, err := p.Sandbox.Run(ctx, c, p.in.Limits)
	if err != nil {
		return ex, fmt.Errorf("ask which names a release has: %w", err)
	}
	return ex, nil
}

// readLacks reads the answer; only names that were asked for count.
func readLacks(out string, uses []use) []string {
	var lacking []string
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		name, marked := strings.CutPrefix(lines.Text(), lacksMark)
		asked := slices.ContainsFunc(uses, func(u use) bool { return u.Path == name })
		if marked && asked && !slices.Contains(lacking, name) {
			lacking = append(lacking, name)
		}
	}
	return lacking
}
