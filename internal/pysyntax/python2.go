package pysyntax

import (
	"regexp"
	"strings"
)

// old are the forms of Python 2 that the grammar takes without a word and that
// Python 3 refuses. The text says which, "" for anything else.
func (c *collector) old(n *node) string {
	switch n.kind {
	case "except_clause":
		// Python 3.14 reads "except A, B:" as two classes; a name in lower case
		// is a variable.
		if alias := n.get("alias"); alias != nil && strings.ToLower(c.text(alias)) == c.text(alias) {
			return "except clause of Python 2"
		}
	case "raise_statement":
		if kids := n.namedKids(); len(kids) == 1 && kids[0].kind == "expression_list" {
			return "raise statement of Python 2"
		}
	case "comparison_operator":
		for _, k := range n.kids {
			if k.kind == "<>" {
				return "comparison of Python 2"
			}
		}
	case "integer":
		if oldInteger.MatchString(c.text(n)) {
			return "number of Python 2"
		}
	case "string":
		if len(n.kids) > 0 && (c.text(n.kids[0]) == "`" || oldPrefix.MatchString(c.text(n.kids[0]))) {
			return "string of Python 2"
		}
	case "parameters", "lambda_parameters":
		for _, k := range n.kids {
			if k.kind == "tuple_pattern" {
				return "tuple parameter of Python 2"
			}
		}
	}
	return ""
}

var (
	oldInteger = regexp.MustCompile(`(?i)^(\d+l|0\d*[1-9]\d*)$`)
	oldPrefix  = regexp.MustCompile(`(?i)^(ur|bu|ub)["']`)
)

// modern is Python 3's name for what Python 2 called otherwise. Where the
// meaning differs (long, unicode) only the name was lost.
var modern = map[string]string{
	"xrange": "range", "raw_input": "input", "unicode": "str", "basestring": "str",
	"long": "int", "unichr": "chr",
}

// movedModules are modules of Python 2's library under their names in Python 3.
var movedModules = map[string]string{
	"cPickle": "pickle", "Queue": "queue", "ConfigParser": "configparser", "__builtin__": "builtins",
	"Tkinter": "tkinter", "cStringIO": "io", "StringIO": "io", "urllib2": "urllib.request",
}

// lostMethods of dictionaries. Libraries had methods of the same names and lost
// them in releases of their own, so they count only beside other signs.
var lostMethods = map[string]string{"iteritems": "items", "itervalues": "values", "iterkeys": "keys"}

// Python2 are the changes that make Python 3 of Python 2, none for a source
// that shows no sign of it: a statement that Python 3 cannot read, or a built-in
// name that only Python 2 has. Division is left as it is written (see
// DividesIntegers).
func Python2(src string) []Change {
	f, t := parse(src)
	if t == nil {
		return nil
	}
	m := &moderniser{collector: collector{src: t.src, f: f, budget: maxSteps}, unbound: map[string]bool{}}
	for _, n := range f.Undefined() {
		m.unbound[n.Name] = true
	}
	t.root.walk(func(n *node) bool {
		m.modernise(n)
		return true
	})
	// Hints alone (iteritems, a module's old name) may be what the report is about.
	if !m.signs {
		return nil
	}
	return m.changes
}

type moderniser struct {
	collector
	unbound map[string]bool
	changes []Change
	signs   bool
}

// sign is a change that proves Python 2; hint one that is made beside a proof.
func (m *moderniser) sign(n Span, line int, after string) {
	m.signs = true
	m.hint(n, line, after)
}

func (m *moderniser) hint(at Span, line int, after string) {
	m.changes = append(m.changes, Change{
		Span: at, After: after, Line: line, Kind: "python2", Why: "written for Python 2",
	})
}

func (m *moderniser) modernise(n *node) {
	switch n.kind {
	case "print_statement":
		m.print(n)
	case "exec_statement":
		m.exec(n)
	case "identifier":
		if after := modern[m.text(n)]; after != "" && m.unbound[m.text(n)] && !namesArgument(n) {
			m.sign(span(n), n.line, after)
		}
	case "attribute":
		if name := n.get("attribute"); name != nil && lostMethods[m.text(name)] != "" {
			m.hint(span(name), name.line, lostMethods[m.text(name)])
		}
	case "import_statement":
		m.moved(n)
	default:
		if m.old(n) != "" {
			m.form(n)
		}
	}
}

