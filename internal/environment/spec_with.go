package environment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/pydist"
)

// requirement is name, extras and specifiers of PEP 508. Markers and direct
// references are left to those who can judge them.
var requirement = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([A-Za-z0-9._,\s-]*)\])?\s*(.*)$`)

var extraName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// parseRequirement reads "name[extra]==1.2". A direct reference ("@ URL"), an
// option or anything else is an error that says what it was.
func parseRequirement(text string) (Requirement, error) {
	body, _, _ := strings.Cut(text, ";")
	body = strings.TrimSpace(body)
	m := requirement.FindStringSubmatch(body)
	if m == nil {
		return Requirement{}, fmt.Errorf("%q is no requirement such as name==1.2", clip(text, 80))
	}
	r := Requirement{Name: pydist.Normalize(m[1])}
	for _, extra := range strings.Split(m[2], ",") {
		extra = strings.TrimSpace(extra)
		if extra == "" {
			continue
		}
		if !extraName.MatchString(extra) {
			return Requirement{}, fmt.Errorf("%q is no extra of %s", clip(extra, 40), r.Name)
		}
		r.Extras = append(r.Extras, extra)
	}
	spec := strings.Trim(strings.TrimSpace(m[3]), "()")
	r.Spec = strings.Join(strings.Fields(spec), "")
	if !validSpec(r.Spec) {
		return Requirement{}, fmt.Errorf("%q is no version of %s", clip(spec, 80), r.Name)
	}
	return r, nil
}

// line is the requirement as an installer reads it. Every part was validated
// when it was made.
func (r Requirement) line() string {
	extras := ""
	if len(r.Extras) > 0 {
		extras = "[" + strings.Join(r.Extras, ",") + "]"
	}
	return r.Name + extras + r.Spec
}

// exact is the version of an exact pin, "" for anything else.
func (r Requirement) exact() string {
	v, ok := strings.CutPrefix(r.Spec, "==")
	if !ok || strings.HasSuffix(v, "*") || strings.ContainsAny(v, ",=") {
		return ""
	}
	return v
}

// flags adds the requirements of the user. They come first, so nothing in the
// report overrides them.
func (w *inference) flags() error {
	for _, text := range w.in.With {
		r, err := parseRequirement(text)
		if err != nil {
			return fmt.Errorf("read the requirement: %w", err)
		}
		r.Word, r.Why = WordFlag, "asked for by the user"
		w.require(r)
	}
	return nil
}

// installLines adds what the report installs by a shell line: the script
// cannot be expected to import all of it (plug-ins, backends).
func (w *inference) installLines() {
	for _, text := range w.in.Candidate.Requirements {
		r, err := parseRequirement(text)
		if err != nil {
			w.edit("install line %q left out: %v", clip(text, 60), err)
			continue
		}
		if r = w.meant(r); r.Spec == "" && !w.has(r.Name) {
			r.Spec, _ = w.specOf(r.Name) // stated elsewhere
		}
		r.Word, r.Why = WordReporter, "installed by a line of the report"
		w.require(r)
	}
	for _, v := range w.in.Report.Versions {
		if _, chosen := w.named[pydist.Normalize(v.Dist)]; chosen && v.Where == "install_line" {
			w.want(pydist.Normalize(v.Dist), WordReporter, "installed by a line of the report")
		}
	}
}

// placeholders are names on the index that hold no code: whoever asks for one
// has written how the package is imported or called. Some still install the
// package and some only print its name and fail, by their release and the
// Python, so that the environment of the day would not hold what it did.
var placeholders = []string{"sklearn", "skimage", "pytorch"}

// meant turns a placeholder into what it stands for. Its own version (0.0) says
// nothing of that.
func (w *inference) meant(r Requirement) Requirement {
	real, ok := pydist.FromWord(r.Name)
	if !ok || !slices.Contains(placeholders, r.Name) {
		return r
	}
	w.edit("%s is only a name that points to %s on the index: %s taken", r.Name, real, real)
	r.Name = real
	if strings.HasPrefix(r.exact(), "0.0") {
		r.Spec = ""
	}
	return r
}
