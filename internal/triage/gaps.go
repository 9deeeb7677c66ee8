package triage

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/pysyntax"
)

// gapKind says what is missing for a script to run.
type gapKind string

const (
	gapName     gapKind = "name"     // an undefined name that anybody could fill in
	gapClass    gapKind = "class"    // a class of the reporter's own
	gapFile     gapKind = "file"     // a file of the reporter's own
	gapModule   gapKind = "module"   // a module of the reporter's own
	gapDownload gapKind = "download" // weights or data from a hub: no network at run time
	gapCut      gapKind = "cut"      // the reporter left something out with "..."
	gapSyntax   gapKind = "syntax"   // it does not parse
)

// gap is one missing thing.
type gap struct {
	kind gapKind
	what string
	line int
}

// private: no tool could write it, only the reporter can give it.
func (g gap) private() bool {
	return g.kind == gapClass || g.kind == gapFile || g.kind == gapModule
}

// String is the gap in the words of a reply.
func (g gap) String() string {
	switch g.kind {
	case gapClass:
		return fmt.Sprintf("the class `%s` (or a small stand-in that still shows the failure)", g.what)
	case gapFile:
		return fmt.Sprintf("the file `%s` (or a few lines that create one like it)", g.what)
	case gapModule:
		return fmt.Sprintf("the module `%s` that the script imports", g.what)
	case gapDownload:
		return fmt.Sprintf("a variant that needs no download of %s (random weights or made-up data)", g.what)
	case gapCut:
		return fmt.Sprintf("the part left out in line %d (`...`)", g.line)
	case gapSyntax:
		return fmt.Sprintf("a script that parses (line %d: %s)", g.line, g.what)
	default:
		return fmt.Sprintf("the definition of `%s`", g.what)
	}
}

// findGaps lists what is missing, the most telling first.
func findGaps(f *pysyntax.File) []gap {
	gaps := nameGaps(f)
	gaps = append(gaps, moduleGaps(f)...)
	gaps = append(gaps, callGaps(f)...)
	gaps = append(gaps, cutGaps(f)...)
	if len(f.SyntaxErrors) > 0 {
		e := f.SyntaxErrors[0]
		gaps = append(gaps, gap{gapSyntax, shorten(e.Text, 60), e.Line})
	} else if line := unexpectedIndent(f); line > 0 {
		gaps = append(gaps, gap{gapSyntax, "unexpected indent", line})
	}
	return gaps
}

// unexpectedIndent is the line of the first top-level statement that stands
// further in or out than the first one, 0 when there is none: the grammar
// reads such a text, the interpreter does not.
func unexpectedIndent(f *pysyntax.File) int {
	first := -1
	for _, s := range f.Statements {
		if s.Span.Start < 0 || s.Span.Start > len(f.Source) {
			continue
		}
		lineStart := strings.LastIndexByte(f.Source[:s.Span.Start], '\n') + 1
		indent := f.Source[lineStart:s.Span.Start]
		if strings.TrimSpace(indent) != "" {
			continue // behind a semicolon
		}
		if first < 0 {
			first = len(indent)
		}
		if len(indent) != first {
			return s.Line
		}
	}
	return 0
}

func nameGaps(f *pysyntax.File) []gap {
	var gaps []gap
	seen := map[string]bool{}
	for _, n := range f.Undefined() {
		if seen[n.Name] || ambient[n.Name] || explained(n.Name, f) {
			continue
		}
		seen[n.Name] = true
		kind := gapName
		if looksOwnClass(n.Name) {
			kind = gapClass
		}
		gaps = append(gaps, gap{kind, n.Name, n.Line})
	}
	return onlyWithImports(f, gaps)
}

