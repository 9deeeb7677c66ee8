package pysyntax

import (
	"cmp"
	"slices"
)

// Reference is a name that is read.
type Reference struct {
	// Name is the dotted name as far as it is plain ("layers.Dense"); that of
	// "super().build" is "super.build".
	Name      string
	Token     int32
	Statement int32
	// Scope is the def or class whose names the reference sees first, -1 for
	// the module: that of the statement, for a header the one around it.
	Scope int32
}

// References are the names that are read between the bytes start and end,
// without those bound within their expression (comprehensions, lambdas).
// Names that the code around binds are among them.
func (n *Nested) References(start, end int) []Reference {
	r := &referrer{n: n, start: int32(start), end: int32(end)}
	i, _ := slices.BinarySearchFunc(n.Statements, int32(start), func(s Nest, at int32) int {
		return cmp.Compare(n.tokenEnd(s.Last-1), at)
	})
	for ; i < len(n.Statements); i++ {
		s := n.Statements[i]
		if n.Tokens[s.First].Start >= r.end {
			break
		}
		r.statement(int32(i), s)
	}
	return r.out
}

func (n *Nested) tokenEnd(i int32) int32 {
	if i < 0 {
		return 0
	}
	return n.Tokens[i].End
}

// maxTargets bounds the tokens between "for" and "in" of a comprehension and of
// a lambda's parameters, so that broken text costs no square (guess).
const maxTargets = 200

// referrer collects references. The names bound within an expression are
// counted while their bracket is open, so that each token costs the same.
type referrer struct {
	n          *Nested
	start, end int32
	out        []Reference
	local      map[string]int     // names bound by what is open
	bound      map[int32][]string // by opening bracket: bound by its comprehension
	open       []opened
}

// opened is what ends with a bracket: the names that were bound in it.
type opened struct {
	end   int32
	names []string
}

func (r *referrer) statement(i int32, s Nest) {
	n := r.n
	switch s.Kind {
	case "import", "from", "global", "nonlocal":
		return
	}
	r.local, r.bound, r.open = map[string]int{}, map[int32][]string{}, r.open[:0]
	r.comprehensions(s)
	scope := n.Scope(i)
	for at := s.First; at < s.Last; at++ {
		r.closed(at)
		t := n.Tokens[at]
		switch {
		case t.Kind == OpToken && t.Pair > at:
			r.bind(t.Pair, r.bound[at])
		case t.Kind != NameToken:
		case n.is(at, "lambda"):
			end := n.lambdaEnds(at, s.Last)
			r.bind(r.enclosingEnd(s.Last), n.names(n.lambdaParams(at+1, end)))
		case t.Start < r.start || t.End > r.end || !n.Identifier(at) || !r.reads(at, s):
		default:
			at = r.reference(i, scope, at, s.Last)
		}
	}
}

// reference records the dotted name at the token at and returns its last token.
func (r *referrer) reference(i, scope, at, last int32) int32 {
	n := r.n
	name, after := n.Chain(at)
	if name == "super" && n.is(at+1, "(") && n.Tokens[at+1].Pair > at {
		if dot := n.Tokens[at+1].Pair + 1; dot+1 < last && n.is(dot, ".") {
			name = "super." + n.Text(dot+1)
		}
	}
	if r.local[n.Text(at)] == 0 {
		r.out = append(r.out, Reference{Name: name, Token: at, Statement: i, Scope: scope})
	}
	return after - 1
}

// reads: the name is neither bound here nor the name of an argument.
func (r *referrer) reads(at int32, s Nest) bool {
	n := r.n
	switch {
	case n.is(at-1, "."), n.is(at+1, ":="):
		return false
	case s.Kind == "def" || s.Kind == "class":
		if n.is(at-1, "def") || n.is(at-1, "class") {
			return false
		}
		base := n.Tokens[s.First].Depth
		if s.Kind == "def" && n.Tokens[at].Depth == base+1 && n.beginsParam(at) {
			return false
		}
	}
	// "name=" in a bracket is a keyword or a default; in braces it is an
	// f-string's.
	return !n.is(at+1, "=") || n.Tokens[at].Depth == n.Tokens[s.First].Depth || n.is(at+2, "}")
}

func (r *referrer) bind(end int32, names []string) {
	if len(names) == 0 {
		return
	}
	for _, name := range names {
		r.local[name]++
	}
	r.open = append(r.open, opened{end, names})
}

func (r *referrer) closed(at int32) {
	for len(r.open) > 0 && r.open[len(r.open)-1].end <= at {
		last := len(r.open) - 1
		for _, name := range r.open[last].names {
			r.local[name]--
		}
		r.open = r.open[:last]
	}
}

// enclosingEnd is where the innermost open bracket that binds names ends: a
// lambda's parameters last at most that long.
func (r *referrer) enclosingEnd(last int32) int32 {
	if n := len(r.open); n > 0 {
		return r.open[n-1].end
	}
	return last
}

// comprehensions notes by their bracket which names they bind.
func (r *referrer) comprehensions(s Nest) {
	n := r.n
	var open []int32
	for at := s.First; at < s.Last; at++ {
		t := n.Tokens[at]
		switch {
		case t.Kind == OpToken && t.Pair > at:
			open = append(open, at)
		case t.Kind == OpToken && t.Pair >= 0 && len(open) > 0:
			open = open[:len(open)-1]
		case t.Kind == NameToken && len(open) > 0 && n.is(at, "for"):
			at0 := open[len(open)-1]
			last := min(n.Tokens[at0].Pair, at+maxTargets)
			in := n.find(at, last, "in")
			if in >= last {
				continue
			}
			r.bound[at0] = append(r.bound[at0], n.names(n.targets(at+1, in))...)
		}
	}
}

func (n *Nested) names(tokens []int32) []string {
	out := make([]string, 0, len(tokens))
	for _, t := range tokens {
		out = append(out, n.Text(t))
	}
	return out
}

// lambdaEnds is the colon of the lambda at the token at.
func (n *Nested) lambdaEnds(at, last int32) int32 {
	last = min(last, at+maxTargets)
	for end := at + 1; end < last; end++ {
		if n.Tokens[end].Depth < n.Tokens[at].Depth {
			return end
		}
		if n.Tokens[end].Depth == n.Tokens[at].Depth && n.is(end, ":") {
			return end
		}
	}
	return last
}

func (n *Nested) lambdaParams(first, last int32) []int32 {
	var out []int32
	for at := first; at < last; at++ {
		if n.Identifier(at) && n.Tokens[at].Depth == n.Tokens[first-1].Depth && (at == first || n.is(at-1, ",") || n.is(at-1, "*") || n.is(at-1, "**")) {
			out = append(out, at)
		}
	}
	return out
}
