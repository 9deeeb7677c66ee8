package report

import (
	"strings"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/system/lazyre"
)

// subject is the package that the report is about, as far as bare versions
// need one.
type subject struct {
	dist, name string
	// weak: it is only the one package that has a version.
	weak bool
}

var importClause = lazyre.New(`(?m)^\s*(?:>>> |In ?\[\d*\]: )?(import|from) +([^\n#;]+)`)

var moduleName = lazyre.New(`^[A-Za-z_]\w*`)

// importedModules are the top-level modules of a code block, in order:
// "import os, jax.numpy as jnp" has two.
func importedModules(code string) []string {
	var modules []string
	for _, m := range importClause.FindAllStringSubmatch(code, 64) {
		parts := strings.Split(m[2], ",")
		if m[1] == "from" {
			parts = parts[:1]
		}
		for _, part := range parts {
			if name := moduleName.FindString(strings.TrimSpace(part)); name != "" {
				modules = append(modules, name)
			}
		}
	}
	return modules
}

// helperDists are imported by every second report and rarely its subject.
var helperDists = map[string]bool{"numpy": true, "scipy": true, "pandas": true, "matplotlib": true, "pytest": true, "requests": true, "pillow": true, "tqdm": true}

// findSubject scores the packages that title, repository and code name.
func (p *parser) findSubject() subject {
	scores := map[string]int{}
	names := map[string]string{}
	var order []string
	vote := func(dist, name string, n int) {
		if _, seen := scores[dist]; !seen {
			order = append(order, dist)
			names[dist] = name
		}
		scores[dist] += n
	}
	if dist, known := pydist.FromRepo(p.r.Repo); known {
		_, repo, _ := strings.Cut(p.r.Repo, "/")
		vote(dist, repo, 6)
	}
	p.imports = map[string]bool{}
	for i, b := range p.r.Blocks {
		if b.Kind != BlockPython && b.Kind != BlockREPL {
			continue
		}
		for _, module := range importedModules(p.blks[i].text) {
			if pydist.StdlibModule(module) || p.imports[strings.ToLower(module)] {
				continue
			}
			p.imports[strings.ToLower(module)] = true
			dist, _ := pydist.FromImport(module)
			if helperDists[dist] {
				vote(dist, module, 1)
				if strings.Contains(p.blks[i].text, "from "+module+".") {
					vote(dist, module, 1) // one function of it is asked for: more than an "np"
				}
			} else {
				vote(dist, module, 3)
			}
		}
	}
	for _, word := range titleWord.FindAllString(p.r.Title, 40) {
		dist, ok := pydist.FromWord(word)
		if !ok || dist == "python" {
			continue
		}
		// A package may bear a common word as its name ("sparse", "rich"): where
		// there is code, only what it imports is meant.
		if _, seen := scores[dist]; seen {
			vote(dist, word, 5)
		} else if len(order) == 0 {
			vote(dist, word, 1)
		}
	}
	for i, b := range p.r.Blocks {
		if b.Kind == BlockTraceback {
			for _, m := range packagePath.FindAllStringSubmatch(p.blks[i].text, 64) {
				dist, _ := pydist.FromImport(m[1])
				vote(dist, m[1], 1)
			}
		}
	}
	best := subject{}
	for _, dist := range order {
		if best.dist == "" || scores[dist] > scores[best.dist] {
			best = subject{dist: dist, name: names[dist]}
		}
	}
	return best
}

// packagePath is the package of a traceback's frame.
var packagePath = lazyre.New(`(?:site-packages|dist-packages|\.\.\.)[/\\](\w+)[/\\]`)

var titleWord = lazyre.New(`[A-Za-z][\w-]*`)

// onlyNamed is the one package that has a version, when there is just one.
func (p *parser) onlyNamed() subject {
	out := subject{}
	for _, v := range p.r.Versions {
		if v.Dist == "python" || v.Dist == out.dist {
			continue
		}
		if out.dist != "" {
			return subject{}
		}
		out = subject{v.Dist, v.Name, true}
	}
	return out
}