// onlyWithImports keeps a class as the reporter's own only in a script that
// takes care of its imports. Where a lower-case name is undefined as well
// (random.PRNGKey), imports were left out, and the class may be the library's.
func onlyWithImports(f *pysyntax.File, gaps []gap) []gap {
	careful := len(f.Imports) > 0
	for _, g := range gaps {
		for _, c := range f.Calls {
			if g.kind == gapName && strings.HasPrefix(c.Func, g.what+".") {
				careful = false
			}
		}
	}
	if !careful {
		for i := range gaps {
			gaps[i].kind = gapName
		}
	}
	return gaps
}

// looksOwnClass: CamelCase with at least two humps, or one after "My", and not
// a class that everybody knows. Names in capitals only (MCMC, NUTS) are
// usually a library's.
func looksOwnClass(name string) bool {
	if knownClasses[name] || !unicode.IsUpper(rune(name[0])) || strings.Contains(name, "_") {
		return false
	}
	humps, lower := 0, false
	for i, c := range name {
		if unicode.IsUpper(c) && (i == 0 || lower) {
			humps++
		}
		lower = unicode.IsLower(c) || unicode.IsDigit(c)
	}
	return humps >= 2
}

// ownModule are top-level module names that belong to a project, never to an
// index by intention. A guess from the same reading as aliases.
var ownModule = regexp.MustCompile(`^(utils?|helpers?|models?|nets?|networks?|modules|layers|datasets?_\w+|dataloaders?|data_\w+|configs?|settings|common|src|lib|train|trainer|my_?\w+|custom_\w+|local_\w+|losses|metrics_\w+|envs?|agents?|preprocess\w*)$`)

func moduleGaps(f *pysyntax.File) []gap {
	var gaps []gap
	seen := map[string]bool{}
	for _, imp := range f.Imports {
		top := topName(imp.Module)
		if strings.HasPrefix(imp.Module, ".") {
			top = imp.Module
		} else if _, known := pydist.FromImport(top); known || pydist.StdlibModule(top) || !ownModule.MatchString(top) {
			continue
		}
		if !seen[top] && !imp.Guarded {
			seen[top] = true
			gaps = append(gaps, gap{gapModule, top, imp.Line})
		}
	}
	return gaps
}

// readers are calls whose first argument names a file that must exist.
var readers = regexp.MustCompile(`(^|\.)(open|read_csv|read_parquet|read_json|read_excel|read_pickle|read_hdf|read_table|read_feather|imread|load|load_model|load_weights|load_state_dict_from_file|load_checkpoint|load_from_checkpoint|loadtxt|genfromtxt|loadmat|decode_image|read_image|read_file|read_video|ImageFolder|File|memmap|from_file|restore)$`)

// fetchers are calls that need the network: hubs, data set downloads, requests.
var fetchers = regexp.MustCompile(`(^|\.)(from_pretrained|hf_hub_download|snapshot_download|load_dataset|load_state_dict_from_url|get_file|urlopen|urlretrieve|fetch_\w+|load_data)$|^torch\.hub\.load$|^(requests|httpx)\.(get|post|request)$|^(transformers\.)?pipeline$|^(torchvision|torchaudio)\.datasets\.\w+$|^tensorflow_datasets\.load$|^timm\.create_model$`)

var (
	filePath = regexp.MustCompile(`^(~|\.{1,2}|[A-Za-z]:)?[/\\].+|^[\w./\\ -]+\.[A-Za-z][A-Za-z0-9]{1,6}$|^[\w.-]+[/\\][\w./\\-]+$`)
	// writeMode is the mode of open, h5py.File or memmap that creates the file.
	writeMode = regexp.MustCompile(`^[rbut]?["'](w|a|x|r?b?\+|w\+)[bt+]*["']$`)
	// ownPath starts in a folder, so that it is no name on a hub.
	ownPath = regexp.MustCompile(`^(~|\.{1,2}|[A-Za-z]:)?[/\\]`)
	// tempPath is a place that the script fills itself.
	tempPath = regexp.MustCompile(`^(/tmp/|/dev/(null|shm))`)
)

