package environment

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/environment/interp"
)

// pythonReleased are the days of the first release of each minor version,
// from the release schedules (PEP 494, 537, 569, 596, 619, 664, 693, 719, 745).
// releasedOn knows younger ones by the yearly rhythm.
var pythonReleased = map[string]time.Time{
	"3.6": day(2016, 12, 23), "3.7": day(2018, 6, 27), "3.8": day(2019, 10, 14), "3.9": day(2020, 10, 5),
	"3.10": day(2021, 10, 4), "3.11": day(2022, 10, 24), "3.12": day(2023, 10, 2), "3.13": day(2024, 10, 7),
	"3.14": day(2025, 10, 7),
}

func day(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// releasedOn is the day of a minor version's first release. Since 3.9 there is
// one each October (PEP 602), so a younger one than the table has is reckoned.
func releasedOn(minor string) (time.Time, bool) {
	if d, ok := pythonReleased[minor]; ok {
		return d, true
	}
	n := minorNumber(minor)
	if major, _, _ := strings.Cut(minor, "."); major != "3" || n < 14 {
		return time.Time{}, false
	}
	return day(2011+n, 10, 7), true
}

// Scores of one pin on one Python: a wheel is free, a source package has to be
// built, and nothing at all is worse than any number of builds.
const (
	scoreWheel = 0
	scoreSdist = 1
	scoreNone  = 100
	// scoreSubject replaces scoreNone for the subject: an environment without
	// it is of no use.
	scoreSubject = 10000
)

// choosePython takes the stated interpreter when it is here, else the one for
// which the pins have wheels.
func (l *ladder) choosePython(ctx context.Context) (*Unavailable, error) {
	var err error
	if l.pythons, err = l.on.interpreters(ctx); err != nil {
		return nil, err
	}
	if len(l.pythons) == 0 {
		return l.unavailable("no Python interpreter was found on this machine", "install one: apt-get install python3 python3-venv"), nil
	}
	if l.spec.Python != "" {
		if p, ok := pickInterpreter(l.pythons, l.spec.Python); ok {
			if p.Version != l.spec.Python && p.Minor != l.spec.Python {
				l.note(rungExact, "python", fmt.Sprintf("Python %s in place of %s: the same minor version", p.Version, l.spec.Python))
			}
			l.python = p
			return nil, nil
		}
		if major, _, _ := strings.Cut(l.spec.Python, "."); major != "3" {
			goes, err := l.goesWithPython3(ctx)
			if err != nil {
				return nil, err
			}
			if !goes {
				return l.unavailable("Python "+l.spec.Python+" cannot be installed into: the installer knows Python 3 only",
					"name a Python 3 with --python if the report holds there too"), nil
			}
		}
		if l.spec.PythonSource == "flag" {
			return l.unavailable(fmt.Sprintf("Python %s is not on this machine (found: %s)", l.spec.Python, minorsOf(l.pythons)),
				"install it, or leave out --python"), nil
		}
	}
	p, err := l.bestPython(ctx)
	if err != nil {
		return nil, err
	}
	if l.spec.Python != "" {
		l.step(rungPython, "python", "Python %s stands in for %s, which %s", p.Minor, l.spec.Python, whyNot(l.spec.Python))
	}
	l.python = p
	return nil, nil
}

// goesWithPython3 says whether a report of Python 2 can be tried on Python 3 at
// all: somebody stated versions, and one interpreter has wheels for all of them.
// Without any version there would be nothing of the reporter's environment left.
func (l *ladder) goesWithPython3(ctx context.Context) (bool, error) {
	if l.spec.PythonSource != "report" || !slices.ContainsFunc(l.reqs, func(r Requirement) bool { return r.Spec != "" }) {
		return false, nil
	}
	for _, p := range l.onePerMinor() {
		score, err := l.score(ctx, p)
		if err != nil || score == scoreWheel {
			return err == nil, err
		}
	}
	return false, nil
}

func minorsOf(list []interp.Interpreter) string {
	var out []string
	for _, p := range list {
		if !slices.Contains(out, p.Minor) {
			out = append(out, p.Minor)
		}
	}
	return strings.Join(out, ", ")
}

// bestPython scores every interpreter that was released on the date and not
// left already: the lowest sum wins, then the nearest to a stated version,
// then the newest.
func (l *ladder) bestPython(ctx context.Context) (interp.Interpreter, error) {
	var best interp.Interpreter
	bestScore := -1
	for _, p := range l.onePerMinor() {
		score, err := l.score(ctx, p)
		if err != nil {
			return interp.Interpreter{}, err
		}
		if bestScore < 0 || score < bestScore ||
			score == bestScore && l.distance(p.Minor) < l.distance(best.Minor) {
			best, bestScore = p, score
		}
	}
	if bestScore < 0 {
		return l.pythons[0], nil
	}
	return best, nil
}

// onePerMinor lists the candidates, newest first. Without any pin there is
// nothing to score, and a minor version younger than a year has few wheels.
func (l *ladder) onePerMinor() []interp.Interpreter {
	age := time.Duration(0)
	if !slices.ContainsFunc(l.reqs, func(r Requirement) bool { return r.Spec != "" }) {
		age = 365 * 24 * time.Hour
	}
	for {
		var out []interp.Interpreter
		for _, p := range l.pythons {
			known := slices.ContainsFunc(out, func(o interp.Interpreter) bool { return o.Minor == p.Minor })
			released, listed := releasedOn(p.Minor)
			if known || slices.Contains(l.left, p.Minor) || !listed || l.cutoff.Sub(released) < age {
				continue
			}
			out = append(out, p)
		}
		if len(out) > 0 || age < 0 {
			return out
		}
		age = -100 * 365 * 24 * time.Hour // only younger ones here: take those
	}
}

func (l *ladder) score(ctx context.Context, p interp.Interpreter) (int, error) {
	sum := 0
	for _, r := range slices.Concat(l.reqs, l.cons) {
		if r.Spec == "" && !l.isProtected(r.Name) || r.Word == WordProject {
			continue // some release will do
		}
		list, err := l.on.Releases(ctx, r.Name, p.Minor)
		if err != nil {
			return 0, err
		}
		if len(list) == 0 {
			continue // the same for every Python
		}
		sum += pinScore(list, r, l.cutoff, l.isProtected(r.Name))
	}
	return sum, nil
}

func pinScore(list []Release, r Requirement, asOf time.Time, subject bool) int {
	score, exists := scoreNone, false
	fit, exact := fits(looseLocal(r.Spec)), r.exact() != ""
	for _, rel := range list {
		if (!exact && rel.Uploaded.After(asOf)) || !fit(rel.Version) {
			continue
		}
		exists = true
		switch {
		case rel.Wheel:
			return scoreWheel
		case rel.Sdist:
			score = scoreSdist
		}
	}
	if score == scoreNone && !exists {
		return 0 // gone from the index: no interpreter brings it back
	}
	if score == scoreNone && subject {
		return scoreSubject
	}
	return score
}

// looseLocal drops a local label from an exact specifier, since the index
// holds the release without it.
func looseLocal(spec string) string {
	if base, _, ok := strings.Cut(spec, "+"); ok {
		return base
	}
	return spec
}

// whyNot says why a stated Python is not taken.
func whyNot(stated string) string {
	if major, _, _ := strings.Cut(stated, "."); major != "3" {
		return "cannot be installed into"
	}
	return "is not on this machine"
}

// distance of a minor version from the stated one.
func (l *ladder) distance(minor string) int {
	if l.spec.Python == "" {
		return 0
	}
	stated := minorOf(l.spec.Python)
	if major, _, _ := strings.Cut(stated, "."); major != "3" {
		stated = "3.0" // the oldest is the nearest to Python 2
	}
	d := minorNumber(minor) - minorNumber(stated)
	if d < 0 {
		return -d
	}
	return d
}

func minorNumber(minor string) int {
	_, digits, _ := strings.Cut(minor, ".")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// nextPython leaves the present interpreter for the best of the others, for
// which the pin of name scores at most worst; false when there is none or it
// may not change.
func (l *ladder) nextPython(ctx context.Context, name, why string, allowed []string, worst int) (bool, error) {
	if l.keepPython || l.spec.PythonSource == "flag" {
		return false, nil
	}
	l.left = append(l.left, l.python.Minor)
	old, skipped := l.python, l.left
	if len(allowed) > 0 {
		for _, p := range l.pythons {
			if !slices.Contains(allowed, p.Minor) {
				l.left = append(l.left, p.Minor)
			}
		}
	}
	choice := l.onePerMinor()
	var p interp.Interpreter
	var err error
	if len(choice) > 0 {
		p, err = l.bestPython(ctx)
	}
	l.left = skipped
	if err != nil || len(choice) == 0 {
		return false, err
	}
	if score, err := l.pinScoreOf(ctx, name, p.Minor); err != nil || score > worst {
		return false, err
	}
	l.step(rungPython, "python", "Python %s in place of %s: %s", p.Minor, old.Minor, why)
	l.python = p
	return true, nil
}

// pinScoreOf is the score of one pin; a package that is not pinned here scores
// like a wheel, since only the resolver can tell.
func (l *ladder) pinScoreOf(ctx context.Context, name, minor string) (int, error) {
	r, _ := l.pinOf(name)
	if r == nil {
		return scoreWheel, nil
	}
	list, err := l.on.Releases(ctx, name, minor)
	if err != nil {
		return 0, err
	}
	return pinScore(list, *r, l.cutoff, false), nil
}
