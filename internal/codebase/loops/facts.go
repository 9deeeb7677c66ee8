package loops

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// facts are what a module says about its names. Nothing outside of the module
// is read: the rules run over whole projects, and a name that another module
// makes is judged by how it is called.
type facts struct {
	n *pysyntax.Nested
	// imports are the names that imports bind, with the full dotted name.
	imports map[string]string
	// tops are the top-level modules that are imported.
	tops map[string]bool
	// origins are by dotted target ("self.opt"): what was assigned to it.
	origins map[string][]origin
	classes map[string]class
	calls   []call
	// byStmt are the calls of each statement: index of the first and one past
	// the last in calls.
	byStmt map[int32][2]int
	// compiles are by receiver the statements that call its compile the way
	// Keras does.
	compiles map[string][]int32
	memo     memo
	// last is by statement the first one after it that it does not hold.
	last []int32
}

// memo keeps what many calls of one loop ask for, so that a loop of thousands
// of them costs no square.
type memo struct {
	steps     map[int32]bool            // by piece: steps or zeroes gradients
	backwards map[int32]map[string]bool // by loop: receivers of backward
	jax       map[int32]map[string]bool // by piece: kinds of calls
	loaders   map[int32]binding         // by loop
	targets   map[int32]map[string]bool // by loop: what its header binds
	tapes     map[string][]int32        // by name: statements that use a tape, ascending
}

// remember gives what is kept for key, made by fill when it is not yet there.
func remember[V any](kept *map[int32]V, key int32, fill func() V) V {
	if v, ok := (*kept)[key]; ok {
		return v
	}
	if *kept == nil {
		*kept = map[int32]V{}
	}
	v := fill()
	(*kept)[key] = v
	return v
}

// origin is one place where a name gets its value.
type origin struct {
	full  string // the dotted name called or read, imports resolved
	line  int
	scope int32
}

type class struct {
	bases []string // imports resolved
	index int32
}

// call is a call with its names resolved.
type call struct {
	pysyntax.NestCall
	full string // Func with its first name replaced by what imports bound it to
	args map[string]bool
	line int
	// positional is the number of positional arguments.
	positional int
}

// factsOf reads a module in three passes over its statements: imports come
// first, because a function may use what is imported below it.
func factsOf(src string) *facts {
	f := &facts{
		n: pysyntax.NestOf(src), imports: map[string]string{}, tops: map[string]bool{},
		origins: map[string][]origin{}, classes: map[string]class{}, byStmt: map[int32][2]int{},
		compiles: map[string][]int32{},
	}
	f.memo.tapes = map[string][]int32{}
	f.spans()
	for i := range f.n.Statements {
		for _, imp := range f.n.ImportsOf(int32(i)) {
			f.addImport(imp)
		}
	}
	for i, s := range f.n.Statements {
		f.addCalls(int32(i))
		switch s.Kind {
		case "":
			f.assignment(int32(i))
		case "with":
			f.withItems(int32(i))
		case "def":
			f.annotations(int32(i))
		case "class":
			f.class(int32(i))
		}
	}
	return f
}

// spans fills last: statements are in order, so a body is a range of them.
func (f *facts) spans() {
	n := len(f.n.Statements)
	f.last = make([]int32, n)
	for i := n - 1; i >= 0; i-- {
		f.last[i] = max(f.last[i], int32(i)+1)
		if p := f.n.Statements[i].Parent; p >= 0 {
			f.last[p] = max(f.last[p], f.last[i])
		}
		if h := f.n.Statements[i].Head; int(h) != i {
			f.last[h] = max(f.last[h], f.last[i])
		}
	}
}

