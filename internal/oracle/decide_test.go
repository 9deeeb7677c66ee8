package oracle

import (
	"slices"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/symptom"
)

// findings builds a judged group: "hhhhh" is five hits, c clean, w within,
// a absent, x collision, i inconclusive, l a limit of ours, f a forged record.
func findings(side Side, version, letters string) Group {
	g := Group{Side: side, Subject: "lib", Version: version, Older: version != "" && older(version, "2.0")}
	for _, l := range letters {
		j := Judgement{Reasons: []string{"reason " + string(l)}}
		switch l {
		case 'h':
			j.Finding, j.Match.Relation = Hit, symptom.Same
		case 'H': // a hit that shares class, message and frame
			j.Finding = Hit
			j.Match = symptom.Match{Relation: symptom.Same, Fields: []symptom.FieldMatch{
				{Field: "exception", Expected: "TypeError", Observed: "TypeError", Equal: true},
				{Field: "message", Expected: "m", Observed: "m", Equal: true},
				{Field: "frame", Expected: "lib/core.py in f", Observed: "lib/core.py in f", Equal: true},
				{Field: "signal", Expected: "SIGABRT", Observed: "SIGABRT", Equal: true},
				{Field: "fatal_line", Expected: "Check failed", Observed: "Check failed", Equal: true},
			}}
		case 'c':
			j.Finding = Clean
		case 'w':
			j.Finding = Within
		case 'a':
			j.Finding = Absent
		case 'x':
			j.Finding = Collided
		case 'i':
			j.Finding, j.Fault = Inconclusive, FaultMissingModule
		case 'l':
			j.Finding, j.Limit = Inconclusive, true
		case 'f':
			j.Finding, j.Fault = Inconclusive, FaultForged
		}
		g.Judgements = append(g.Judgements, j)
	}
	return g
}

var (
	printedClaim = Expectation{Oracle: OraclePrinted, ReporterScript: true}
	crashClaim   = Expectation{Oracle: OracleException, ReporterScript: true, Symptom: symptom.Symptom{
		Kind: symptom.Exception, Exception: "TypeError", Message: "m",
		Frames: []symptom.Frame{{File: "lib/core.py", Package: "lib", Where: "library", Function: "f"}},
	}}
	signalClaim = Expectation{Oracle: OracleSignal, ReporterScript: true, Symptom: symptom.Symptom{
		Kind: symptom.Signal, Signal: "SIGABRT", FatalLine: "Check failed",
	}}
)

