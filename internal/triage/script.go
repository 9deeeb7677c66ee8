package triage

import (
	"sort"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
)

// script is the code chosen from a report and what is known of it. The zero
// script is "no script": file is never nil, but holds no statement.
type script struct {
	blocks []int
	source string
	file   *pysyntax.File
	// echoes: typed at a prompt, so that bare expressions print their value.
	echoes bool
	gaps   []gap
	// made are the files and downloads that can be stood in for, because the
	// script says what they have to look like. What they hold is made up.
	made []gap
	// others are the blocks of further scripts of the report.
	others [][]int
}

func (s script) none() bool     { return len(s.blocks) == 0 }
func (s script) complete() bool { return !s.none() && len(s.gaps) == 0 }

// prints says whether the script shows anything of its own accord.
func (s script) prints() bool { return s.echoes || len(s.file.Prints) > 0 }

func (s script) lines() int {
	if s.none() {
		return 0
	}
	return strings.Count(strings.TrimSpace(s.source), "\n") + 1
}

// part is one block of code before it is known whether it belongs to the script.
type part struct {
	block  int
	source string
	file   *pysyntax.File
	binds  map[string]bool
	needs  []string
}

// maxParts bounds the work on a report full of code: joining looks at pairs.
const maxParts = 64

// chooseScript picks the blocks that form the reporter's script. Blocks that
// use names of earlier ones are joined with them; of several scripts the one
// that is said to fail is taken, and the others are kept as further choices.
func chooseScript(rd *reading) script {
	parts := codeParts(rd.r)
	if len(parts) == 0 {
		return script{file: pysyntax.Parse("")}
	}
	var all []choice
	for _, g := range joinParts(parts, rd.r) {
		s := buildScript(rd.r, g)
		all = append(all, choice{s, rankScript(rd.r, g, s), lean(rd.r, g[len(g)-1])})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score > all[j].score })
	best := all[0].script
	if all[0].lean <= leanFix && !best.complete() {
		// A line of a proposed fix is no part of a script that somebody could finish.
		return script{file: pysyntax.Parse("")}
	}
	if onlyNamesVersions(rd.r, best) {
		return script{file: pysyntax.Parse("")}
	}
	best.others = otherChoices(all)
	return best
}

// choice is one way to put blocks together.
type choice struct {
	script
	score, lean int
}

// maxAlternatives bounds the further choices: each costs executions.
const maxAlternatives = 3

// otherChoices are the blocks of the scripts that were not taken. A proposed
// fix, a quotation of the library and a list of versions are no scripts, and
// what lacks more than the first choice would not run.
func otherChoices(all []choice) [][]int {
	var others [][]int
	for _, c := range all[1:] {
		if c.lean > leanFix && len(c.gaps) <= len(all[0].gaps) && !onlyVersions(c.file) && !onlyDefined(c.file) && len(others) < maxAlternatives {
			others = append(others, c.blocks)
		}
	}
	return others
}

// codeParts are the blocks that can be part of a script. Code under an
// "expected" heading is what should hold, not what was run.
func codeParts(r *report.Report) []part {
	var parts []part
	for i, b := range r.Blocks {
		isCode := b.Kind == report.BlockPython || b.Kind == report.BlockREPL
		if !isCode || b.Role == report.RoleExpected || len(parts) == maxParts {
			continue
		}
		src := blockSource(b)
		file := pysyntax.Parse(src)
		if len(file.SyntaxErrors) > 0 || len(file.Undefined()) > 0 {
			// What a paste lost, the candidate room repairs in the same way.
			if fixed, fixes := pysyntax.Repair(src); len(fixes) > 0 {
				src, file = fixed, pysyntax.Parse(fixed)
			}
		}
		if len(file.Statements) == 0 {
			continue // an empty template block, or comments only
		}
		parts = append(parts, part{
			block: i, source: src, file: file, binds: bindings(file), needs: undefinedNames(file),
		})
	}
	return parts
}

// blockSource is the Python of a block: prompts, outputs and shell lines out.
func blockSource(b report.Block) string {
	if b.Kind == report.BlockREPL {
		return transcriptSource(b)
	}
	magic := make(map[string]bool, len(b.Magics))
	for _, m := range b.Magics {
		magic[strings.TrimSpace(m)] = true
	}
	lines := strings.Split(b.Text, "\n")
	kept := lines[:0]
	for _, l := range lines {
		t := strings.TrimSpace(l)
		if t != "" && (magic[t] || t[0] == '!' || isMagic(t)) {
			continue
		}
		kept = append(kept, l)
	}
	return strings.Join(kept, "\n")
}

// isMagic tells "%matplotlib inline" and "%%time" from a line that continues a
// modulo or string format.
func isMagic(line string) bool {
	name := strings.TrimLeft(line, "%")
	return len(name) < len(line) && name != "" && name[0] >= 'a' && name[0] <= 'z'
}

func transcriptSource(b report.Block) string {
	var code []string
	for _, c := range b.Cells {
		code = append(code, strings.TrimRight(c.Code, "\n"))
	}
	if len(code) > 0 {
		return strings.Join(code, "\n")
	}
	for _, l := range strings.Split(b.Text, "\n") {
		for _, prompt := range []string{">>> ", "... "} {
			if rest, ok := strings.CutPrefix(l, prompt); ok {
				code = append(code, rest)
			}
		}
	}
	return strings.Join(code, "\n")
}

// bindings are the names that a part binds at module scope.
func bindings(f *pysyntax.File) map[string]bool {
	names := map[string]bool{}
	for _, imp := range f.Imports {
		for _, n := range imp.Names {
			names[firstOf(n.Alias, n.Name)] = true
		}
		if len(imp.Names) == 0 {
			names[firstOf(imp.Alias, topName(imp.Module))] = true
		}
	}
	for _, d := range f.Defined {
		if d.Scope == "" {
			names[d.Name] = true
		}
	}
	for _, a := range f.Assigns {
		if a.Scope == "" && a.Kind == "name" {
			names[a.Target] = true
		}
	}
	delete(names, "")
	return names
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func topName(dotted string) string {
	top, _, _ := strings.Cut(dotted, ".")
	return top
}

// undefinedNames are the distinct names that nothing binds, in order.
func undefinedNames(f *pysyntax.File) []string {
	var names []string
	seen := map[string]bool{}
	for _, n := range f.Undefined() {
		if !seen[n.Name] && !ambient[n.Name] {
			seen[n.Name] = true
			names = append(names, n.Name)
		}
	}
	return names
}

// buildScript joins the parts of a group and looks for what is missing.
func buildScript(r *report.Report, group []part) script {
	var s script
	var sources []string
	for _, p := range group {
		s.blocks = append(s.blocks, p.block)
		s.echoes = s.echoes || r.Blocks[p.block].Kind == report.BlockREPL
		sources = append(sources, strings.TrimRight(p.source, "\n"))
	}
	s.source = strings.Join(sources, "\n") + "\n"
	s.file = group[0].file
	if len(group) > 1 {
		s.file = pysyntax.Parse(s.source)
	}
	s.gaps, s.made = withoutStandIns(s.file, findGaps(s.file))
	for _, p := range group {
		if r.Blocks[p.block].Cut == report.CutCode {
			s.gaps = append(s.gaps, gap{gapBelow, "", strings.Count(p.source, "\n") + 1})
		}
	}
	return s
}
