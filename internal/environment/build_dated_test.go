package environment

import (
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
)

// TestBuildDated: build requirements are those of the environment's date, and
// when the source is refused by them, those of the days after its own upload.
func TestBuildDated(t *testing.T) {
	now, then := at("2024-06-01"), at("2021-10-03")
	for _, c := range []struct {
		name     string
		asOf     time.Time
		uploaded time.Time
		fails    int // builds that fail before one works
		ok       bool
		dates    string // the builds' days
	}{
		{"the first works", now, then, 0, true, "2024-06-01"},
		{"the second works", now, then, 1, true, "2024-06-01 2021-10-10"},
		{"none works", now, then, 2, false, "2024-06-01 2021-10-10"},
		{"a date near the upload has no second", at("2021-10-05"), then, 1, false, "2021-10-05"},
		{"an unknown upload has no second", now, time.Time{}, 1, false, "2024-06-01"},
		{"no date", time.Time{}, then, 1, true, "none 2021-10-10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkshop(t, "")
			builds := 0
			w.box.run = func(sandbox.Command) sandbox.Execution {
				if builds++; builds <= c.fails {
					return sandbox.Execution{Outcome: sandbox.Exited, ExitCode: 1, Stderr: "error in setup command, build " + itoa(builds)}
				}
				return sandbox.Execution{Outcome: sandbox.Exited}
			}
			s := sourceBuild{archive: "x.tar.gz", label: "x", system: buildSystem{Requires: []string{"setuptools"}}, python: w.python, asOf: c.asOf, tail: 1}
			err := w.buildDated(t.Context(), s, c.uploaded, t.TempDir())
			if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "build 1") {
				t.Errorf("%v", err)
			}
			var days []string
			for line := range strings.Lines(read(t, w.log)) {
				if !strings.Contains(line, "--generate-hashes") {
					continue // uv was asked for the index
				}
				date := "none"
				if _, rest, found := strings.Cut(line, "--exclude-newer "); found {
					date, _, _ = strings.Cut(rest, "T")
				}
				days = append(days, date)
			}
			if got := strings.Join(days, " "); got != c.dates {
				t.Errorf("built as of %q, want %q", got, c.dates)
			}
		})
	}
}