func (f *facts) addImport(imp pysyntax.Import) {
	if top, _, _ := strings.Cut(imp.Module, "."); top != "" {
		f.tops[top] = true // relative imports have no top: they say nothing of frameworks
	}
	for _, name := range imp.Names {
		as := name.Alias
		if as == "" {
			as = name.Name
		}
		f.imports[as] = imp.Module + "." + name.Name
	}
	switch top, _, _ := strings.Cut(imp.Module, "."); {
	case len(imp.Names) > 0:
	case imp.Alias != "":
		f.imports[imp.Alias] = imp.Module
	default:
		f.imports[top] = top
	}
}

// resolve replaces the first part of a dotted name by what imports bound it to.
func (f *facts) resolve(dotted string) string {
	first, rest, more := strings.Cut(dotted, ".")
	full, ok := f.imports[first]
	switch {
	case !ok:
		return dotted
	case more:
		return full + "." + rest
	}
	return full
}

// addCalls notes the calls of statement i, with the compile of models and the
// uses of tapes on the side: both are asked for by name later.
func (f *facts) addCalls(i int32) {
	before := len(f.calls)
	for _, c := range f.n.Calls(i) {
		k := call{NestCall: c, args: map[string]bool{}, line: int(f.n.Tokens[c.Token].Line)}
		if c.Func != "" {
			k.full = f.resolve(c.Func)
		}
		f.arguments(&k)
		f.calls = append(f.calls, k)
		if usesTape(&k) {
			f.memo.tapes[k.Receiver] = append(f.memo.tapes[k.Receiver], i)
		}
		if k.Method == "compile" && k.full != "re.compile" && (k.args["loss"] || k.args["optimizer"] || k.positional > 0) && len(f.compiles[k.Receiver]) < maxOrigins {
			f.compiles[k.Receiver] = append(f.compiles[k.Receiver], i)
		}
	}
	if len(f.calls) > before {
		f.byStmt[i] = [2]int{before, len(f.calls)}
	}
}

// arguments reads the names of the keyword arguments and counts the others.
func (f *facts) arguments(c *call) {
	inside := f.n.Tokens[c.Open].Depth + 1
	begins := true
	for at := c.Open + 1; at < min(c.Close, c.Open+maxTokens) && len(c.args) < maxArguments; at++ {
		t := f.n.Tokens[at]
		if t.Pair > at {
			at = t.Pair // not an argument's first word, or its whole
			if begins {
				c.positional++
			}
			begins = false
			continue
		}
		switch {
		case t.Depth != inside:
		case f.n.Text(at) == ",":
			begins = true
			continue
		case begins && f.n.Text(at+1) == "=" && t.Kind == pysyntax.NameToken:
			c.args[f.n.Text(at)] = true
		case begins:
			c.positional++
		}
		begins = false
	}
}

// maxTokens bounds the tokens between the arguments of one call, so that
// brackets that are never closed cost no square (guess).
const maxTokens = 1000

// maxArguments bounds the keyword arguments that are read of one call (guess:
// the longest signature of Keras has 20).
const maxArguments = 100

// assignment notes what the targets of statement i get: the first call of the
// value, or the dotted name that it is. "a, b = f(), g()" goes pairwise.
func (f *facts) assignment(i int32) {
	first, last := f.n.Value(i)
	s := f.n.Statements[i]
	if first >= last {
		return
	}
	targets, values := f.split(s.First, first-1), f.split(first, last)
	for k, target := range targets {
		value := values[0]
		if len(targets) == len(values) {
			value = values[k]
		} else if len(targets) > 1 && len(values) > 1 {
			continue // starred: which value goes where is not worth knowing
		}
		full := f.valueName(value[0], value[1])
		if full == "" {
			continue
		}
		o := origin{full: full, line: int(s.Line), scope: f.n.Scope(i)}
		for at := target[0]; at < target[1]; at++ {
			if f.n.Identifier(at) && f.n.Text(at-1) != "." {
				name, _ := f.n.Chain(at)
				f.addOrigin(name, o)
				if f.n.Text(at+1) == ":" {
					break // an annotation
				}
			}
		}
	}
}

