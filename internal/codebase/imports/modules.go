package imports

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// module is a module or package of the project; the zero one is none.
type module struct {
	file string // "" for a namespace package
	dir  string // the folder of a package, "" for a plain module
	pkg  bool   // dir counts, also where it is the root ""
}

func (m module) found() bool { return m.file != "" || m.pkg }

// table is the module table: which dotted name is which file.
type table struct {
	files map[string]bool
	dirs  map[string]bool
	// tops are by first part of a dotted name the folders it can be imported
	// from, the likeliest first.
	tops map[string][]string
}

// layouts are folders that projects put their packages in, besides the root.
var layouts = []string{"", "src", "lib", "python", "source", "code"}

// newTable makes the table from the paths alone.
func newTable(files []string) *table {
	t := &table{files: map[string]bool{}, dirs: map[string]bool{"": true}, tops: map[string][]string{}}
	for _, f := range files {
		t.files[f] = true
		for d := dirOf(f); d != "" && !t.dirs[d]; d = dirOf(d) {
			t.dirs[d] = true
		}
	}
	for f := range t.files {
		t.addFile(f)
	}
	for d := range t.dirs {
		if up := dirOf(d); d != "" && slices.Contains(layouts, up) {
			t.addTop(path.Base(d), up)
		}
	}
	for _, roots := range t.tops {
		slices.SortFunc(roots, func(a, b string) int {
			return cmp.Or(cmp.Compare(layoutRank(a), layoutRank(b)), cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
		})
	}
	return t
}

// layoutRank puts the usual folders before those that only hold a package.
func layoutRank(root string) int {
	if i := slices.Index(layouts, root); i >= 0 {
		return i
	}
	return len(layouts)
}

// dirOf is the folder of a path, "" at the root.
func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// join is path.Join without its cleaning, which the hot way cannot afford.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// addFile notes the top-level name that a file gives: of its outermost package,
// or its own in a folder from which modules are imported.
func (t *table) addFile(f string) {
	if path.Base(f) == "__init__.py" {
		dir := dirOf(f)
		for dir != "" && t.files[join(dirOf(dir), "__init__.py")] && dirOf(dir) != "" {
			dir = dirOf(dir)
		}
		if dir != "" {
			t.addTop(path.Base(dir), dirOf(dir))
		}
		return
	}
	if name, ok := strings.CutSuffix(path.Base(f), ".py"); ok && slices.Contains(layouts, dirOf(f)) {
		t.addTop(name, dirOf(f))
	}
}

// addTop notes that a top-level name can be imported from a folder.
func (t *table) addTop(name, root string) {
	if !slices.Contains(t.tops[name], root) {
		t.tops[name] = append(t.tops[name], root)
	}
}

// at is the module of the dotted name below a folder. As in Python a package
// comes before a module of the same name, and that before a bare folder.
func (t *table) at(dir, dotted string) module {
	p := join(dir, strings.ReplaceAll(dotted, ".", "/"))
	switch {
	case dotted == "" && t.files[join(dir, "__init__.py")]:
		return module{join(dir, "__init__.py"), dir, true}
	case dotted == "":
		return module{"", dir, t.dirs[dir]}
	case t.files[p+"/__init__.py"]:
		return module{p + "/__init__.py", p, true}
	case t.files[p+".py"]:
		return module{file: p + ".py"}
	}
	return module{"", p, t.dirs[p]}
}

// absolute is the module that "import dotted" gives in the file from.
func (t *table) absolute(from, dotted string) module {
	first, _, _ := strings.Cut(dotted, ".")
	roots := t.tops[first]
	// A monorepo may hold two packages of one name: the own one comes first.
	if own := t.rootOf(from); slices.Contains(roots, own) && roots[0] != own {
		roots = append([]string{own}, roots...)
	}
	var bare module
	for _, root := range roots {
		m := t.at(root, dotted)
		if m.file != "" {
			return m
		}
		if m.found() && !bare.found() {
			bare = m
		}
	}
	// A script sees the modules beside it.
	if dir := dirOf(from); !t.files[join(dir, "__init__.py")] {
		if m := t.at(dir, dotted); m.file != "" && m.file != from {
			return m
		}
	}
	return bare
}

// rootOf is the folder that the outermost package of a file lies in.
func (t *table) rootOf(f string) string {
	dir := dirOf(f)
	for dir != "" && t.files[join(dir, "__init__.py")] {
		dir = dirOf(dir)
	}
	return dir
}

// relative is the module that "from dotted import" gives, dotted with its
// leading dots.
func (t *table) relative(from, dotted string) module {
	rest := strings.TrimLeft(dotted, ".")
	dir := dirOf(from)
	for range len(dotted) - len(rest) - 1 {
		if dir == "" {
			return module{}
		}
		dir = dirOf(dir)
	}
	m := t.at(dir, rest)
	if m.file == from && rest != "" {
		return module{} // itself
	}
	return m
}
