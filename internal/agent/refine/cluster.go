package refine

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/symptom"
)

// Tried is one of several scripts with what its one run showed.
type Tried struct {
	Index int // the caller's number of the script
	// Failure is equal for runs that failed alike.
	Failure string
	Hit     bool
	Clean   bool // the control ran and was right
	// Agree is how many compared fields of the failure are the report's.
	Agree int
}

// Cluster are scripts that failed alike, the most promising one first.
type Cluster struct {
	Failure string
	Members []Tried
}

// Clusters groups what was tried by the observed failure and ranks the groups by
// agreement with the report: the symptom itself first, then with a clean
// control, then the number of agreeing fields, then the size of the group (many
// independent scripts that fail alike speak for the failure; source: Libro),
// then the order of the scripts.
func Clusters(tried []Tried) []Cluster {
	at := map[string]int{}
	var out []Cluster
	for _, t := range tried {
		i, ok := at[t.Failure]
		if !ok {
			i = len(out)
			at[t.Failure] = i
			out = append(out, Cluster{Failure: t.Failure})
		}
		out[i].Members = append(out[i].Members, t)
	}
	for _, c := range out {
		slices.SortStableFunc(c.Members, better)
	}
	slices.SortStableFunc(out, func(a, b Cluster) int {
		x, y := a.Members[0], b.Members[0]
		return cmp.Or(flag(x.Hit, y.Hit), flag(x.Clean, y.Clean), cmp.Compare(y.Agree, x.Agree),
			cmp.Compare(len(b.Members), len(a.Members)), cmp.Compare(x.Index, y.Index))
	})
	return out
}

func better(a, b Tried) int {
	return cmp.Or(flag(a.Hit, b.Hit), flag(a.Clean, b.Clean), cmp.Compare(b.Agree, a.Agree), cmp.Compare(a.Index, b.Index))
}

// flag orders true before false.
func flag(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// TriedOf reads what a trial showed.
func TriedOf(index int, t *proof.Trial, hit, clean bool) Tried {
	out := Tried{Index: index, Hit: hit, Clean: clean, Failure: "no run"}
	if t == nil || t.Unavailable != nil {
		return out
	}
	out.Failure = strings.TrimSpace(fmt.Sprintf("%s %s", t.Judgement.Finding, Failure(t.Judgement.Observed)))
	for _, f := range t.Judgement.Match.Fields {
		if f.Equal {
			out.Agree++
		}
	}
	return out
}

// numbers are what differs between two failures that are one: counts,
// addresses, sizes.
var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+(?:\.\d+)?`)

// Failure names a failure without what differs from run to run: its kind and
// class, the first line of its message without numbers, the innermost frame of
// a library.
func Failure(s symptom.Symptom) string {
	message, _, _ := strings.Cut(s.Message, "\n")
	parts := []string{string(s.Kind), s.Exception, s.Signal, numbers.ReplaceAllString(message, "#")}
	for _, f := range slices.Backward(s.Frames) {
		if f.Where == "library" {
			parts = append(parts, f.File+":"+f.Function)
			break
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}