// TestDecide holds every headline, every grade and every numbered rule that
// this room decides.
func TestDecide(t *testing.T) {
	bad := func(letters string) Group { return findings(SideReported, "2.0", letters) }
	newest := func(letters string) Group { return findings(SideNewest, "3.0", letters) }
	neutral := findings(SideNeutral, "", "c")
	moved := newest("ccc")
	moved.MovedNamed = []string{"other"}
	standIn := newest("ccc")
	standIn.StandIn = true
	gone := findings(SideReported, "2.0", "")
	gone.Unavailable = "no wheel"
	lib := func(oracle Name) Expectation { return Expectation{Oracle: oracle, ReporterScript: true} }
	strangers := func(o Name) Expectation { return Expectation{Oracle: o} }
	asks := printedClaim
	asks.Asks = true
	foreign := crashClaim
	foreign.ReporterScript = false
	vague := crashClaim
	vague.Symptom.Frames = nil

	for _, c := range []struct {
		name     string
		e        Expectation
		ev       Evidence
		headline Headline
		grade    Grade
		also     []Headline
		newest   string
		reason   string
	}{
		// headlines after hits
		{"a real fix on which the stated output does not come", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), findings(SideFix, "abc", "aaa")}}, Reproduced, "A", nil, "not_run", "p = 0.018"},
		{"reproduced by a real fix", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), findings(SideFix, "abc", "ccc")}}, Reproduced, "A", nil, "not_run", "p = 0.018"},
		{"fixed", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), newest("ccc")}}, Fixed, "B", nil, "no", "gone somewhere between lib 2.0 and 3.0"},
		{"regression", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), findings(SideRelease, "1.9", "ccc"), newest("hhh")}}, Regression, "B", nil, "yes", "came somewhere between lib 1.9 and 2.0"},
		{"regression between neighbours", printedClaim, Evidence{Adjacent: true, Groups: []Group{bad("hhhhh"), findings(SideRelease, "1.9", "ccc")}}, Regression, "B", nil, "not_run", "came with lib 2.0"},
		{"regression and fixed", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), findings(SideNamed, "1.9", "ccc"), newest("ccc")}}, Regression, "B", []Headline{Fixed}, "no", ""},
		{"gone in a later release, newest not run", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), findings(SideRelease, "2.5", "ccc")}}, Reproduced, "B", nil, "not_run", "between lib 2.0 and 2.5"},
		{"newest inconclusive", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), findings(SideRelease, "2.5", "ccc"), newest("iii")}}, Reproduced, "B", nil, "inconclusive", ""},
		{"flaky, proved", printedClaim, Evidence{Groups: []Group{bad("hhhhccccccc"), findings(SideRelease, "2.5", "cccccccccccccccc")}}, Flaky, "B", nil, "not_run", ""},
		{"flaky, not beyond chance", printedClaim, Evidence{Groups: []Group{bad("hhccc"), findings(SideRelease, "2.5", "ccccc")}}, Flaky, "D", nil, "not_run", "may be chance"},
		{"flaky and fixed", printedClaim, Evidence{Groups: []Group{bad("hhhhccccccc"), newest("cccccccccccccccc")}}, Fixed, "B", []Headline{Flaky}, "no", ""},
		{"too rare without control", printedClaim, Evidence{Groups: []Group{bad("hhccc")}}, Lead, "D", nil, "not_run", "run more"},
		{"one hit of five", printedClaim, Evidence{Groups: []Group{bad("hcccc"), newest("ccccc")}}, Lead, "D", nil, "no", "run more"},
		{"no control", printedClaim, Evidence{Groups: []Group{bad("hhhhh")}}, Lead, "D", nil, "not_run", "no control"},

		// grade C
		{"explicit crash", crashClaim, Evidence{Groups: []Group{bad("HHHHH"), neutral}}, Reproduced, "C", nil, "not_run", "certificate script ran clean"},
		{"explicit crash, on every release", crashClaim, Evidence{Groups: []Group{bad("HHHHH"), newest("HHH"), neutral}}, Reproduced, "C", nil, "yes", "shows it too"},
		{"explicit crash of somebody else's script", foreign, Evidence{Groups: []Group{bad("HHHHH"), neutral}}, Lead, "D", nil, "not_run", "somebody else's"},
		{"somebody else's script, absent on a release", foreign, Evidence{Groups: []Group{bad("HHHHH"), newest("ccc"), neutral}}, Fixed, "B", nil, "no", "p = 0.018"},
		{"explicit crash without neutral control", crashClaim, Evidence{Groups: []Group{bad("HHHHH")}}, Lead, "D", nil, "not_run", ""},
		{"explicit crash, neutral crashes too", crashClaim, Evidence{Groups: []Group{bad("HHHHH"), findings(SideNeutral, "", "H")}}, Lead, "D", nil, "not_run", "did not run clean"},
		{"explicit crash, no frame shown", vague, Evidence{Groups: []Group{bad("HHHHH"), neutral}}, Lead, "D", nil, "not_run", ""},
		{"crash whose message was not stated", crashClaim, Evidence{Groups: []Group{bad("hhhhh"), neutral}}, Lead, "D", nil, "not_run", ""},
		{"signal with fatal line", signalClaim, Evidence{Groups: []Group{bad("HHHHH"), neutral}}, Reproduced, "C", nil, "not_run", ""},
		{"printed is no explicit crash", printedClaim, Evidence{Groups: []Group{bad("HHHHH"), neutral}}, Lead, "D", nil, "not_run", ""},
		{"contrast named by the reporter", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), findings(SideContrast, "2.0", "ccc")}}, Reproduced, "C", nil, "not_run", ""},
		{"explicit crash, rare", crashClaim, Evidence{Groups: []Group{bad("Hcccc"), neutral}}, Lead, "D", nil, "not_run", "run more"},

		// rule 1 and 4: right, not merely different; every oracle is proved
		{"a release that only differs", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), newest("aaa")}}, Lead, "D", nil, "inconclusive", "proves nothing"},
		{"a named good release may merely lack it", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), findings(SideNamed, "1.9", "aaa")}}, Regression, "B", nil, "not_run", ""},
		{"a control that dies elsewhere", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), newest("xxx")}}, Lead, "D", nil, "inconclusive", "proves nothing"},
		{"a control that is not always clean", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), newest("cccch")}}, Lead, "D", nil, "yes", "shows it too"},
		{"a control probed once", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), newest("c")}}, Lead, "D", nil, "inconclusive", "1 times only"},
		{"three of five against three", printedClaim, Evidence{Groups: []Group{bad("hhhcc"), newest("ccc")}}, Lead, "D", nil, "no", "p = 0.18"},
		{"vacuous: everywhere", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), newest("hhh"), findings(SideRelease, "1.0", "hhh")}}, Lead, "D", nil, "yes", "never seen to say no"},
		// rule 2: tolerance
		{"inside the tolerance", printedClaim, Evidence{Groups: []Group{bad("wwwww"), newest("ccc")}}, NotABug, "", nil, "no", "reason w"},
		{"control inside the tolerance is clean", lib(OracleAssert), Evidence{Groups: []Group{bad("hhhhh"), newest("wcw")}}, Fixed, "B", nil, "no", ""},
		// rule 8: stand-ins and moved packages
		{"stand-in control", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), standIn}}, Lead, "D", nil, "no", "stand-in"},
		{"stand-in reported side", printedClaim, Evidence{StandIn: true, Groups: []Group{bad("hhhhh"), newest("ccc")}}, Lead, "D", nil, "no", "stand-in"},
		{"stand-in shows nothing", printedClaim, Evidence{Certified: true, StandIn: true, Groups: []Group{bad("ccccc")}}, EnvUnavailable, "", nil, "not_run", ""},
		{"a named package moved", printedClaim, Evidence{Groups: []Group{bad("hhhhh"), moved}}, Lead, "D", nil, "no", "moved other"},
		// rule 11
		{"asks: contrast is not enough", asks, Evidence{Groups: []Group{bad("hhhhh"), findings(SideContrast, "2.0", "ccc")}}, Lead, "D", nil, "not_run", "release pair"},
		{"asks: a release pair is", asks, Evidence{Groups: []Group{bad("hhhhh"), newest("ccc")}}, Fixed, "B", nil, "no", ""},
		// rule 12
		{"lowered and clean", printedClaim, Evidence{Certified: true, Lowered: true, Groups: []Group{bad("ccccc")}}, NeedsHardware, "", nil, "not_run", ""},
		{"seen on a device, and clean", printedClaim, Evidence{Certified: true, OnDevice: true, Groups: []Group{bad("ccccc")}}, NeedsHardware, "", nil, "not_run", ""},
		{"seen on a device, and hit", printedClaim, Evidence{OnDevice: true, Groups: []Group{bad("hhhhh"), newest("ccc")}}, Fixed, "B", nil, "no", ""},
		{"lowered and hit", printedClaim, Evidence{Lowered: true, Groups: []Group{bad("hhhhh"), newest("ccc")}}, Fixed, "B", nil, "no", "weakens"},
		// whose words the script speaks
		{"a stranger's prints", strangers(OraclePrinted), Evidence{Groups: []Group{bad("hhhhh"), newest("ccc")}}, Lead, "D", nil, "no", "not the reporter's"},
		{"a stranger's asserts", strangers(OracleAssert), Evidence{Groups: []Group{bad("hhhhh"), newest("ccc")}}, Lead, "D", nil, "no", "not the reporter's"},
		{"a stranger's exception", strangers(OracleException), Evidence{Groups: []Group{bad("hhhhh"), newest("ccc")}}, Fixed, "B", nil, "no", ""},
		// differential
		{"differential against the named release", lib(OracleDifferential), Evidence{Groups: []Group{bad("hhhhh"), findings(SideNamed, "1.9", "ccc")}}, Regression, "B", nil, "not_run", ""},
		{"differential against any release", lib(OracleDifferential), Evidence{Groups: []Group{bad("hhhhh"), newest("ccc")}}, Lead, "D", nil, "no", "nobody said"},
		// imports
		{"certificate fails as reported", lib(OracleImportError), Evidence{CertificateHit: true, Groups: []Group{bad("hhhhh"), newest("ccc")}}, Fixed, "B", nil, "no", "certificate fails"},
		{"certificate alone", lib(OracleImportError), Evidence{CertificateHit: true, Groups: []Group{gone}}, Lead, "D", nil, "not_run", ""},

		// headlines without hits
		{"another release shows it", printedClaim, Evidence{Certified: true, Groups: []Group{bad("ccccc"), findings(SideRelease, "1.0", "hhh")}}, Undecided, "", nil, "not_run", "lib 1.0 (another release) shows it, 3 of 3"},
		{"not reproduced says what zero is worth", printedClaim, Evidence{Certified: true, Groups: []Group{bad("ccccc")}}, NotReproduced, "", nil, "not_run", "fewer than 45 %"},
		{"nothing was seen to be right", printedClaim, Evidence{Certified: true, Groups: []Group{bad("aaaaa")}}, Undecided, "", nil, "not_run", "what should have come"},
		{"most failed otherwise", printedClaim, Evidence{Certified: true, Groups: []Group{bad("ccaaa")}}, Undecided, "", nil, "not_run", "only 2 of 5"},
		{"a release that nobody named", printedClaim, Evidence{Certified: true, Groups: []Group{bad("ccccc")}, Open: []Open{{Kind: "release", Text: "lib 2.0 ran"}}}, Undecided, "", nil, "not_run", "open: lib 2.0 ran"},
		{"a crash of another kind, on a release that nobody named", crashClaim, Evidence{Certified: true, Groups: []Group{bad("xxxxx")}, Open: []Open{{Kind: "release", Text: "lib 2.0 ran"}}}, Undecided, "", nil, "not_run", "open: lib 2.0 ran"},
		{"within the tolerance once", printedClaim, Evidence{Certified: true, Groups: []Group{bad("wxxxx")}}, Undecided, "", nil, "not_run", "only 1 of 5"},
		{"a collision among clean runs", printedClaim, Evidence{Certified: true, Groups: []Group{bad("ccccx")}}, NotReproduced, "", nil, "not_run", "failed otherwise"},
		{"never certified", printedClaim, Evidence{Groups: []Group{bad("ccccc")}}, Failed, "", nil, "not_run", "never certified"},
		{"different failure", crashClaim, Evidence{Certified: true, Groups: []Group{bad("xxxxx")}}, DifferentFailure, "", nil, "not_run", "5 of 5"},
		{"our limit", crashClaim, Evidence{Certified: true, Groups: []Group{bad("lllll")}}, Exhausted, "", nil, "not_run", ""},
		{"budget before the first run", crashClaim, Evidence{Certified: true, BudgetEnded: true, Groups: []Group{gone}}, Exhausted, "", nil, "not_run", ""},
		{"budget after two clean runs", crashClaim, Evidence{Certified: true, BudgetEnded: true, Groups: []Group{bad("cc")}}, Exhausted, "", nil, "not_run", ""},
		{"environment fault left over", crashClaim, Evidence{Certified: true, Groups: []Group{bad("iiiii")}}, Failed, "", nil, "not_run", "reason i"},
		{"nothing ran", crashClaim, Evidence{Groups: nil}, Failed, "", nil, "not_run", "no execution"},
		{"forged", crashClaim, Evidence{Groups: []Group{bad("hhhhf"), newest("ccc")}}, Hostile, "", nil, "no", "private channel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Decide(c.e, c.ev)
			if v.Headline != c.headline || v.Grade != c.grade || !slices.Equal(v.Also, c.also) || v.OnNewest != c.newest {
				t.Errorf("%s %q also %v newest %s; want %s %q %v %s\n%s", v.Headline, v.Grade, v.Also, v.OnNewest,
					c.headline, c.grade, c.also, c.newest, strings.Join(v.Reasons, "\n"))
			}
			if !strings.Contains(strings.Join(v.Reasons, "\n"), c.reason) {
				t.Errorf("no reason says %q:\n%s", c.reason, strings.Join(v.Reasons, "\n"))
			}
			if len(v.Reasons) == 0 {
				t.Error("no reasons at all")
			}
		})
	}
}