// split cuts the tokens at the commas of their own depth. An assignment has
// few; what has more is a table.
func (f *facts) split(first, last int32) [][2]int32 {
	var parts [][2]int32
	begin := first
	for at := first; at < last && len(parts) < maxArguments; at++ {
		if t := f.n.Tokens[at]; t.Pair > at {
			at = t.Pair
		} else if f.n.Text(at) == "," {
			parts = append(parts, [2]int32{begin, at})
			begin = at + 1
		}
	}
	if begin < last {
		parts = append(parts, [2]int32{begin, last})
	}
	return parts
}

// maxOrigins bounds the places that are kept of one name (guess).
const maxOrigins = 200

func (f *facts) addOrigin(name string, o origin) {
	if len(f.origins[name]) < maxOrigins {
		f.origins[name] = append(f.origins[name], o)
	}
}

// valueName is the dotted name that a value is or calls.
func (f *facts) valueName(first, last int32) string {
	for at := first; at < last; at++ {
		if f.n.Identifier(at) {
			name, _ := f.n.Chain(at)
			return f.resolve(name)
		}
		if t := f.n.Text(at); t != "(" && t != "await" && t != "[" {
			return "" // a literal or an operator
		}
	}
	return ""
}

// withItems notes what "with X() as name" binds.
func (f *facts) withItems(i int32) {
	s := f.n.Statements[i]
	begin := s.First + 1
	for at := begin; at+1 < s.Last; at++ {
		switch f.n.Text(at) {
		case "as":
			if full := f.valueName(begin, at); full != "" && f.n.Identifier(at+1) {
				target, _ := f.n.Chain(at + 1)
				f.addOrigin(target, origin{full, int(s.Line), f.n.Scope(i)})
			}
		case ",":
			if f.n.Tokens[at].Depth == f.n.Tokens[s.First].Depth {
				begin = at + 1
			}
		}
	}
}

// annotations notes "name: Class" of the parameters of def i.
func (f *facts) annotations(i int32) {
	for _, p := range f.n.Params(i) {
		o := origin{line: int(f.n.Tokens[p.Token].Line), scope: i}
		if f.n.Text(p.Token+1) == ":" && f.n.Identifier(p.Token+2) {
			name, _ := f.n.Chain(p.Token + 2)
			o.full = f.resolve(name)
		}
		f.addOrigin(p.Name, o)
	}
}

// class notes the base classes of class i.
func (f *facts) class(i int32) {
	s := f.n.Statements[i]
	c := class{index: i}
	for at := s.First + 3; at < s.Last; at++ {
		if before := f.n.Text(at - 1); f.n.Identifier(at) && (before == "(" || before == ",") && f.n.Text(at+1) != "=" {
			name, _ := f.n.Chain(at)
			c.bases = append(c.bases, f.resolve(name))
		}
	}
	f.classes[s.Name] = c
}

// originOf is what the name last got before statement i in its scope, else in
// one around it: of a function's own assignments first, then the module's. An
// attribute of self is looked for in the whole module.
func (f *facts) originOf(name string, i int32) (origin, bool) {
	all := f.origins[name]
	if len(all) == 0 {
		return origin{}, false
	}
	if strings.Contains(name, ".") {
		return all[0], true // __init__ stands first, and what it makes lasts longest
	}
	line := int(f.n.Statements[i].Line)
	for scope := f.n.Scope(i); ; scope = f.n.Scope(scope) {
		after := -1 // a loop in a function may use what is made below the function
		for k := len(all) - 1; k >= 0; k-- {
			if all[k].scope == scope && all[k].line <= line {
				return all[k], true
			}
			if all[k].scope == scope {
				after = k
			}
		}
		if after >= 0 {
			return all[after], true
		}
		if scope < 0 {
			return origin{}, false
		}
	}
}

// any says whether one of the modules is imported.
func (f *facts) any(tops ...string) bool {
	for _, top := range tops {
		if f.tops[top] {
			return true
		}
	}
	return false
}
