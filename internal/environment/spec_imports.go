package environment

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/pysyntax"
)

// localNames are modules that scripts call their own files by. An index may
// well have a distribution of that name, by somebody else: never installed on
// a guess. (A guess, from names of the files of small projects.)
var localNames = []string{
	"utils", "util", "helpers", "helper", "common", "config", "configs", "conf", "settings", "constants",
	"model", "models", "net", "network", "networks", "layers", "modules", "module", "data", "dataset",
	"dataloader", "dataloaders", "data_loader", "train", "training", "trainer", "test", "tests", "eval",
	"evaluate", "main", "lib", "src", "core", "script", "scripts", "loss", "losses", "metrics", "options",
	"preprocess", "preprocessing", "mymodule", "my_module", "my_model", "mymodel", "app", "run", "args",
}

// imports turns the script's imports, those inside functions and try blocks
// included, into requirements.
func (w *inference) imports() *Unavailable {
	file := pysyntax.Parse(w.in.Candidate.Script)
	for _, module := range w.in.Candidate.Imports {
		if w.fromProject(module) || pydist.StdlibModule(module) || module == "__main__" {
			continue
		}
		if writes(file, module) {
			w.edit("import %s: left out, the script writes that file itself", module)
			continue
		}
		if pydist.Namespace(module) {
			w.namespace(module, file)
			continue
		}
		if u := w.module(module, guarded(file, module)); u != nil {
			return u
		}
	}
	return nil
}

// writes: the script names a file "MODULE.py" and nothing known is called so: it
// exports or generates what it then imports. A package of that name on the
// index would be anybody's.
func writes(file *pysyntax.File, module string) bool {
	if _, known := pydist.FromImport(module); known {
		return false
	}
	return slices.ContainsFunc(file.Strings, func(s pysyntax.String) bool {
		return s.Value == module+".py" || strings.HasSuffix(s.Value, "/"+module+".py")
	})
}

// module adds the distribution of one imported module. One that the script
// imports inside a try only is optional: the script has a way on without it, so
// a guess is not worth installing, and its absence ends nothing.
func (w *inference) module(module string, optional bool) *Unavailable {
	dist, sure := w.provider(module)
	switch {
	case sure:
	case optional:
		w.edit("import %s: left out, the script imports it inside a try and no known distribution has it", module)
		return nil
	case slices.Contains(localNames, module):
		return &Unavailable{
			Why:  fmt.Sprintf("the script imports %s, which looks like a file of the reporter's own project", module),
			Next: fmt.Sprintf("put that file's code into the report, or name a distribution with --with %s", dist),
		}
	default:
		w.edit("import %s: taken from the distribution of the same name", module)
	}
	why := importedWhy
	if optional {
		why = optionalWhy
	}
	w.want(dist, WordImport, why)
	if !optional && !slices.Contains(w.spec.Imports, module) {
		w.spec.Imports = append(w.spec.Imports, module)
	}
	return nil
}

const (
	importedWhy = "imported by the script"
	optionalWhy = "imported by the script inside a try"
)

// guarded is true when every import of a module stands inside a try.
func guarded(file *pysyntax.File, module string) bool {
	found := false
	for _, imp := range file.Imports {
		if top, _, _ := strings.Cut(imp.Module, "."); top != module {
			continue
		}
		if !imp.Guarded {
			return false
		}
		found = true
	}
	return found
}

// provider is the distribution for an import name. A distribution that the
// user or the report names beats the table: opencv-python-headless provides
// cv2 as well as opencv-python does. Sure is false for a guess by name.
func (w *inference) provider(module string) (dist string, sure bool) {
	dist, known := pydist.FromImport(module)
	dist = pydist.Normalize(dist)
	if w.has(dist) {
		return dist, true
	}
	if v := w.installedAs(dist); v != dist {
		return v, true
	}
	if _, ok := w.named[dist]; ok {
		return dist, true
	}
	for _, v := range pydist.Variants(dist) {
		if _, ok := w.named[v]; ok {
			w.edit("import %s: the report has it from %s", module, v)
			return v, true
		}
	}
	if known {
		return dist, true
	}
	for _, name := range sortedNames(w.named) {
		if slices.Contains(pydist.Imports(name), module) {
			return name, true
		}
	}
	return dist, false
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// namespace adds the distributions of a top-level name that many share
// (google, azure): the dotted name decides. One that the table does not have
// is left to the import error of a run: a guess could be anybody's package.
func (w *inference) namespace(module string, file *pysyntax.File) {
	for _, name := range dottedUnder(file, module) {
		dist, known := pydist.FromModule(name)
		if !known || pydist.Normalize(dist) == module {
			continue
		}
		w.want(pydist.Normalize(dist), WordImport, importedWhy)
		for _, provided := range pydist.Imports(dist) {
			if strings.HasPrefix(name+".", provided+".") && !slices.Contains(w.spec.Imports, provided) {
				w.spec.Imports = append(w.spec.Imports, provided)
			}
		}
	}
}

// dottedUnder lists the dotted names below a top-level name that a script
// imports: "from google import protobuf" names google.protobuf.
func dottedUnder(file *pysyntax.File, top string) []string {
	var out []string
	for _, imp := range file.Imports {
		if first, _, _ := strings.Cut(imp.Module, "."); first != top {
			continue
		}
		out = append(out, imp.Module)
		for _, n := range imp.Names {
			out = append(out, imp.Module+"."+n.Name)
		}
	}
	return out
}

// constraints bind every other version that the report names: it is installed
// in that version if something needs it, and not otherwise.
func (w *inference) constraints() {
	for _, name := range sortedNames(w.named) {
		spec := pin(w.named[name])
		if spec == "" || w.has(name) {
			continue
		}
		w.spec.Constraints = append(w.spec.Constraints, Requirement{
			Name: name, Spec: spec, Word: WordReporter, Why: "named in the report",
		})
	}
}
