package query

import (
	"cmp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// Weights of a name by where it is written, beside a word of prose. Backticks
// and titles are the reporter's own emphasis; a script holds much that only
// leads up to the bug (guesses, checked on reports with known places).
var nameWeight = map[Origin]float64{
	InTitle: 1.5, InInline: 1.5, InProse: 1.2, InMessage: 1.2, InTraceback: 0.8, InCode: 0.7,
}

// ownCall is the weight of a method called on a variable ("model.fit"), whose
// class is not known, beside an imported name.
const ownCall = 0.6

// nameSet collects names: each once, with its highest weight.
type nameSet struct {
	at   map[string]int
	list []Name
}

func (s *nameSet) add(text string, o Origin, factor float64) {
	text = strings.Trim(text, ".")
	if len(text) < 2 || len(text) > 120 || !strings.ContainsFunc(text, func(c rune) bool { return c != '_' && c != '.' }) || boring[text] {
		return
	}
	w := nameWeight[o] * factor
	if i, ok := s.at[text]; ok {
		if w > s.list[i].Weight {
			s.list[i].Weight, s.list[i].Origin = w, o
		}
		return
	}
	if s.at == nil {
		s.at = map[string]int{}
	}
	s.at[text] = len(s.list)
	s.list = append(s.list, Name{text, w, o})
}

// boring are names of any script.
var boring = map[string]bool{
	"self": true, "cls": true, "print": true, "len": true, "range": true, "int": true, "float": true, "str": true,
	"list": true, "dict": true, "tuple": true, "set": true, "type": true, "None": true, "True": true, "False": true,
	"__name__": true, "__main__": true, "super": true, "isinstance": true, "enumerate": true, "zip": true,
	"__init__": true, "sum": true, "max": true, "min": true, "abs": true, "bool": true, "object": true, "e.g": true, "i.e": true,
	"NaN": true, "NaNs": true, "PyTorch": true, "TensorFlow": true, "GitHub": true, "macOS": true, "MacOS": true, "pip": true,
}

// names are the identifiers that the report writes, and what it names as files
// or modules.
func names(r *report.Report, q Query) ([]Name, []string) {
	s := &nameSet{}
	// Prose writes names as the script imports them ("eqx.nn.RMSNorm"): the
	// imports of the block with most of them resolve both.
	script := &pysyntax.File{}
	for _, b := range r.Blocks {
		if code := blockCode(b); code != "" {
			f := pysyntax.Parse(code)
			codeNames(s, f)
			if len(f.Imports) > len(script.Imports) {
				script = f
			}
		}
	}
	proseNames(s, r.Title, InTitle, script)
	proseNames(s, q.Observed, InProse, script)
	proseNames(s, q.Message, InMessage, script)
	quoted(s, q.Message)
	// Functions of frames are names too, for projects in which the frame's file
	// is not found.
	for _, f := range q.Frames {
		if f.Function != "" && !strings.HasPrefix(f.Function, "<") {
			s.add(lastName(f.Function), InTraceback, 1)
		}
	}
	list := slices.Clone(s.list)
	slices.SortStableFunc(list, func(a, b Name) int { return cmp.Compare(b.Weight, a.Weight) })
	if len(list) > maxNames {
		list = list[:maxNames]
	}
	return list, modules(r)
}

// blockCode is the Python of a block: of a transcript its inputs.
func blockCode(b report.Block) string {
	switch b.Kind {
	case report.BlockPython:
		return b.Text
	case report.BlockREPL:
		var code []string
		for _, c := range b.Cells {
			code = append(code, c.Code)
		}
		return strings.Join(code, "\n")
	}
	return ""
}

// codeNames are what a script imports, calls and passes.
func codeNames(s *nameSet, f *pysyntax.File) {
	for _, imp := range f.Imports {
		if stdlib(imp.Module) {
			continue
		}
		for _, n := range imp.Names {
			if n.Name != "*" {
				s.add(imp.Module+"."+n.Name, InCode, 1)
			}
		}
	}
	own := ownNames(f)
	for _, c := range f.Calls {
		full := c.Full
		if full == "" || stdlib(full) {
			continue
		}
		factor := ownCall
		if own[full] {
			continue
		}
		if f.Imported(c.Func) {
			factor = 1
		}
		s.add(full, InCode, factor)
		for key := range c.Keywords {
			s.add(key, InCode, factor)
		}
	}
	for _, a := range f.Attributes {
		if full := f.Resolve(a.Text); f.Imported(a.Text) && !stdlib(full) {
			s.add(full, InCode, 1)
		}
	}
	for _, d := range f.Defined {
		for _, b := range d.Bases {
			s.add(f.Resolve(b), InCode, 1)
		}
	}
	sortTail(s)
}

// ownNames are what the script itself defines: its functions and variables are
// in no project.
func ownNames(f *pysyntax.File) map[string]bool {
	own := map[string]bool{}
	for _, d := range f.Defined {
		own[d.Name] = true
	}
	for _, a := range f.Assigns {
		own[a.Target] = true
	}
	return own
}

// sortTail keeps names of equal weight in one order: keywords come from a map.
func sortTail(s *nameSet) {
	slices.SortStableFunc(s.list, func(a, b Name) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.Text, b.Text))
	})
	for i, n := range s.list {
		s.at[n.Text] = i
	}
}

