package symptom

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// recorded is one file of testdata/records: what the observer wrote about a
// script whose output is in testdata/logs, in another execution of it.
type recorded struct {
	ExitCode   int               `json:"exit_code"`
	Exceptions []probe.Exception `json:"exceptions"`
	Warnings   []probe.Warning   `json:"warnings,omitempty"`
}

// observedIn gives the symptoms that an execution with this record shows.
func observedIn(t testing.TB, file string) []Symptom {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	log, err := os.ReadFile(filepath.Join("testdata/logs", strings.TrimSuffix(filepath.Base(file), ".json")+".log"))
	if err != nil {
		t.Fatal(err)
	}
	return FromExecution(sandbox.Execution{
		Outcome: sandbox.Exited, ExitCode: r.ExitCode, Stderr: string(log),
		Record: probe.Record{Started: true, Ended: true, Exceptions: r.Exceptions, Warnings: r.Warnings},
	})
}

// TestBothSides: what a reporter pastes and what the observer records of the
// same script are the same failure, and those of another script are not.
func TestBothSides(t *testing.T) {
	files, err := filepath.Glob("testdata/records/*.json")
	if err != nil || len(files) < 60 {
		t.Fatalf("found %d records: %v", len(files), err)
	}
	for i, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		expected := pasted(t, name)
		found := false
		var why Match
		for _, o := range observedIn(t, file) {
			for _, e := range expected {
				m := Compare(e, o)
				found = found || m.Relation == Same
				if m.Relation == Elsewhere || why.Relation == "" {
					why = m
				}
			}
		}
		if !found {
			t.Errorf("%s: the log tells of another failure than the record: %+v", name, why)
		}
		// Any other script will do; the next is cheap and never the same file.
		for _, o := range observedIn(t, files[(i+1)%len(files)]) {
			for _, e := range expected {
				if m := Compare(e, o); m.Relation == Same && Normalise(firstLine(e.Message)) != Normalise(firstLine(o.Message)) {
					t.Errorf("%s is the same as %s: %+v", name, files[(i+1)%len(files)], m)
				}
			}
		}
	}
}

// pasted are the symptoms of the log of this name.
func pasted(t testing.TB, name string) []Symptom {
	t.Helper()
	data, err := os.ReadFile("testdata/logs/" + name + ".log")
	if err != nil {
		t.Fatal(err)
	}
	_, log, _ := strings.Cut(string(data), headerEnd)
	return FromText(log)
}
