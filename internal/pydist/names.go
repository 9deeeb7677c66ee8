package pydist

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed data
var data embed.FS

// tables are the data files, indexed once: a few hundred lines, under a
// millisecond.
type tables struct {
	imports  map[string][]string // distribution -> import names
	owners   map[string]string   // import name -> distribution; the first line wins
	spaces   map[string]bool     // top-level names below which several distributions live
	words    map[string]string   // word as written, lower case -> distribution
	families map[string][]string
	variants map[string][]string
	stdlib   map[string]bool
}

var load = sync.OnceValue(func() *tables {
	t := &tables{
		imports: map[string][]string{}, owners: map[string]string{}, words: map[string]string{}, spaces: map[string]bool{},
		families: groups("data/families.tsv"), variants: groups("data/variants.tsv"), stdlib: map[string]bool{},
	}
	for _, row := range rows("data/distributions.tsv") {
		t.add(row)
	}
	for _, row := range rows("data/stdlib.txt") {
		t.stdlib[row[0]] = true
	}
	return t
})

// add takes one row: distribution, import names, words.
func (t *tables) add(row []string) {
	dist := row[0]
	names := strings.Fields(column(row, 1))
	switch {
	case len(names) == 0:
		names = []string{strings.ReplaceAll(dist, "-", "_")}
	case names[0] == "-":
		names = nil
	}
	t.imports[dist] = names
	for _, name := range names {
		if _, taken := t.owners[name]; !taken {
			t.owners[name] = dist
		}
		if top, _, dotted := strings.Cut(name, "."); dotted {
			t.spaces[top] = true
		}
	}
	for word := range strings.SplitSeq(column(row, 2), ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		if _, taken := t.words[word]; !taken {
			t.words[word] = dist
		}
	}
}

// rows reads an embedded table: tab-separated, # begins a comment line. The
// files are part of the program, so a missing one is a defect of the build.
func rows(name string) [][]string {
	text, err := data.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("pydist: embedded table: %v", err))
	}
	var out [][]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != '#' {
			out = append(out, strings.Split(line, "\t"))
		}
	}
	return out
}

func groups(name string) map[string][]string {
	out := map[string][]string{}
	for _, row := range rows(name) {
		for _, dist := range row {
			if out[dist] == nil {
				out[dist] = row
			}
		}
	}
	return out
}

func column(row []string, i int) string {
	if i < len(row) {
		return row[i]
	}
	return ""
}

// Normalize is PEP 503: lower case, runs of "-", "_" and "." become one "-".
func Normalize(name string) string {
	var b strings.Builder
	separated := false
	for _, r := range strings.ToLower(strings.TrimSpace(name)) {
		if r == '-' || r == '_' || r == '.' {
			separated = true
			continue
		}
		if separated {
			b.WriteByte('-')
			separated = false
		}
		b.WriteRune(r)
	}
	if separated {
		b.WriteByte('-')
	}
	return b.String()
}

// FromImport is the distribution that provides an import name ("cv2" is
// opencv-python), normalised. Known is false when the table has no word about
// it; the same name is then the best guess.
func FromImport(module string) (dist string, known bool) { return FromModule(module) }

// FromModule is FromImport for a dotted module: the longest prefix that the
// table knows decides (google.protobuf.message is protobuf, torch.nn is
// torch); the guess for an unknown one is its top-level name.
func FromModule(module string) (dist string, known bool) {
	owners := load().owners
	for prefix := module; prefix != ""; {
		if dist, ok := owners[prefix]; ok {
			return dist, true
		}
		i := strings.LastIndexByte(prefix, '.')
		if i < 0 {
			break
		}
		prefix = prefix[:i]
	}
	top, _, _ := strings.Cut(module, ".")
	return Normalize(top), false
}

// Namespace is true for a top-level name that several distributions share
// ("google"): which one is meant shows in the dotted name only.
func Namespace(top string) bool {
	t := load()
	_, owned := t.owners[top]
	return t.spaces[top] && !owned
}

