package environment

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/repgen/repgen/internal/pydist"
	"github.com/repgen/repgen/internal/report"
)

const (
	// grace is how long after the newest release that it names a report
	// without a date is taken to be written. (A guess: long enough for the
	// other half of a family to be uploaded, short enough not to meet much
	// else.)
	grace = 7 * 24 * time.Hour
	// settled is how long after a Python's release a report that names it and
	// no later day is taken to be written. (A guess: numpy and scipy had wheels
	// for 3.9 to 3.13 within a month, torch and tensorflow within half a year.)
	settled = 180 * 24 * time.Hour
	// late is how much later than a higher version an upload must be to be a
	// re-upload of an old release rather than a patch of an old line. (A
	// guess: the re-uploads seen were years late, patches of the same
	// projects months.)
	late = 365 * 24 * time.Hour
)

// endOfDay is the last second of a UTC day: some reports need an upload of the
// very day they were filed.
func endOfDay(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d, 23, 59, 59, 0, time.UTC)
}

// date decides the instant of which the index is seen: the flag, the report's
// own date, that of the project's commit, the newest release that the report
// names, else now.
func (w *inference) date(ctx context.Context) error {
	if !w.in.Date.IsZero() {
		w.spec.AsOf, w.spec.AsOfSource = w.in.Date.UTC(), "flag"
		return nil
	}
	// The hour, not the second: a lock of now can then be found again.
	now := w.in.Now.UTC().Truncate(time.Hour)
	w.spec.AsOf, w.spec.AsOfSource = now, "now"
	if created := w.in.Report.Created; !created.IsZero() {
		if day := endOfDay(created); day.Before(now) {
			w.spec.AsOf = day
		}
		w.spec.AsOfSource = "report"
		return nil
	}
	if p := w.in.Project; p != nil && !p.At.Time.IsZero() {
		w.spec.AsOfSource = "commit " + p.At.Short()
		if p.At.Time.Before(now) {
			w.spec.AsOf = p.At.Time.UTC()
		}
		return nil
	}
	r, name, err := w.newestNamed(ctx)
	if err != nil || name == "" {
		return err
	}
	day, source := endOfDay(r.Uploaded.Add(grace)), fmt.Sprintf("release %s %s + 7 days", name, r.Version)
	// A package may be the newest of its kind for years: who had a Python of
	// 2022 did not report in 2021.
	if released, ok := releasedOn(w.spec.Python); ok && released.After(day) {
		day, source = endOfDay(released.Add(settled)), fmt.Sprintf("release of Python %s + 180 days", w.spec.Python)
	}
	if day.Before(now) {
		w.spec.AsOf, w.spec.AsOfSource = day, source
	}
	return nil
}

// newestNamed is the release named by the report that was uploaded last.
// Exact versions decide; partial ones only where there is no exact one, by
// their first release. Re-uploads say nothing of the day.
func (w *inference) newestNamed(ctx context.Context) (best Release, name string, err error) {
	stated := w.stated()
	names := make([]string, 0, len(stated))
	for _, v := range stated {
		names = append(names, pydist.Normalize(v.Dist))
	}
	if err := w.index.prefetch(ctx, names); err != nil {
		return Release{}, "", err
	}
	for _, kind := range []report.VersionKind{report.VersionExact, report.VersionPartial} {
		for _, v := range stated {
			if v.Kind != kind {
				continue
			}
			dist := pydist.Normalize(v.Dist)
			list, err := w.index.Releases(ctx, dist, w.spec.Python)
			if err != nil {
				return Release{}, "", err
			}
			r, ok := first(list, looseLocal(pin(v)))
			if !ok {
				r, ok = nightly(v.Spec)
			}
			if ok && !reuploaded(list, r) && r.Uploaded.After(best.Uploaded) {
				best, name = r, dist
			}
		}
		if name != "" {
			return best, name, nil
		}
	}
	return best, name, nil
}

var devDay = regexp.MustCompile(`\.dev(20[0-9]{6})(?:\+|$)`)

// nightly is a development build that is named by its day. The index keeps
// them for days only, but the name tells when it was.
func nightly(version string) (Release, bool) {
	m := devDay.FindStringSubmatch(version)
	if m == nil {
		return Release{}, false
	}
	at, err := time.Parse("20060102", m[1])
	return Release{Version: clip(version, 40), Uploaded: at, Pre: true}, err == nil
}

// stated are the versions that the reporter had in hands, good ones included.
func (w *inference) stated() []report.Version {
	var out []report.Version
	for _, v := range w.in.Report.Versions {
		if v.Local || v.Role == report.RoleMention || v.Dist == "" || v.Dist == "python" || !usable(v) {
			continue
		}
		out = append(out, v)
	}
	return out
}

// first is the lowest stable release that fits.
func first(list []Release, spec string) (Release, bool) {
	fit, exact := fits(spec), Requirement{Spec: spec}.exact() != ""
	for _, r := range list {
		if !r.Uploaded.IsZero() && (!r.Pre || exact) && fit(r.Version) {
			return r, true
		}
	}
	return Release{}, false
}

// reuploaded is true for a release whose upload time is far later than that of
// a higher version: the index got it back, the time says nothing.
func reuploaded(list []Release, r Release) bool {
	seen := false
	for _, other := range list {
		if other.Version == r.Version {
			seen = true
			continue
		}
		if seen && !other.Pre && !other.Uploaded.IsZero() && r.Uploaded.Sub(other.Uploaded) > late {
			return true
		}
	}
	return false
}
