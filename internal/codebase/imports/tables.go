package imports

import (
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
)

// literal is the value of a plain string token, "" for any other.
func literal(n *pysyntax.Nested, i int32) string {
	if int(i) >= len(n.Tokens) || n.Tokens[i].Kind != pysyntax.StringToken {
		return ""
	}
	text := strings.TrimLeft(n.Text(i), "rRuU")
	for _, q := range []string{`"""`, "'''", `"`, "'"} {
		if len(text) >= 2*len(q) && strings.HasPrefix(text, q) && strings.HasSuffix(text, q) {
			return text[len(q) : len(text)-len(q)]
		}
	}
	return ""
}

// tables reads what module-level assignment or call i says of the module's
// names: __all__, __path__, and tables for __getattr__.
func (d *detail) tables(s *summary, i int32) {
	n := d.n
	st := n.Statements[i]
	switch n.Text(st.First) {
	case "__all__":
		if s.all == nil {
			s.all = map[string]bool{}
		}
		for at := st.First + 1; at < st.Last; at++ {
			if name := literal(n, at); name != "" {
				s.all[name] = true
			}
			if n.Identifier(at) { // built from something else: it says too little
				s.all["*"] = true
			}
		}
	case "__path__":
		for at := st.First + 1; at < st.Last; at++ {
			if name := literal(n, at); name != "" && !strings.ContainsAny(name, `\:`) {
				s.paths = append(s.paths, strings.Trim(name, "./"))
			}
		}
	default:
		d.lazyTable(s, st)
	}
}

// lazyTable reads the dictionaries of one statement, of the three usual forms:
// {"module": ["name", ...]}, {"name": "module"} and {"name": ("module",
// "name")}. They count where the module has a __getattr__, or hands the table
// to what makes one.
func (d *detail) lazyTable(s *summary, st pysyntax.Nest) {
	if !d.lazy {
		return
	}
	n := d.n
	for at := st.First; at+2 < st.Last; at++ {
		key := literal(n, at)
		if key == "" || n.Text(at+1) != ":" && n.Text(at+1) != "]" {
			continue
		}
		value := at + 2
		if n.Text(at+1) == "]" {
			value++ // table["module"] = [...]
		}
		switch open := n.Text(value); {
		case open == "[" && n.Tokens[value].Pair > value:
			for k := value + 1; k < n.Tokens[value].Pair; k++ {
				s.lazyName(literal(n, k), lazyName{relativeTo(key), literal(n, k)})
			}
			at = n.Tokens[value].Pair
		case open == "(":
			s.lazyName(key, lazyName{literal(n, value+1), literal(n, value+3)})
		default:
			module, attr, ok := strings.Cut(literal(n, value), ":")
			if !ok {
				attr = key
			}
			s.lazyName(key, lazyName{module, attr})
		}
	}
}

// relativeTo reads the key of a table of submodules, which stands for a module
// of the package.
func relativeTo(key string) string {
	if strings.HasPrefix(key, ".") {
		return key
	}
	return "." + key
}

func (s *summary) lazyName(name string, from lazyName) {
	if name == "" || from.module == "" {
		return
	}
	if _, ok := s.lazy[name]; !ok {
		s.lazy[name] = from
	}
}

// makesNames: names of the module may be made when they are asked for.
func (d *detail) makesNames() bool {
	return len(d.scopes[-1]["__getattr__"]) > 0 || strings.Contains(d.n.Source, "_LazyModule") || strings.Contains(d.n.Source, "lazy_loader")
}

// exported reads decorator i when it gives its definition a public name, the
// way of @keras_export("keras.layers.Dense") and @tf_export.
func (d *detail) exported(s *summary, i int32) {
	n := d.n
	st := n.Statements[i]
	name, after := n.Chain(st.First + 1)
	if !strings.HasSuffix(name, "_export") || n.Text(after) != "(" {
		return
	}
	of := i + 1
	for int(of) < len(n.Statements) && n.Statements[of].Kind == "@" {
		of++
	}
	if int(of) >= len(n.Statements) || n.Statements[of].Name == "" || n.Scope(of) >= 0 {
		return
	}
	x := n.Statements[of]
	made := def{
		name: x.Name, kind: pysyntax.BindDef, class: x.Kind == "class", start: x.Start, end: x.End,
		line: x.Line, endLine: x.EndLine, always: true, single: true,
	}
	for at := after + 1; at < st.Last; at++ {
		if public := literal(n, at); public != "" {
			s.exports = append(s.exports, export{public, made})
		}
	}
}

// dynamic are the imports by a literal name: importlib.import_module("x") and
// __import__("x").
func (d *detail) dynamic() []pysyntax.Import {
	if !strings.Contains(d.n.Source, "import_module") && !strings.Contains(d.n.Source, "__import__") {
		return nil
	}
	var out []pysyntax.Import
	for i, st := range d.n.Statements {
		for at := st.First; at+2 < st.Last; at++ {
			if word := d.n.Text(at); word != "import_module" && word != "__import__" || d.n.Text(at+1) != "(" {
				continue
			}
			if name := literal(d.n, at+2); name != "" {
				out = append(out, pysyntax.Import{
					Module: name, Dynamic: true, Line: int(st.Line), TopLevel: d.n.Scope(int32(i)) < 0,
				})
			}
		}
	}
	return out
}