// TestNearestReleases: of several clean releases the nearest on each side are
// named.
func TestNearestReleases(t *testing.T) {
	v := Decide(printedClaim, Evidence{Groups: []Group{
		findings(SideReported, "2.0", "hhhhh"),
		findings(SideRelease, "1.2", "ccc"), findings(SideRelease, "1.10", "ccc"), findings(SideRelease, "1.9", "ccc"),
		findings(SideRelease, "2.10", "ccc"), findings(SideRelease, "2.9", "ccc"), findings(SideNewest, "10.0", "ccc"),
	}})
	if v.GoodBefore != "1.10" || v.FirstFixed != "2.9" {
		t.Errorf("good before %q, first fixed %q", v.GoodBefore, v.FirstFixed)
	}
}

// TestAcceleratorCollision: a script that dies for want of a device was never
// judged, whatever else was reported. A message that only speaks of one is
// another failure.
func TestAcceleratorCollision(t *testing.T) {
	for message, want := range map[string]Headline{
		"Torch not compiled with CUDA enabled":                                     NeedsHardware,
		"Check failed: AllVisibleGPUs() >= 1 (0 vs. 1) : No visible GPU is found.": NeedsHardware,
		"Booster version not compiled with GPU support.":                           NeedsHardware,
		"GPU Tree Learner was not enabled in this build.":                          NeedsHardware,
		"No OpenCL device found":                                                   NeedsHardware,
		"Environment for task type [GPU] not found":                                NeedsHardware,
		"CUDA error 100: no CUDA-capable device is detected":                       NeedsHardware,
		"unknown parameter gpu_id":                                                 DifferentFailure,
		"no column named GPU found in the table":                                   DifferentFailure,
		"tree_method must be hist or gpu_hist":                                     DifferentFailure,
	} {
		g := findings(SideReported, "2.0", "xxxxx")
		for i := range g.Judgements {
			g.Judgements[i].Observed = symptom.Symptom{Kind: symptom.Exception, Exception: "AssertionError", Message: message}
		}
		if v := Decide(crashClaim, Evidence{Certified: true, Groups: []Group{g}}); v.Headline != want {
			t.Errorf("%s: %s: %v", message, v.Headline, v.Reasons)
		}
	}
}

