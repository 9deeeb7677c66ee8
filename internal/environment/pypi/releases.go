package pypi

import (
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/repgen/repgen/internal/pydist"
)

// File is one file of a project.
type File struct {
	Filename string `json:"filename"`
	Version  string `json:"version"` // normalised
	// Hash is "sha256:..."; "" when the index gives none.
	Hash           string    `json:"hash,omitempty"`
	RequiresPython string    `json:"requires_python,omitempty"`
	Uploaded       time.Time `json:"uploaded,omitzero"` // zero when the index does not say
	// Yanked is the reason, "yanked" when none was given, "" when it is not.
	Yanked string `json:"yanked,omitempty"`
	Size   int64  `json:"size,omitempty"`
	URL    string `json:"url"`
	Sdist  bool   `json:"sdist,omitempty"`
}

// Project is the listing of one project.
type Project struct {
	Name  string `json:"name"` // normalised
	Files []File `json:"files"`
	// Fetched is when the index gave the listing.
	Fetched time.Time `json:"fetched"`
	// Missing: the index said that there is no such project.
	Missing bool `json:"missing,omitempty"`
	// Stale: the index could not be asked and an old listing was used.
	Stale bool `json:"-"`

	glibc string
}

// Release is one version of a project, as far as one Python is concerned.
type Release struct {
	Version  string
	Uploaded time.Time // earliest file of the version
	Yanked   string    // set when every file of it is yanked
	Pre      bool
	Wheel    bool // a wheel fits the Python and this platform
	Sdist    bool // a source package exists whose Requires-Python fits
}

// Releases lists the versions in ascending PEP 440 order as Python ("3.11", or
// "3.11.7") sees them. Versions that are no PEP 440 versions are left out.
func (p *Project) Releases(python string) []Release {
	t, known := newTarget(python, p.glibc)
	type entry struct {
		release Release
		version pydist.Version
		live    bool // a file that is not yanked
	}
	byVersion := map[string]*entry{}
	var order []*entry
	// A project of thousands of files has a handful of different bounds, and
	// judging one takes longer than everything else here.
	allow := map[string]bool{}
	for _, f := range p.Files {
		e := byVersion[f.Version]
		if e == nil {
			v, err := pydist.ParseVersion(f.Version)
			if err != nil {
				continue
			}
			e = &entry{release: Release{Version: f.Version, Pre: v.IsPre()}, version: v}
			byVersion[f.Version] = e
			order = append(order, e)
		}
		e.live = e.live || f.Yanked == ""
		allowed, seen := allow[f.RequiresPython]
		if !seen {
			allowed = known && allows(f.RequiresPython, python)
			allow[f.RequiresPython] = allowed
		}
		e.release.add(f, t, allowed)
	}
	sort.SliceStable(order, func(i, j int) bool { return order[i].version.Compare(order[j].version) < 0 })
	out := make([]Release, 0, len(order))
	for _, e := range order {
		if e.live {
			e.release.Yanked = ""
		}
		out = append(out, e.release)
	}
	return out
}

// add takes one file of the release into account.
func (r *Release) add(f File, t target, allowed bool) {
	if !f.Uploaded.IsZero() && (r.Uploaded.IsZero() || f.Uploaded.Before(r.Uploaded)) {
		r.Uploaded = f.Uploaded
	}
	if f.Yanked != "" {
		r.Yanked = f.Yanked
	}
	if !allowed {
		return
	}
	if f.Sdist {
		r.Sdist = true
		return
	}
	if w, ok := parseWheel(f.Filename); ok && t.fits(w) {
		r.Wheel = true
	}
}

// Wheel is a wheel of a version that fits a Python ("3.11"): one made for that
// very interpreter before one for any, else the first of the listing.
func (p *Project) Wheel(version, python string) (File, bool) {
	t, known := newTarget(python, p.glibc)
	var best File
	exact := false
	for _, f := range p.Of(version) {
		w, ok := parseWheel(f.Filename)
		if !known || !ok || !t.fits(w) || !allows(f.RequiresPython, python) {
			continue
		}
		own := slices.Contains(w.pythons, "cp3"+strconv.Itoa(t.minor))
		if best.URL == "" || own && !exact {
			best, exact = f, own
		}
	}
	return best, best.URL != ""
}

// Uploaded is when the first file of a version appeared; zero when the version
// does not exist or the index does not say.
func (p *Project) Uploaded(version string) time.Time {
	var first time.Time
	for _, f := range p.Of(version) {
		if !f.Uploaded.IsZero() && (first.IsZero() || f.Uploaded.Before(first)) {
			first = f.Uploaded
		}
	}
	return first
}

// Of lists the files of a version ("1.0" and "1.0.0" are the same one).
func (p *Project) Of(version string) []File {
	want, err := pydist.ParseVersion(version)
	if err != nil {
		return nil
	}
	var out []File
	same := map[string]bool{}
	for _, f := range p.Files {
		equal, seen := same[f.Version]
		if !seen {
			v, err := pydist.ParseVersion(f.Version)
			equal = err == nil && v.Compare(want) == 0
			same[f.Version] = equal
		}
		if equal {
			out = append(out, f)
		}
	}
	return out
}