// callGaps finds calls that read a file that the script does not write first,
// and calls that would download.
func callGaps(f *pysyntax.File) []gap {
	var gaps []gap
	own := map[string]bool{}
	for _, d := range f.Defined {
		own[d.Name] = true
	}
	written := map[string]bool{}
	for _, c := range f.Calls {
		if own[c.Func] {
			continue
		}
		arg, literal := firstLiteral(c)
		if g, ok := callGap(c, arg, literal, written); ok {
			gaps = append(gaps, g)
		} else if literal {
			written[stem(arg)] = true
		} else if len(c.Args) > 0 {
			written[c.Args[0]] = written[c.Args[0]] || savers.MatchString(c.Method)
		}
	}
	return gaps
}

// savers write what a fetcher may read again.
var savers = regexp.MustCompile(`^(save\w*|dump|to_\w+)$`)

// callGap is the gap of one call; written holds what was saved before it.
func callGap(c pysyntax.Call, arg string, literal bool, written map[string]bool) (gap, bool) {
	name := firstOf(c.Full, c.Func)
	seen := literal && written[stem(arg)] || len(c.Args) > 0 && written[c.Args[0]]
	local := literal && ownPath.MatchString(arg)
	switch {
	case seen, isLocalFetch(c, name):
		return gap{}, false
	case fetchers.MatchString(name) && local, readers.MatchString(name) && literal && !writes(c) && filePath.MatchString(arg):
		return gap{gapFile, arg, c.Line}, !tempPath.MatchString(arg)
	case fetchers.MatchString(name):
		return gap{gapDownload, "`" + firstOf(arg, name) + "`", c.Line}, true
	}
	return gap{}, false
}

// isLocalFetch: a fetching name that needs no network here.
func isLocalFetch(c pysyntax.Call, name string) bool {
	switch {
	case strings.HasSuffix(name, "create_model"):
		return !strings.EqualFold(c.Keywords["pretrained"], "True")
	case strings.HasSuffix(name, "FakeData"):
		return true
	case strings.HasSuffix(name, "load_data"):
		return !strings.Contains(name, "datasets.") // keras.datasets.mnist.load_data
	case strings.HasSuffix(name, "pipeline"):
		return c.Keywords["model"] == "" && len(c.Args) == 0
	}
	return false
}

func writes(c pysyntax.Call) bool {
	if writeMode.MatchString(c.Keywords["mode"]) {
		return true
	}
	return len(c.Args) > 1 && writeMode.MatchString(c.Args[1])
}

// stem is the name of a file without its folder and ending: libraries add
// ".zip" or ".npz" themselves.
func stem(file string) string {
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}

var plainString = regexp.MustCompile(`^[rbuRBU]?("([^"\\]|\\.)*"|'([^'\\]|\\.)*')$`)

// firstLiteral is the first positional argument when it is a string literal,
// looking through Path("x") and open("x").
func firstLiteral(c pysyntax.Call) (string, bool) {
	if len(c.Args) == 0 {
		return "", false
	}
	arg := c.Args[0]
	if i := strings.IndexByte(arg, '('); i > 0 && strings.HasSuffix(arg, ")") {
		arg = arg[i+1 : len(arg)-1]
	}
	if !plainString.MatchString(arg) {
		return "", false
	}
	arg = strings.TrimLeft(arg, "rbuRBU")
	return arg[1 : len(arg)-1], true
}

// cutGaps finds what the reporter replaced by three dots.
func cutGaps(f *pysyntax.File) []gap {
	for _, s := range f.Statements {
		if strings.TrimSpace(s.Text) == "..." {
			return []gap{{gapCut, "...", s.Line}}
		}
	}
	for _, a := range f.Assigns {
		if a.Value == "..." && a.Kind != "attribute" {
			return []gap{{gapCut, "...", a.Line}}
		}
	}
	for _, c := range f.Calls {
		for _, arg := range c.Args {
			if arg == "..." {
				return []gap{{gapCut, "...", c.Line}}
			}
		}
	}
	return nil
}