// stdlib: what the standard library does is not the bug.
func stdlib(dotted string) bool {
	top, _, _ := strings.Cut(dotted, ".")
	return pydist.StdlibModule(top)
}

var (
	inlineCode = lazyre.New("`([^`\n]{2,120})`")
	dottedName = lazyre.New(`[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*`)
	quotedWord = lazyre.New("['\"‘’`]([A-Za-z_][\\w.]{1,80})['\"‘’`]")
)

// proseNames are the identifiers of running text: between backticks all, else
// those that look like code.
func proseNames(s *nameSet, text string, o Origin, script *pysyntax.File) {
	inline := o
	if o == InProse {
		inline = InInline
	}
	for _, m := range inlineCode.FindAllStringSubmatch(text, maxNames) {
		words := dottedName.FindAllString(m[1], 12)
		for _, name := range words {
			// A message between backticks ("`x is not in list`") is a sentence.
			if len(words) == 1 || !Common(name) {
				s.add(script.Resolve(name), inline, 1)
			}
		}
	}
	for _, at := range dottedName.FindAllStringIndex(text, 4*maxNames) {
		name := text[at[0]:at[1]]
		if called := strings.HasPrefix(text[at[1]:], "("); called || looksCode(name) {
			s.add(script.Resolve(name), o, 1)
		}
	}
}

// looksCode: an underscore inside, a capital behind a small letter, or a dot
// between two names of at least two letters ("end.The" has a capital behind
// its dot and none before).
func looksCode(name string) bool {
	if inner := strings.Trim(name, "_"); strings.Contains(inner, "_") || strings.HasPrefix(name, "__") {
		return true
	}
	if head, tail, dotted := strings.Cut(name, "."); dotted {
		return len(head) > 1 && len(tail) > 1 && !(lower(head[len(head)-1]) && upper(tail[0]) && !upper(head[0]) && !strings.Contains(tail, "."))
	}
	for i := 1; i < len(name); i++ {
		if upper(name[i]) && lower(name[i-1]) {
			return true
		}
	}
	return false
}

// upper and lower look at ASCII only, as names in Python mostly are.
func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool { return c >= 'a' && c <= 'z' }

// quoted are the words between quotes of a message: names of attributes,
// arguments, classes.
func quoted(s *nameSet, message string) {
	for _, m := range quotedWord.FindAllStringSubmatch(message, 24) {
		s.add(m[1], InMessage, 1)
	}
}

var pyPath = lazyre.New(`[\w.-]+(?:/[\w.-]+)*\.pyx?\b`)

// modules are the files that the report's prose names; those of tracebacks are
// frames.
func modules(r *report.Report) []string {
	text := prose(r, func(s report.Section) bool { return s.Role != report.RoleVersions })
	var out []string
	for _, p := range pyPath.FindAllString(r.Title+"\n"+text, 24) {
		p = strings.TrimLeft(p, "./")
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}