// print becomes a call, with the file and the missing line end of the statement.
// What stands between the arguments stays, line ends included.
func (m *moderniser) print(n *node) {
	var args []*node
	file := ""
	for _, k := range n.namedKids() {
		if k.kind == "chevron" {
			file = ", file=" + strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(m.text(k)), ">>"))
			continue
		}
		args = append(args, k)
	}
	end := ""
	if strings.HasSuffix(strings.TrimRight(m.text(n), " \t"), ",") {
		end = `, end=" "`
	}
	switch {
	case len(args) == 0: // print >>f
		m.sign(span(n), n.line, "print("+strings.TrimPrefix(file, ", ")+")")
	case len(args) == 1 && file+end == "" && m.parenthesised(n):
		// print(x): read as a statement only because of an error around it
	default:
		last := args[len(args)-1]
		m.sign(Span{n.start, args[0].start}, n.line, "print(")
		m.sign(Span{last.end, n.end}, last.endLine, end+file+")")
	}
}

func (m *moderniser) parenthesised(n *node) bool {
	kids := n.namedKids()
	return len(kids) == 1 && (kids[0].kind == "parenthesized_expression" || kids[0].kind == "tuple")
}

func (m *moderniser) exec(n *node) {
	var parts []string
	for _, k := range n.namedKids() {
		parts = append(parts, m.text(k))
	}
	m.sign(span(n), n.line, "exec("+strings.Join(parts, ", ")+")")
}

// form rewrites what old recognised.
func (m *moderniser) form(n *node) {
	switch n.kind {
	case "except_clause":
		value, alias := n.get("value"), n.get("alias")
		if value != nil {
			m.sign(Span{value.end, alias.start}, n.line, " as ")
		}
	case "raise_statement":
		if parts := n.namedKids()[0].namedKids(); len(parts) >= 2 {
			m.sign(Span{parts[0].start, n.end}, n.line, m.text(parts[0])+"("+m.text(parts[1])+")")
		}
	case "comparison_operator":
		for _, k := range n.kids {
			if k.kind == "<>" {
				m.sign(span(k), k.line, "!=")
			}
		}
	case "integer":
		text := strings.TrimRight(m.text(n), "lL")
		// 0644 is octal, 0644L was so as well but nobody writes it.
		if digits := strings.TrimLeft(text, "0"); len(text) > 1 && text[0] == '0' && text == m.text(n) {
			text = "0o" + digits
		}
		m.sign(span(n), n.line, text)
	case "string":
		start := n.kids[0]
		if m.text(start) == "`" {
			m.sign(span(n), n.line, "repr("+strings.Trim(m.text(n), "`")+")")
			return
		}
		m.sign(Span{start.start, start.start + 2}, n.line, strings.Trim(strings.ToLower(m.text(start)[:2]), "u"))
	}
}

// moved imports a module of the standard library under its name of today.
func (m *moderniser) moved(n *node) {
	kids := n.all("name")
	if len(kids) != 1 {
		return
	}
	name, alias := kids[0], ""
	if name.kind == "aliased_import" {
		name, alias = name.get("name"), m.text(name.get("alias"))
	}
	old := m.text(name)
	if movedModules[old] == "" || n.above("try_statement") != nil {
		return
	}
	if alias == "" {
		alias = old
	}
	m.hint(span(n), n.line, "import "+movedModules[old]+" as "+alias)
}

// DividesIntegers says whether src divides with "/" or takes an element of, or
// sorts, what Python 3 gives as a view or iterator: where code for Python 2 runs
// on Python 3 these may give other results without an error.
func DividesIntegers(src string) bool {
	_, t := parse(src)
	if t == nil {
		return false
	}
	found := false
	t.root.walk(func(n *node) bool {
		switch n.kind {
		case "binary_operator":
			if kids := n.namedKids(); len(kids) == 2 {
				found = found || strings.TrimSpace(t.src[kids[0].end:kids[1].start]) == "/"
			}
		case "augmented_assignment":
			if left, right := n.get("left"), n.get("right"); left != nil && right != nil {
				found = found || strings.TrimSpace(t.src[left.end:right.start]) == "/="
			}
		case "call":
			switch lastPart(t.src[n.start:max(n.start, n.end)]) {
			case "keys()", "values()", "items()":
				found = found || n.parent != nil && n.parent.kind == "subscript"
			}
		}
		return !found
	})
	return found
}
