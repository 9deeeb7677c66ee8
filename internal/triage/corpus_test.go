package triage

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/repgen/repgen/internal/report"
)

var update = flag.Bool("update", false, "write measured.txt from the held-out half of the corpus")

// labelled is one report of the corpus with the route that is right for it.
type labelled struct {
	name  string
	route Route
	text  string
}

var corpusMark = regexp.MustCompile(`(?m)^-- ([a-z_]+)/([\w.-]+\.md) --\n`)

// corpusHalf reads one half of testdata/routes.
func corpusHalf(t testing.TB, half string) []labelled {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "routes", half+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	marks := corpusMark.FindAllStringSubmatchIndex(text, -1)
	var all []labelled
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		all = append(all, labelled{name: text[m[4]:m[5]], route: Route(text[m[2]:m[3]]), text: text[m[1]:end]})
	}
	return all
}

// decided keeps the decisions that several tests look at.
var decided sync.Map

type decidedOn struct {
	d   *Decision
	why string
}

// decideLabelled runs the whole reading, as a user's report gets it.
func decideLabelled(l labelled) (*Decision, string) {
	if known, ok := decided.Load(l.text); ok {
		on := known.(decidedOn)
		return on.d, on.why
	}
	r := report.Parse([]byte(l.text), report.Source{Kind: "file", Name: l.name})
	rd := newReading(r, Options{})
	d := decide(rd)
	decided.Store(l.text, decidedOn{d, rd.why})
	return d, rd.why
}

// TestCorpusDev: the half that was in view while the rules were made must be
// right, but for what is named here with the reason.
func TestCorpusDev(t *testing.T) {
	known := map[string]string{}
	for _, l := range corpusHalf(t, "dev") {
		d, why := decideLabelled(l)
		if d.Route != l.route && known[l.name] == "" {
			t.Errorf("%s: route %s (%s), want %s: %s", l.name, d.Route, why, l.route, reasonsOf(d))
		}
		if d.Route == l.route && known[l.name] != "" {
			t.Errorf("%s is right now: it is no known fault any more", l.name)
		}
	}
}

// TestMeasured counts the held-out half and compares with measured.txt, which
// the confidence is read from. Which reports are wrong is printed only on
// request: no rule may be made from them, or they are held out no more.
func TestMeasured(t *testing.T) {
	rows := map[string]measured{}
	held := corpusHalf(t, "held")
	right := 0
	for _, l := range held {
		d, why := decideLabelled(l)
		key := string(d.Route) + "\t" + why
		m := rows[key]
		m.of++
		if d.Route == l.route {
			m.right++
			right++
		}
		rows[key] = m
	}
	text := fmt.Sprintf("# Routes of %d held-out reports, %d of them right. Written by go test -run TestMeasured -update.\n# route\treason\tright\tof\n", len(held), right)
	var keys []string
	for k := range rows {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		text += fmt.Sprintf("%s\t%d\t%d\n", k, rows[k].right, rows[k].of)
	}
	if *update {
		if err := os.WriteFile("measured.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	// The file may lag behind a change elsewhere that moved one report, but it
	// must not claim more than is true.
	for _, route := range []Route{Attempt, NeedsInfo, NeedsModel, NeedsHardware, NotABug, Hostile, HumanFirst} {
		claimed := measuredShares()[string(route)]
		var now measured
		for k, m := range rows {
			if strings.HasPrefix(k, string(route)+"\t") {
				now.right, now.of = now.right+m.right, now.of+m.of
			}
		}
		if now.of == 0 || claimed.of == 0 || float64(claimed.right)/float64(claimed.of) > float64(now.right)/float64(now.of)+0.1 {
			t.Errorf("%s: measured.txt claims %d of %d, it is %d of %d (run with -update)", route, claimed.right, claimed.of, now.right, now.of)
		}
	}
	if share := float64(right) / float64(len(held)); share < 0.8 {
		t.Errorf("only %.2f of the held-out reports are routed right", share)
	}
}

func TestCorpusIsLargeAndDistinct(t *testing.T) {
	seen := map[string]string{}
	total := 0
	perRoute := map[Route]int{}
	for _, half := range []string{"dev", "held"} {
		for _, l := range corpusHalf(t, half) {
			total++
			perRoute[l.route]++
			key := strings.Join(strings.Fields(l.text), " ")
			if seen[key] != "" {
				t.Errorf("%s/%s is %s again", half, l.name, seen[key])
			}
			seen[key] = half + "/" + l.name
		}
	}
	if total < 100 {
		t.Errorf("only %d labelled reports", total)
	}
	for _, r := range []Route{Attempt, NeedsInfo, NeedsModel, NeedsHardware, NotABug, Hostile, HumanFirst} {
		if perRoute[r] < 6 {
			t.Errorf("only %d reports with the route %s", perRoute[r], r)
		}
	}
}

// TestConfidence: every decision carries a share, and of how many.
func TestConfidence(t *testing.T) {
	for _, half := range []string{"dev", "held"} {
		for _, l := range corpusHalf(t, half) {
			d, _ := decideLabelled(l)
			if d.ConfidenceOf == 0 || d.Confidence < 0 || d.Confidence > 1 {
				t.Errorf("%s: confidence %v of %d", l.name, d.Confidence, d.ConfidenceOf)
			}
		}
	}
	if share, of := confidence("no such route", "x"); share != 0 || of != 0 {
		t.Errorf("an unknown route has the share %v of %d", share, of)
	}
}
