package environment

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func linesOf(list []PinLine) string {
	var out []string
	for _, p := range list {
		text := p.Name + " " + p.Version
		if p.Asked != "" {
			text += " (" + p.Asked + ")"
		}
		out = append(out, text+" "+string(p.Word)+" "+itoa(p.Rung))
	}
	return strings.Join(out, "; ")
}

func TestExplain(t *testing.T) {
	s := Spec{Python: "3.10", PythonSource: "report", Subject: "lib", AsOf: at("2024-09-01"),
		Requirements: []Requirement{req("lib==1.1.0", WordReporter)},
		Constraints: []Requirement{req("numpy==2.1.0", WordReporter), req("yank==2.0.0", WordReporter),
			req("my-private==0.3", WordReporter), req("old==7.0", WordReporter)}}
	lock, u := solve(t, mlWorld(), s)
	if u != nil {
		t.Fatal(u.Why)
	}
	want := "python 3.11.7 (3.10) reporter 5; lib 1.1.0 (==1.1.0) reporter 1; numpy 1.26.4 (==2.1.0) resolver 7; " +
		"yank  (==2.0.0) reporter 0; my-private  (==0.3) reporter 2; old  (==7.0) reporter 2"
	lines := lock.Explain(s)
	if got := linesOf(lines); got != want {
		t.Errorf("lines\n%s\nwant\n%s", got, want)
	}
	for _, p := range lines {
		if p.Rung > 0 && p.RungName == "" || p.Rung > 1 && p.Why == "" || p.Version == "" && p.Why == "" {
			t.Errorf("%+v says too little", p)
		}
	}
	asked := ""
	for _, a := range lock.Asked {
		asked += a.Name + " " + a.Asked + " -> " + a.Installed + "; "
	}
	if want := "python 3.10 -> 3.11.7; numpy ==2.1.0 -> 1.26.4; my-private ==0.3 -> ; old ==7.0 -> ; "; asked != want {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// TestExplainVariants: a CPU build is the same pin under another name, and a
// control's moved subject is said to be another version than was asked for.
func TestExplainVariants(t *testing.T) {
	s := Spec{Python: "3.11", PythonSource: "flag", Subject: "tensorflow", AsOf: at("2024-03-10"),
		Requirements: []Requirement{req("tensorflow==2.15.0", WordReporter)}}
	on := s
	on.Requirements = []Requirement{req("tensorflow-cpu==2.15.0", WordReporter)}
	lock, u := solve(t, mlWorld(), on)
	if u != nil {
		t.Fatal(u.Why)
	}
	if got := linesOf(lock.Explain(s)); got != "python 3.11.7 (3.11) flag 1; tensorflow-cpu 2.15.0 (==2.15.0) reporter 1; numpy 1.26.4 resolver 0" {
		t.Error(got)
	}
	if len(lock.Asked) != 0 {
		t.Errorf("asked %+v", lock.Asked)
	}
	w := mlWorld()
	base, u := solve(t, w, Spec{Python: "3.11", PythonSource: "flag", Subject: "lib", AsOf: at("2024-03-10"),
		Requirements: []Requirement{req("lib==1.1.0", WordReporter)}})
	if u != nil {
		t.Fatal(u.Why)
	}
	spec := Spec{Python: "3.11", PythonSource: "flag", Subject: "lib", Requirements: base.Requirements, AsOf: base.AsOf}
	moved, u, err := moveOn(t.Context(), w, spec, base, "lib", "1.2.0")
	if err != nil || u != nil {
		t.Fatalf("%v %v", u, err)
	}
	if len(moved.Asked) != 1 || moved.Asked[0].Installed != "1.2.0" || moved.Asked[0].Asked != "==1.1.0" {
		t.Errorf("asked %+v", moved.Asked)
	}
}

// TestAskedIsComplete: whatever was asked for and is not so stands in Asked,
// and nothing else does.
func TestAskedIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		versions := map[string][]string{"numpy": {"1.22.0", "1.26.4", "2.1.0", "1.99"}, "lib": {"1.1.0", "1.2.0"}, "yank": {"1.0.0", "3.0.0"}, "old": {"0.1.0"}}
		s := Spec{Python: rapid.SampledFrom([]string{"", "3.11", "3.10"}).Draw(t, "python"), PythonSource: "report", Subject: "lib", AsOf: at("2024-10-01")}
		for _, name := range []string{"lib", "numpy", "yank", "old"} {
			if name == "lib" || rapid.Bool().Draw(t, "use "+name) {
				s.Requirements = append(s.Requirements, req(name+"=="+rapid.SampledFrom(versions[name]).Draw(t, name), WordReporter))
			}
		}
		lock, u, err := newLadder(mlWorld(), s).climb(t.Context())
		if err != nil || u != nil {
			t.Fatalf("%v %v", u, err)
		}
		for _, r := range s.Requirements {
			listed := false
			for _, a := range lock.Asked {
				listed = listed || a.Name == r.Name
			}
			if same := "=="+lock.Version(r.Name) == r.Spec; same == listed {
				t.Fatalf("%s%s, installed %s: listed %t", r.Name, r.Spec, lock.Version(r.Name), listed)
			}
		}
	})
}

func TestDay(t *testing.T) {
	asked := time.Date(2024, 5, 1, 23, 59, 59, 0, time.UTC)
	s := Spec{AsOf: asked, AsOfSource: "report"}
	for name, tt := range map[string]struct {
		lock   Lock
		want   time.Time
		source string
	}{
		"as asked":            {Lock{AsOf: asked}, asked, "report"},
		"an older record":     {Lock{}, asked, "report"},
		"moved by the ladder": {Lock{AsOf: asked.AddDate(0, 1, 0)}, asked.AddDate(0, 1, 0), "report, moved from 2024-05-01 for a release that is named"},
	} {
		if day, source := tt.lock.Day(s); !day.Equal(tt.want) || source != tt.source {
			t.Errorf("%s: %v, %q", name, day, source)
		}
	}
}