// Imports are the import names of a distribution, the main one first (dotted
// where the root is a namespace). Nil for one that is known not to be
// imported; an unknown distribution is taken to be imported by its own name.
func Imports(dist string) []string {
	dist = Normalize(dist)
	if names, known := load().imports[dist]; known {
		return slices.Clone(names)
	}
	if dist == "" {
		return nil
	}
	return []string{strings.ReplaceAll(dist, "-", "_")}
}

// Known is true for a distribution of the table, whose import names are facts.
func Known(dist string) bool {
	_, known := load().imports[Normalize(dist)]
	return known
}

// FromWord is the distribution that people mean by a word or a few in prose
// ("pytorch", "tf", "POT", "HF transformers"). Ok only for distributions of
// the table. Some of their names are common words ("datasets", "rich"): the
// caller wants more than the word, such as a version beside it.
func FromWord(word string) (dist string, ok bool) {
	t := load()
	lower := strings.Join(strings.Fields(strings.ToLower(word)), " ")
	if dist, ok := t.words[lower]; ok { // "tf.keras" is not tf-keras
		return dist, true
	}
	name := Normalize(strings.ReplaceAll(lower, " ", "-"))
	for _, key := range []string{name, strings.ReplaceAll(name, "-", "_"), strings.ReplaceAll(name, "-", " ")} {
		if dist, ok := t.words[key]; ok {
			return dist, true
		}
	}
	if _, ok := t.imports[name]; ok {
		return name, true
	}
	for _, key := range []string{strings.TrimSpace(word), strings.ReplaceAll(name, "-", "_")} {
		if dist, ok := t.owners[key]; ok {
			return dist, true
		}
	}
	return "", false
}

// FromRepo is the distribution that is made in a repository "owner/name". Many
// repositories are named without the family that their owner stands for
// (torchvision is pytorch/vision, tensorflow-probability tensorflow/probability,
// torch-scatter rusty1s/pytorch_scatter). Ok only for distributions of the table.
func FromRepo(address string) (dist string, ok bool) {
	owner, name, found := strings.Cut(address, "/")
	if !found || name == "" {
		return "", false
	}
	family := strings.TrimPrefix(strings.ToLower(owner), "py") // pytorch's packages begin with torch
	for _, word := range []string{
		owner + "-" + name, // before the name alone: "datasets" is also another's
		family + "-" + name,
		family + name,
		"dm-" + name, // DeepMind's
		"torch-" + strings.TrimPrefix(Normalize(name), "pytorch-"),
		"torch" + name,
		name,
	} {
		if strings.HasPrefix(word, "dm-") && !strings.Contains(family, "deepmind") ||
			strings.HasPrefix(word, "torch") && !torchMaker(owner, name) {
			continue
		}
		if dist, ok := FromWord(word); ok {
			return dist, true
		}
	}
	return "", false
}

// torchMaker: the owner or the repository says that it is of torch's family, so
// that a name like "metrics" may be torchmetrics. Any other owner's is not.
func torchMaker(owner, name string) bool {
	owner = strings.ToLower(owner)
	return strings.Contains(owner, "torch") || strings.Contains(owner, "lightning") ||
		strings.HasPrefix(Normalize(name), "pytorch-") || strings.HasPrefix(strings.ToLower(name), "torch")
}

// Family are the distributions released in step with dist, dist itself
// included; nil when it has none.
func Family(dist string) []string { return slices.Clone(load().families[Normalize(dist)]) }

// Variants are other distributions that hold the same code (tensorflow and
// tensorflow-cpu), CPU builds first, dist left out; nil when it has none.
func Variants(dist string) []string {
	dist = Normalize(dist)
	var out []string
	for _, other := range load().variants[dist] {
		if other != dist {
			out = append(out, other)
		}
	}
	return out
}

// StdlibModule is true for a module of the standard library of any Python from
// 3.6 to 3.14; a dotted name is judged by its top.
func StdlibModule(name string) bool {
	top, _, _ := strings.Cut(name, ".")
	return load().stdlib[top] || (strings.HasPrefix(top, "_") && load().stdlib[strings.TrimLeft(top, "_")])
}
