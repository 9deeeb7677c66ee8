package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/environment"
)

func TestOtherSource(t *testing.T) {
	early, late := time.Date(2021, 8, 14, 23, 59, 59, 0, time.UTC), time.Date(2023, 10, 7, 12, 0, 0, 0, time.UTC)
	pinned := []environment.Requirement{{Name: "numpy"}, {Name: "pools", Spec: "==1.2.3"}}
	free := []environment.Requirement{{Name: "pools"}}
	for _, c := range []struct {
		name    string
		reqs    []environment.Requirement
		source  string
		lock    time.Time
		version string
		want    string // "": nothing is said
	}{
		{"the version that is asked for", pinned, "now", late, "1.2.3", ""},
		{"another version", pinned, "report", early, "1.3.0", "asks for pools==1.2.3, and 1.3.0"},
		{"no version, the report's day", free, "report", early, "1.3.0", ""},
		{"no version, a day that was moved", free, "report", late, "1.3.0", "as of 2023-10-07 instead of 2021-08-14, so that pools 1.3.0"},
		{"no version, no day", free, "now", early, "1.3.0", "no version of pools and no day"},
		{"a lock without a day", free, "report", time.Time{}, "1.3.0", ""},
		{"the subject came with another package", nil, "report", early, "1.3.0", ""},
	} {
		s := environment.Spec{Subject: "pools", Requirements: c.reqs, AsOf: early, AsOfSource: c.source}
		got := strings.Join(otherSource(s, &environment.Lock{AsOf: c.lock}, c.version), "\n")
		if got == "" != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