// TestWhyLead: a release that is without it is not denied where the reason that
// it does not count is another.
func TestWhyLead(t *testing.T) {
	newest := func(f Finding) Group {
		return Group{Side: SideNewest, Version: "2.0", Judgements: []Judgement{{Finding: f}}}
	}
	loose := []string{"the report names none of what the script calls"}
	for name, c := range map[string]struct {
		ev   Evidence
		want string
	}{
		"clean, unanchored": {Evidence{Unanchored: loose, Groups: []Group{newest(Clean)}}, ""},
		"clean":             {Evidence{Groups: []Group{newest(Clean)}}, "no control was seen to be without it"},
		"hit, unanchored":   {Evidence{Unanchored: loose, Groups: []Group{newest(Hit)}}, "every release that was tried shows it: the oracle was never seen to say no"},
		"nothing ran":       {Evidence{Unanchored: loose}, "no control was seen to be without it"},
	} {
		if got := whyLead(Expectation{Oracle: OracleObserved}, c.ev, grading{}, false); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestStandInUnjudged: where nobody looked for the symptom, a stand-in does not
// "not show" it.
func TestStandInUnjudged(t *testing.T) {
	ev := Evidence{Certified: true, StandIn: true, Groups: []Group{findings(SideReported, "2.0", "aaaaa")}}
	v := Decide(Expectation{Oracle: OracleNone}, ev)
	if v.Headline != EnvUnavailable || len(v.Reasons) == 0 || strings.Contains(v.Reasons[0], "does not show") {
		t.Errorf("%s: %q", v.Headline, v.Reasons)
	}
}

// TestFailedUnjudged: where no symptom is known, a failure is not another one.
func TestFailedUnjudged(t *testing.T) {
	e := Expectation{Oracle: OracleNone}
	ev := Evidence{Certified: true, Groups: []Group{repeat(SideReported, "2.0", 5, raised("ValueError", "x", inLibrary))}}
	for i, ex := range ev.Groups[0].Executions {
		ev.Groups[0].Judgements = append(ev.Groups[0].Judgements[:i], Judge(e, ex))
	}
	v := Decide(e, ev)
	if all := strings.Join(v.Reasons, " "); v.Headline != Lead || !strings.Contains(all, "it failed: ValueError: x") || strings.Contains(all, "otherwise") {
		t.Errorf("%s: %q", v.Headline, v.Reasons)
	}
}

// TestOnlyWanted: where a report states only what should come, a failure of the
// library may be the very thing that it reports, and is no other one.
func TestOnlyWanted(t *testing.T) {
	wanted := Expectation{Oracle: OraclePrinted, ReporterScript: true, Printed: &Printed{Expected: []Line{{Text: "torch.Size([1, 3])"}}}}
	both := wanted
	both.Printed = &Printed{Actual: []Line{{Text: "torch.Size([3])"}}, Expected: wanted.Printed.Expected}
	for _, c := range []struct {
		e         Expectation
		exception string
		want      Headline
	}{
		{wanted, "RuntimeError", Lead}, {wanted, "NameError", DifferentFailure}, {wanted, "ModuleNotFoundError", DifferentFailure},
		{both, "RuntimeError", DifferentFailure},
	} {
		g := findings(SideReported, "2.0", "xxxxx")
		for i := range g.Judgements {
			g.Judgements[i].Observed = symptom.Symptom{Kind: symptom.Exception, Exception: c.exception, Message: "no"}
			if c.exception == "ModuleNotFoundError" {
				g.Judgements[i].Observed.Kind = symptom.ImportError
			}
		}
		if v := Decide(c.e, Evidence{Certified: true, Groups: []Group{g}}); v.Headline != c.want || v.Grade != "" {
			t.Errorf("%s: %s %q: %v", c.exception, v.Headline, v.Grade, v.Reasons)
		}
	}
}

// TestFlakyOnAControlOnly: what came in two of five is flaky beside a control
// that may be one, and nothing yet beside a clean group that proves nothing.
func TestFlakyOnAControlOnly(t *testing.T) {
	clean := func(change func(*Group)) Group {
		g := findings(SideRelease, "3.0", "ccccc")
		change(&g)
		return g
	}
	for name, c := range map[string]struct {
		control Group
		want    Headline
	}{
		"a release":            {clean(func(*Group) {}), Flaky},
		"a stand-in":           {clean(func(g *Group) { g.StandIn = true }), Lead},
		"another package too":  {clean(func(g *Group) { g.MovedNamed = []string{"numpy"} }), Lead},
		"the call not reached": {clean(func(g *Group) { g.Lacks = []string{"lib.call"} }), Lead},
	} {
		ev := Evidence{Certified: true, Groups: []Group{findings(SideReported, "2.0", "hhccc"), c.control}}
		if v := Decide(printedClaim, ev); v.Headline != c.want {
			t.Errorf("%s: %s %q: %v", name, v.Headline, v.Grade, v.Reasons)
		}
	}
}
