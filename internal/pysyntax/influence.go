package pysyntax

// From are the names whose value can depend on one of the given names,
// themselves among them. Like Influenced it says yes too often rather than too
// rarely.
func (f *File) From(names ...string) map[string]bool {
	marked := map[string]bool{}
	for _, n := range names {
		marked[n] = true
	}
	f.spread(marked)
	return marked
}

// Computed are the names whose value can come out of a call into one of the
// top-level modules roots: a constant of the module (np.nan) is none, and
// neither is what is made of constants only. Imports are not among them.
func (f *File) Computed(roots ...string) map[string]bool {
	top := map[string]bool{}
	for _, r := range roots {
		top[firstPart(r)] = true
	}
	marked := map[string]bool{}
	for _, fl := range f.flows {
		for _, name := range fl.calls {
			if f.fromModule(name, top) && !f.Imported(fl.target) {
				marked[fl.target] = true
			}
		}
	}
	f.spread(marked)
	return marked
}

// fromModule says whether an import binds a name to one of the modules.
func (f *File) fromModule(name string, top map[string]bool) bool {
	full, ok := f.bindings[firstPart(name)]
	return ok && top[firstPart(full)]
}

// spread marks what reads a marked name, until nothing is added.
func (f *File) spread(marked map[string]bool) {
	users := map[string][]string{}
	queue := make([]string, 0, len(marked))
	for _, fl := range f.flows {
		for _, r := range fl.reads {
			users[firstPart(r)] = append(users[firstPart(r)], fl.target)
		}
	}
	for name := range marked {
		queue = append(queue, name)
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, target := range users[name] {
			if !marked[target] {
				marked[target] = true
				queue = append(queue, target)
			}
		}
	}
}
