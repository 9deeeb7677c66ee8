package validate

import (
	"maps"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

const (
	// maxNames and maxCalls bound what is asked of one script (guesses: scripts
	// of the measured set use at most 40 names).
	maxNames = 150
	maxCalls = 150
	// probeModule is the observer's, which no environment holds.
	probeModule = "repgen_probe"
)

// site is where a name or call stands in the script.
type site struct {
	line    int
	written string // as the script has it
	guarded bool
}

// uses are the names and calls of one script that an environment can be asked
// about, with where they stand first.
type uses struct {
	imports   []importOf
	names     map[string]site
	calls     []callShape
	callSites []site
}

// usesOf reads them from the syntax. Names that the script binds again, sets
// itself or asks for with hasattr are left out: they say nothing certain.
func usesOf(f *pysyntax.File) uses {
	u := uses{names: map[string]site{}}
	r := readerOf(f)
	u.imported(f, r)
	for _, a := range f.Attributes {
		if r.asks(a.Text, a.Full) {
			u.name(a.Full, site{a.Line, a.Text, r.guarded(a.Line)})
		}
	}
	for _, c := range f.Calls {
		if len(u.calls) == maxCalls || !r.asks(c.Func, c.Full) || slices.ContainsFunc(c.Args, starred) {
			continue
		}
		shape := callShape{Func: c.Full, Args: len(c.Args), Keywords: slices.AppendSeq([]string{}, maps.Keys(c.Keywords))}
		slices.Sort(shape.Keywords)
		u.calls = append(u.calls, shape)
		u.callSites = append(u.callSites, site{c.Line, c.Func, r.guarded(c.Line)})
	}
	return u
}

// name keeps the first place of a name: one report of it is enough.
func (u *uses) name(full string, s site) {
	if _, seen := u.names[full]; !seen && len(u.names) < maxNames && dottedForm.MatchString(full) && len(full) < maxWord {
		u.names[full] = s
	}
}

// imported lists the imports in their order, each from-name as a use.
func (u *uses) imported(f *pysyntax.File, r reader) {
	for _, imp := range f.Imports {
		if !dottedForm.MatchString(imp.Module) || imp.Dynamic || imp.Module == "__future__" || imp.Module == probeModule || len(u.imports) == maxNames {
			continue
		}
		guarded := imp.Guarded || r.guarded(imp.Line)
		of := importOf{Module: imp.Module, Names: []string{}}
		u.name(imp.Module, site{imp.Line, imp.Module, guarded})
		for _, n := range imp.Names {
			if dottedForm.MatchString(n.Name) {
				of.Names = append(of.Names, n.Name)
				u.name(imp.Module+"."+n.Name, site{imp.Line, n.Name, guarded})
			}
		}
		u.imports = append(u.imports, of)
	}
}

// starred: the number of arguments is known at run time only.
func starred(arg string) bool { return strings.HasPrefix(arg, "*") }

// reader knows which names of a script still are what its imports bound, and
// which lines may fail on purpose.
type reader struct {
	f       *pysyntax.File
	rebound map[string]bool
	own     map[string]bool // dotted names that the script sets or deletes
	asked   map[string]bool // last parts that it asks for with hasattr or getattr
	lenient [][2]int        // lines of try statements and of pytest.raises
}

// readerOf goes through the script once for everything that makes a name
// uncertain. In doubt a name is left out: a fault that is none would send a model
// after a name that was right.
func readerOf(f *pysyntax.File) reader {
	r := reader{f: f, rebound: map[string]bool{}, own: map[string]bool{}, asked: map[string]bool{}}
	n := pysyntax.NestOf(f.Source)
	imports := map[string]string{}
	for _, imp := range f.Imports {
		r.bindImport(imp, imports)
	}
	for i := range n.Statements {
		r.statement(n, int32(i))
	}
	for i := range n.Tokens {
		r.inner(n, i)
	}
	for _, a := range f.Assigns {
		if a.Kind == "attribute" {
			r.own[a.Full] = true
		}
	}
	for _, d := range f.Deletes {
		r.own[d.Full] = true
	}
	for _, c := range f.Calls {
		if (c.Func == "hasattr" || c.Func == "getattr") && len(c.Args) > 1 {
			r.asked[strings.Trim(c.Args[1], `"'`)] = true
		}
	}
	return r
}

// bindImport marks a local name that two imports bind to different things.
func (r *reader) bindImport(imp pysyntax.Import, seen map[string]string) {
	bind := func(local, full string) {
		if old, ok := seen[local]; ok && old != full {
			r.rebound[local] = true
		}
		seen[local] = full
	}
	for _, n := range imp.Names {
		local := n.Alias
		if local == "" {
			local = n.Name
		}
		bind(local, imp.Module+"."+n.Name)
	}
	if len(imp.Names) > 0 {
		return
	}
	if imp.Alias != "" {
		bind(imp.Alias, imp.Module)
		return
	}
	top, _, _ := strings.Cut(imp.Module, ".")
	bind(top, top)
}

// statement takes what one statement binds, and whether it expects a failure. A
// binding in one function counts in all: scopes are not told apart.
func (r *reader) statement(n *pysyntax.Nested, i int32) {
	s := n.Statements[i]
	for _, b := range slices.Concat(n.Binds(i), n.Params(i)) {
		if b.Kind != pysyntax.BindImport {
			r.rebound[b.Name] = true
		}
	}
	expects := s.Kind == "with" && s.First < s.Last && strings.Contains(n.Source[n.Tokens[s.First].Start:n.Tokens[s.Last-1].End], "raises")
	if s.Kind == "try" || expects {
		r.lenient = append(r.lenient, [2]int{int(s.Line), int(s.EndLine)})
	}
}

// inner marks the names that comprehensions and lambdas bind.
func (r *reader) inner(n *pysyntax.Nested, i int) {
	end := ""
	switch n.Text(int32(i)) {
	case "for":
		end = "in"
	case "lambda":
		end = ":"
	default:
		return
	}
	const most = 40 // tokens of a target list
	for at := i + 1; at < min(len(n.Tokens), i+most) && n.Text(int32(at)) != end; at++ {
		if n.Tokens[at].Kind == pysyntax.NameToken {
			r.rebound[n.Text(int32(at))] = true
		}
	}
}

// asks says whether a dotted name is worth asking for.
func (r *reader) asks(written, full string) bool {
	first, _, _ := strings.Cut(written, ".")
	last := full[strings.LastIndexByte(full, '.')+1:]
	top, _, _ := strings.Cut(full, ".")
	return written != "" && r.f.Imported(written) && !r.rebound[first] && !r.own[full] && !r.asked[last] &&
		top != probeModule && dottedForm.MatchString(full)
}

// guarded: a failure of that line is caught, or is what the script wants.
func (r *reader) guarded(line int) bool {
	return slices.ContainsFunc(r.lenient, func(l [2]int) bool { return l[0] <= line && line <= l[1] })
}
