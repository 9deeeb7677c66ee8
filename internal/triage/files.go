package triage

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pysyntax"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// readers are calls whose first argument names a file that must exist.
var readers = lazyre.New(`(^|\.)(open|read_csv|read_parquet|read_json|read_excel|read_pickle|read_hdf|read_table|read_feather|imread|load|load_model|load_weights|load_state_dict_from_file|load_checkpoint|load_from_checkpoint|loadtxt|genfromtxt|loadmat|decode_image|read_image|read_file|read_video|ImageFolder|File|memmap|from_file|restore)$`)

// fetchers are calls that need the network: hubs, data set downloads, requests.
var fetchers = lazyre.New(`(^|\.)(from_pretrained|hf_hub_download|snapshot_download|load_dataset|load_state_dict_from_url|get_file|urlopen|urlretrieve|fetch_\w+|load_data)$|^torch\.hub\.load$|^(requests|httpx)\.(get|post|request)$|^(transformers\.)?pipeline$|^(torchvision|torchaudio)\.datasets\.\w+$|^tensorflow_datasets\.load$|^timm\.create_model$`)

var (
	filePath = lazyre.New(`^(~|\.{1,2}|[A-Za-z]:)?[/\\].+|^[\w./\\ -]+\.[A-Za-z][A-Za-z0-9]{1,6}$|^[\w.-]+[/\\][\w./\\-]+$`)
	// writeMode is the mode of open, h5py.File or memmap that creates the file.
	writeMode = lazyre.New(`^[rbut]?["'](w|a|x|r?b?\+|w\+)[bt+]*["']$`)
	// ownPath starts in a folder, so that it is no name on a hub.
	ownPath = lazyre.New(`^(~|\.{1,2}|[A-Za-z]:)?[/\\]`)
	// tempPath is a place that the script fills itself.
	tempPath = lazyre.New(`^(/tmp/|/dev/(null|shm))`)
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
	var given []string
	for _, c := range f.Calls {
		if own[c.Func] {
			continue
		}
		arg, literal := firstLiteral(c)
		if g, ok := callGap(c, arg, literal, written); ok {
			if g.kind != gapFile || !madeFrom(g.what, given) {
				gaps = addGap(gaps, g)
			}
		} else if literal && (plainString.MatchString(c.Args[0]) || strings.Contains(c.Args[0], "Path(")) {
			// A name inside another call (f(torch.load("x"))) is that call's.
			written[stem(arg)] = true
		} else if len(c.Args) > 0 {
			written[c.Args[0]] = written[c.Args[0]] || savers.MatchString(c.Method)
		}
		if !readers.MatchString(firstOf(c.Full, c.Func)) {
			given = append(given, fileNames(c)...)
		}
	}
	return gaps
}

// fileNames are the names of files among the arguments of a call.
func fileNames(c pysyntax.Call) []string {
	var names []string
	for _, arg := range append(slices.Collect(maps.Values(c.Keywords)), c.Args...) {
		if !plainString.MatchString(arg) {
			continue
		}
		arg = strings.TrimLeft(arg, "rbuRBU")
		if name := arg[1 : len(arg)-1]; path.Ext(name) != "" && filePath.MatchString(name) {
			names = append(names, path.Base(name))
		}
	}
	return names
}

// madeFrom: an earlier call of the script was given this name, or the one that
// it is made from: libraries put a prefix or a number of their own to a name
// ("model.pkl" becomes "last_model.pkl").
func madeFrom(file string, given []string) bool {
	base := path.Base(file)
	return slices.ContainsFunc(given, func(name string) bool {
		head, tail := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
		before, isTail := strings.CutSuffix(base, name)
		after, isHead := strings.CutPrefix(base, head)
		return isTail && (before == "" || strings.ContainsAny(before[len(before)-1:], "_-.")) ||
			isHead && strings.HasSuffix(after, tail) && strings.ContainsAny(after[:1], "_-.")
	})
}

// addGap says each missing thing once.
func addGap(gaps []gap, g gap) []gap {
	for _, have := range gaps {
		if have.kind == g.kind && have.what == g.what {
			return gaps
		}
	}
	return append(gaps, g)
}

// savers write what a fetcher may read again.
var savers = lazyre.New(`^(save\w*|dump|to_\w+)$`)

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
		return gap{gapDownload, firstOf(arg, name), c.Line}, true
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

var plainString = lazyre.New(`^[rbuRBU]?("([^"\\]|\\.)*"|'([^'\\]|\\.)*')$`)

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
