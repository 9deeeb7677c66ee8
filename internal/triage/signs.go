package triage

import (
	"slices"
	"strings"
	"unicode"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
	"github.com/repgen/repgen/internal/symptom"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// statedNames maps a distribution to the variant whose version is stated
// (tensorflow to tensorflow-cpu), so that both are one suspect.
func statedNames(r *report.Report) map[string]string {
	names := map[string]string{}
	for _, v := range r.Versions {
		dist := pydist.Normalize(v.Dist)
		for _, other := range pydist.Variants(dist) {
			if names[other] == "" {
				names[other] = dist
			}
		}
	}
	for _, v := range r.Versions {
		delete(names, pydist.Normalize(v.Dist)) // stated under its own name
	}
	return names
}

// as is the stated variant of dist, or dist.
func as(stated map[string]string, dist string) string {
	dist = pydist.Normalize(dist)
	return firstOf(stated[dist], dist)
}

// repoDist is the distribution that is made in the repository "owner/name"; one
// that the table does not know bears most likely its name.
func repoDist(repo string) string {
	if d, ok := pydist.FromRepo(repo); ok {
		return d
	}
	_, name, _ := strings.Cut(repo, "/")
	return pydist.Normalize(name)
}

// fromTracker: whose tracker the report was filed in. Many a repository is
// called otherwise than what it publishes: one that is no known distribution,
// and that the report speaks of nowhere, says little where something else does.
func fromTracker(rd *reading, found suspects, stated map[string]string) {
	dist, weight := as(stated, repoDist(rd.r.Repo)), weightTracker
	if _, known := pydist.FromRepo(rd.r.Repo); !known && found[dist] == nil && (anyUpper(found) || classSays(rd)) && !spelled(rd, dist) {
		weight = weightCommon
	}
	found.add(dist, weight, "tracker")
}

// spelled says whether the report has the distribution's name as a word of its
// own; addresses, which name the tracker, do not count.
func spelled(rd *reading, dist string) bool {
	text := strings.ReplaceAll(address.ReplaceAllString(rd.r.Title+"\n"+rd.r.Text, " "), rd.r.Repo, " ")
	for _, w := range word.FindAllString(text, maxWords) {
		if pydist.Normalize(w) == dist {
			return true
		}
	}
	return false
}

// fromScript: what the script imports, or uses as if it had.
func fromScript(rd *reading, found suspects, stated map[string]string) {
	for i, m := range append(rd.script.file.TopModules(), assumedModules(rd.script.file)...) {
		d, _ := pydist.FromImport(m)
		found.add(as(stated, d), weightImport, "import")
		if i == 0 {
			found.add(as(stated, d), weightFirst, "import")
		}
	}
}

// fromVersions: versions in the reporter's own words. A list of what is
// installed says nothing of who is to blame, but a list may be all there is.
func fromVersions(rd *reading, found suspects) {
	first := true
	contrasted := map[string]bool{}
	for _, v := range rd.r.Versions {
		if v.Local || v.Dist == "python" {
			continue
		}
		switch {
		case (v.Role == report.RoleGood || v.Role == report.RoleBad) && !contrasted[v.Dist]:
			contrasted[v.Dist] = true
			found.add(v.Dist, weightContrast, "version")
		case listed(v):
			continue
		}
		found.add(v.Dist, weightStated, "version")
		if first {
			first = false
			found.add(v.Dist, weightFirst, "version")
		}
	}
}

// listed: from a print-out of everything that is installed.
func listed(v report.Version) bool {
	switch v.Where {
	case "freeze", "conda", "collect_env", "show_versions":
		return true
	}
	return false
}

var (
	word      = lazyre.New(`[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9]|[A-Za-z]`)
	backticks = lazyre.New("`([A-Za-z_][\\w.]*\\w)[^`\n]*`")
)

// fromTitle: words of the title that are a distribution, or that the script
// imports from one, and the dotted names quoted in the prose.
func fromTitle(rd *reading, found suspects, stated map[string]string) {
	seen := map[string]bool{}
	once := func(dist string, weight int, source string) {
		if dist = as(stated, dist); !seen[dist] {
			seen[dist] = true
			found.add(dist, weight, source)
		}
	}
	for _, w := range word.FindAllString(rd.r.Title, -1) {
		d, ok := resolve(rd, w)
		switch {
		case !ok:
		case found[as(stated, d)] != nil || hasVersion(rd.r, d):
			once(d, weightTitle, "title")
		default:
			// "clip", "sparse" and "higher" are distributions as well.
			once(d, weightCommon, "title")
		}
	}
	for _, m := range backticks.FindAllStringSubmatch(rd.prose, -1) {
		if !strings.Contains(m[1], ".") {
			continue
		}
		if d, ok := resolve(rd, m[1]); ok {
			once(d, weightQuoted, "prose")
		}
	}
}

// resolve is the distribution behind a word: by the script's imports (PPO,
// np.sum), else by name. A short or common word counts by name only when it is
// written as in code ("tf.raw_ops").
func resolve(rd *reading, w string) (string, bool) {
	top := topName(w)
	for _, imp := range rd.script.file.Imports {
		module := topName(imp.Module)
		if top == firstOf(imp.Alias, module) && len(imp.Names) == 0 {
			return fromModule(module)
		}
		for _, n := range imp.Names {
			if top == firstOf(n.Alias, n.Name) {
				return fromModule(module)
			}
		}
	}
	if d, ok := pydist.FromWord(w); ok {
		return d, true
	}
	if top != w {
		return pydist.FromWord(top)
	}
	return "", false
}

func fromModule(module string) (string, bool) {
	if module == "" || pydist.StdlibModule(module) {
		return "", false
	}
	d, _ := pydist.FromImport(module)
	return d, true
}

// fromFrame is the distribution of a frame's file: the path tells
// google.protobuf from the other distributions below google.
func fromFrame(f symptom.Frame) (string, bool) {
	if f.Package == "" || pydist.StdlibModule(f.Package) {
		return "", false
	}
	module := f.Package
	if path := strings.TrimSuffix(f.File, ".py"); strings.HasPrefix(path, f.Package+"/") {
		module = strings.ReplaceAll(path, "/", ".")
	}
	d, _ := pydist.FromModule(module)
	return d, true
}

// fromFrames: whose code the traceback ends in, and whose it passes.
func fromFrames(rd *reading, found suspects, stated map[string]string) {
	for _, t := range rd.r.Tracebacks {
		seen := map[string]bool{}
		for i := len(t.Symptom.Frames) - 1; i >= 0; i-- {
			d, ok := fromFrame(t.Symptom.Frames[i])
			if !ok || seen[d] {
				continue
			}
			seen[d] = true
			weight := 1
			if len(seen) == 1 {
				weight = weightFrame
			}
			found.add(as(stated, d), weight, "traceback")
		}
		if d, ok := fromClass(t.Symptom.Exception); ok && len(seen) == 0 {
			found.add(as(stated, d), weightClass, "traceback")
		}
	}
}

// classSays: some traceback's class alone says whose code failed.
func classSays(rd *reading) bool {
	return slices.ContainsFunc(rd.r.Tracebacks, func(t report.Traceback) bool {
		_, ok := fromClass(t.Symptom.Exception)
		return ok
	})
}

// fromClass is the distribution whose exception it is (cv2.error). Compiled code
// leaves no frame: the traceback then ends in the reporter's own line, and the
// class alone says whose code it was.
func fromClass(class string) (string, bool) {
	module, _, dotted := strings.Cut(class, ".")
	if !dotted || pydist.StdlibModule(module) {
		return "", false
	}
	return pydist.FromModule(class[:strings.LastIndexByte(class, '.')])
}

// anyUpper: something that is neither a platform nor the ground is named.
func anyUpper(found suspects) bool {
	for dist := range found {
		if tier(dist) == 2 {
			return true
		}
	}
	return false
}

// fromAnywhere is the last resort for a report that names nothing but a
// platform: two words of it, the template's included, that are a distribution
// together ("PyTorch Lightning Version"). One word says too little.
func fromAnywhere(rd *reading, found suspects) {
	words := word.FindAllString(rd.r.Text, maxWords)
	for i := 0; i+1 < len(words); i++ {
		d, ok := pydist.FromWord(words[i] + " " + words[i+1])
		if ok && found[d] == nil && tier(d) == 2 {
			found.add(d, weightImport, "text")
		}
	}
}

// fromDotted is the resort for a report that shows no package at all, such as a
// fragment of code and a sentence: modules that its prose writes with their
// path ("the loss of keras.losses"). Addresses are no modules.
func fromDotted(rd *reading, found suspects) {
	text := address.ReplaceAllString(rd.r.Title+"\n"+rd.prose, " ")
	for _, m := range dotted.FindAllString(text, maxWords) {
		if d, known := pydist.FromModule(m); known && tier(d) != 0 {
			found.add(d, weightImport, "text")
		}
	}
}

// fromSpelled is the resort for prose alone: names that are written as their
// projects write them, with more than one capital (UMAP, LightGBM). No common
// word is, so that one is enough; the one that is spoken of most comes first.
func fromSpelled(rd *reading, found suspects) {
	text := address.ReplaceAllString(rd.r.Title+"\n"+rd.prose, " ")
	for _, w := range word.FindAllString(text, maxWords) {
		if len(w) < minSpelled || strings.IndexFunc(w[1:], unicode.IsUpper) < 0 {
			continue
		}
		d, ok := pydist.FromWord(w)
		switch {
		case !ok || tier(d) == 0:
		case found[d] == nil:
			found.add(d, weightImport, "text")
		default:
			found.add(d, weightFirst, "text")
		}
	}
}

// minSpelled: three capitals stand for too many things. A guess.
const minSpelled = 4

var (
	address = lazyre.New(`\S*(?://|www\.)\S*`)
	dotted  = lazyre.New(`\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+`)
)

// maxWords bounds that search. A guess.
const maxWords = 2000
