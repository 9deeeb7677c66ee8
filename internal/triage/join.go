package triage

import (
	"sort"

	"github.com/repgen/repgen/internal/report"
)

// joinParts groups parts into scripts. A part is joined with the nearest
// earlier ones that bind the names it needs, and with what those need. Two
// parts that need the same beginning, and of which neither is called the good
// one, are cells of one notebook and stay together; parts that share nothing
// are alternatives.
func joinParts(parts []part, r *report.Report) [][]part {
	needed := make([]map[int]bool, len(parts)) // part -> all earlier parts it rests on
	isSink := make([]bool, len(parts))
	late := suppliers(parts)
	for i := range parts {
		if late[i] {
			continue
		}
		needed[i] = directNeeds(parts, i)
		isSink[i] = true
		for j := range copyOf(needed[i]) {
			isSink[j] = false
			for k := range needed[j] {
				needed[i][k] = true
			}
		}
	}
	var groups []map[int]bool
	for i := range parts {
		if !isSink[i] {
			continue
		}
		group := copyOf(needed[i])
		group[i] = true
		groups = mergeNotebook(groups, group, parts, r)
	}
	joined := make([][]part, 0, len(groups))
	for _, g := range groups {
		joined = append(joined, inOrder(parts, g))
	}
	for i, g := range joined {
		joined[i] = definedLater(g, parts, late, r)
	}
	return joined
}

// suppliers are parts that hold nothing but the definitions that an earlier
// part needs: the report shows its script first, and then one or several
// definitions to go with it ("with this model it works, with that one it
// fails"). They are no scripts of their own.
func suppliers(parts []part) map[int]bool {
	late := map[int]bool{}
	for i, p := range parts {
		have := directNeeds(parts, i)
		for j := i + 1; j < len(parts); j++ {
			if onlyDefinitions(parts[j]) && !inheritsFrom(parts[j], p) && supplies(parts, have, p, parts[j]) {
				late[j] = true
			}
		}
	}
	return late
}

// supplies: q binds a name that p needs and that nothing before p binds.
func supplies(parts []part, have map[int]bool, p, q part) bool {
	for _, name := range p.needs {
		bound := false
		for j := range have {
			bound = bound || parts[j].binds[name]
		}
		if !bound && q.binds[name] {
			return true
		}
	}
	return false
}

// inheritsFrom: a class of q has a base that p imports, so that q cannot stand
// in front of p.
func inheritsFrom(q, p part) bool {
	for _, d := range q.file.Defined {
		for _, base := range d.Bases {
			if p.binds[topName(base)] && !q.binds[topName(base)] {
				return true
			}
		}
	}
	return false
}

// definedLater puts the supplier of each name in front of the script that needs
// it: the one that is said to fail where there are several.
func definedLater(group, parts []part, late map[int]bool, r *report.Report) []part {
	bound := map[string]bool{}
	var wanted []string
	for _, p := range group {
		for name := range p.binds {
			bound[name] = true
		}
		wanted = append(wanted, p.needs...)
	}
	for _, name := range wanted {
		best := -1
		for j, q := range parts {
			if late[j] && !bound[name] && q.binds[name] && (best < 0 || lean(r, q) > lean(r, parts[best])) {
				best = j
			}
		}
		if best >= 0 {
			group = append([]part{parts[best]}, group...)
			for n := range parts[best].binds {
				bound[n] = true
			}
		}
	}
	return group
}

// directNeeds are, for each name that part i needs, the nearest earlier part
// that binds it.
func directNeeds(parts []part, i int) map[int]bool {
	found := map[int]bool{}
	for _, name := range parts[i].needs {
		for j := i - 1; j >= 0; j-- {
			if parts[j].binds[name] {
				found[j] = true
				break
			}
		}
	}
	return found
}

// mergeNotebook adds a group to the first one with a common beginning, unless
// the words before one of them say that they are alternatives.
func mergeNotebook(groups []map[int]bool, group map[int]bool, parts []part, r *report.Report) []map[int]bool {
	if groupLean(group, parts, r) != 0 {
		return append(groups, group)
	}
	for _, g := range groups {
		if shares(g, group) && groupLean(g, parts, r) == 0 {
			for i := range group {
				g[i] = true
			}
			return groups
		}
	}
	return append(groups, group)
}

func shares(a, b map[int]bool) bool {
	for i := range a {
		if b[i] {
			return true
		}
	}
	return false
}

func copyOf(set map[int]bool) map[int]bool {
	c := make(map[int]bool, len(set))
	for i := range set {
		c[i] = true
	}
	return c
}

func inOrder(parts []part, group map[int]bool) []part {
	idx := make([]int, 0, len(group))
	for i := range group {
		idx = append(idx, i)
	}
	sort.Ints(idx)
	ordered := make([]part, 0, len(idx))
	for _, i := range idx {
		ordered = append(ordered, parts[i])
	}
	return ordered
}

// groupLean is the lean of the last part of a group.
func groupLean(group map[int]bool, parts []part, r *report.Report) int {
	ordered := inOrder(parts, group)
	return lean(r, ordered[len(ordered)-1])
}
