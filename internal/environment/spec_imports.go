package environment

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
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

// imports turns the script's imports into requirements.
func (w *inference) imports() *Unavailable {
	for _, module := range w.in.Candidate.Imports {
		if w.fromProject(module) || pydist.StdlibModule(module) || module == "__main__" {
			continue
		}
		if spaces, ok := namespaces[module]; ok {
			w.namespace(module, spaces)
			continue
		}
		dist, sure := w.provider(module)
		if !sure && slices.Contains(localNames, module) {
			return &Unavailable{
				Why:  fmt.Sprintf("the script imports %s, which looks like a file of the reporter's own project", module),
				Next: fmt.Sprintf("put that file's code into the report, or name a distribution with --with %s", dist),
			}
		}
		if !sure {
			w.edit("import %s: taken from the distribution of the same name", module)
		}
		w.want(dist, WordImport, "imported by the script")
		if !slices.Contains(w.spec.Imports, module) {
			w.spec.Imports = append(w.spec.Imports, module)
		}
	}
	return nil
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

// namespaces are top-level names shared by many distributions: the dotted
// name decides. The expression finds it in the script.
var namespaces = map[string]*regexp.Regexp{
	"google":       regexp.MustCompile(`\bgoogle(?:\.\w+)+`),
	"mpl_toolkits": regexp.MustCompile(`\bmpl_toolkits(?:\.\w+)+`),
}

func (w *inference) namespace(module string, dotted *regexp.Regexp) {
	for _, name := range dotted.FindAllString(w.in.Candidate.Script, -1) {
		dist, known := pydist.FromModule(name)
		if !known || pydist.Normalize(dist) == module {
			continue
		}
		w.want(pydist.Normalize(dist), WordImport, "imported by the script")
		for _, provided := range pydist.Imports(dist) {
			if strings.HasPrefix(name+".", provided+".") && !slices.Contains(w.spec.Imports, provided) {
				w.spec.Imports = append(w.spec.Imports, provided)
			}
		}
	}
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
