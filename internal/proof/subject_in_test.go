package proof

import (
	"testing"

	"github.com/repgen/repgen/internal/environment"
	"github.com/repgen/repgen/internal/triage"
)

// TestSubjectIn: what is not installed has no releases to compare.
func TestSubjectIn(t *testing.T) {
	lock := &environment.Lock{Packages: []environment.Package{{Name: "gym", Version: "0.21.0"}, {Name: "tensorflow-cpu", Version: "2.8.0"}}}
	for _, c := range []struct {
		subject string
		all     []string
		want    string
		notes   int
	}{
		{"gym", []string{"gym"}, "gym", 0},
		{"tensorflow", []string{"tensorflow", "gym"}, "tensorflow-cpu", 0},
		{"ray", []string{"ray", "gym"}, "gym", 1},
		{"ray", []string{"ray"}, "ray", 0},
	} {
		p := &proof{out: &Outcome{}, subject: c.subject, in: Input{Decision: &triage.Decision{Subjects: c.all}}}
		if got := p.subjectIn(lock); got != c.want || len(p.out.Notes) != c.notes {
			t.Errorf("%s of %v: %s with %d notes, want %s with %d", c.subject, c.all, got, len(p.out.Notes), c.want, c.notes)
		}
	}
}
