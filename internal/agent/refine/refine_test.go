package refine

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/repgen/repgen/internal/agent/task"
)

func failed(n int, script string, stage task.Stage, signature string) task.Attempt {
	return task.Attempt{Number: n, Script: script, Reached: stage, Feedback: []task.Feedback{
		{Stage: stage, Severity: task.SeverityError, Signature: signature},
	}}
}

func TestDeadEnd(t *testing.T) {
	names := func(n int, signature string) task.Attempt {
		return failed(n, strings.Repeat("a()\n", n), task.StageNames, signature)
	}
	run := func(n int, signature string) task.Attempt {
		return failed(n, strings.Repeat("b()\n", n), task.StageRun, signature)
	}
	silent := func(n int) task.Attempt { return task.Attempt{Number: n, Reached: task.StageAnswer} }
	tests := []struct {
		name     string
		attempts []task.Attempt
		want     string // a part of the reason, "" for none
	}{
		{"nothing yet", nil, ""},
		{"one attempt", []task.Attempt{names(1, "x")}, ""},
		{"two that differ", []task.Attempt{names(1, "x"), names(2, "y")}, ""},
		{"the same script", []task.Attempt{failed(1, "a()", task.StageRun, "x"), failed(2, "a()  # again\n", task.StageRun, "y")}, "wrote the script of attempt 1 again"},
		{"the script before the last", []task.Attempt{failed(1, "a()", task.StageRun, "x"), run(2, "y"), failed(3, "a()", task.StageRun, "z")}, "wrote the script of attempt 1 again"},
		{"two equal failures teach once more", []task.Attempt{names(1, "x"), names(2, "x")}, ""},
		{"three equal failures", []task.Attempt{names(1, "x"), names(2, "x"), names(3, "x")}, "failed alike (names)"},
		{"three answers without a script", []task.Attempt{silent(1), silent(2), silent(3)}, "failed alike"},
		{"back and forth", []task.Attempt{names(1, "x"), run(2, "y"), names(3, "x")}, "back and forth"},
		{"further each time", []task.Attempt{names(1, "x"), run(2, "y"), run(3, "z")}, ""},
		{"nothing new twice", []task.Attempt{names(1, "x"), run(2, "y"), run(3, "y"), names(4, "x")}, "nothing that was not known"},
		{"one old failure is not enough", []task.Attempt{names(1, "x"), run(2, "y"), run(3, "z"), run(4, "z")}, ""},
		{"the same stage, another signature", []task.Attempt{run(1, "x"), run(2, "y"), run(3, "z"), run(4, "w")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := DeadEnd(tt.attempts)
			if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
				t.Errorf("DeadEnd = %q, want %q in it", got, tt.want)
			}
		})
	}
}

// TestDeadEndIsNoticedWithinThree: whatever repeats for ever is a dead end
// after the third attempt of the repetition at the latest.
func TestDeadEndIsNoticedWithinThree(t *testing.T) {
	for period := 1; period <= 2; period++ {
		var attempts []task.Attempt
		for n := 1; n <= 3; n++ {
			attempts = append(attempts, failed(n, strings.Repeat("a()\n", n), task.StageRun, strings.Repeat("x", n%period+1)))
		}
		if DeadEnd(attempts) == "" {
			t.Errorf("period %d: no dead end in three attempts", period)
		}
	}
}

func TestDeadEndNeverPanics(t *testing.T) {
	stages := append([]task.Stage{"", "unheard of"}, order...)
	rapid.Check(t, func(t *rapid.T) {
		var attempts []task.Attempt
		for n := range rapid.IntRange(0, 6).Draw(t, "n") {
			attempts = append(attempts, failed(n+1, rapid.StringMatching(`[ab()# "'\n]{0,12}`).Draw(t, "script"),
				rapid.SampledFrom(stages).Draw(t, "stage"), rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "signature")))
		}
		DeadEnd(attempts)
		if n := len(attempts); n > 0 && attempts[n-1].Script != "" && strings.TrimSpace(attempts[n-1].Script) != "" {
			again := append(attempts, attempts[n-1])
			if DeadEnd(again) == "" {
				t.Fatalf("the same script again is no dead end: %q", attempts[n-1].Script)
			}
		}
	})
}

func TestSame(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"x = 1\n", "x=1", true},
		{"x = 1  # one\n\n\ny = 2", "# first\nx = 1\ny = 2\n", true},
		{"f(a, b)", "f( a,b )", true},
		{"if x:\n    a()\n    b()\n", "if x:\n    a()\nb()\n", false},
		{"print('a  b')", "print('a b')", false},
		{"print('# no')", "print('')", false},
		{"not x", "notx", false},
		{"x = 1", "x = 2", false},
		{"", "", false},
		{" \n", "", false},
		{"s = '''a\n\n# b'''", "s = '''a\n# b'''", false},
		{"x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n", true},
		{"def (:\n", "def (:\n# broken", true},
	}
	for _, tt := range tests {
		if got := Same(tt.a, tt.b); got != tt.want {
			t.Errorf("Same(%q, %q) = %t: %q against %q", tt.a, tt.b, got, Normalise(tt.a), Normalise(tt.b))
		}
	}
}

func FuzzNormalise(f *testing.F) {
	f.Add("x = 1  # one\n'''a\n\n'''")
	f.Add("\x00\xff'\n#")
	f.Fuzz(func(t *testing.T, script string) {
		once := Normalise(script)
		if len(once) > len(script)+1 {
			t.Errorf("longer than the script: %q from %q", once, script)
		}
		if !Same(script, script) && strings.TrimSpace(script) != "" {
			t.Errorf("not the same as itself: %q", script)
		}
	})
}

func TestMerge(t *testing.T) {
	long := strings.Repeat("é", task.MaxFeedback)
	list := Merge(
		[]task.Feedback{
			{Stage: task.StageLint, Severity: task.SeverityWarning, Text: "warned", Signature: "w"},
			{Stage: task.StageRun, Severity: task.SeverityError, Text: long, Signature: "e"},
		},
		[]task.Feedback{
			{Stage: task.StageRun, Severity: task.SeverityError, Text: "again", Signature: "e"},
			{Stage: task.StageNames, Severity: task.SeverityError, Text: "first", Signature: "n"},
			{Stage: task.StageNames, Severity: task.SeverityError, Text: "no signature"},
			{Stage: task.StageNames, Severity: task.SeverityError, Text: "no signature"},
		},
	)
	var got []string
	for _, f := range list {
		got = append(got, f.Signature)
		if len(f.Text) > task.MaxFeedback || strings.ContainsRune(f.Text, '�') {
			t.Errorf("the text of %s is %d bytes, or cut in a rune", f.Signature, len(f.Text))
		}
	}
	if want := "n,,e,w"; strings.Join(got, ",") != want {
		t.Errorf("Merge gave %v, want %s", got, want)
	}
}

func TestMergeIsBounded(t *testing.T) {
	var many []task.Feedback
	for i := range 20 {
		many = append(many, task.Feedback{Stage: task.StageLint, Severity: task.SeverityError, Line: i, Text: strings.Repeat("x", 1500), Signature: string(rune('a' + i))})
	}
	size := 0
	for _, f := range Merge(many) {
		size += len(f.Text)
	}
	if size == 0 || size > maxMerged {
		t.Errorf("%d bytes, the limit is %d", size, maxMerged)
	}
	if Merge() != nil {
		t.Error("feedback out of nothing")
	}
}

func TestBlind(t *testing.T) {
	before := []task.Attempt{{
		Number: 1, Script: "a()", Reached: task.StageControl, Hit: true, Clean: true, Headline: "lead",
		Feedback: []task.Feedback{
			{Stage: task.StageLint, Severity: task.SeverityWarning, Text: "unused"},
			{Stage: task.StageRun, Severity: task.SeverityError, Text: "Traceback"},
			{Stage: task.StageOracle, Severity: task.SeverityError, Text: "not shown"},
			{Stage: task.StageControl, Severity: task.SeverityError, Text: "no control"},
			{Stage: task.StageProof, Severity: task.SeverityError, Text: "no release"},
		},
	}, {Number: 2, Reached: task.StageNames}}
	after := Blind(before)
	a := after[0]
	if a.Hit || a.Clean || a.Headline != "" || Ran(a.Reached) || len(a.Feedback) != 1 || a.Feedback[0].Text != "unused" {
		t.Errorf("what a run said is still there: %+v", a)
	}
	if a.Script != "a()" || after[1].Reached != task.StageNames {
		t.Errorf("more is gone than what runs said: %+v", after)
	}
	if !before[0].Hit || len(before[0].Feedback) != 5 {
		t.Error("the attempts themselves were changed")
	}
}

func TestRank(t *testing.T) {
	if Rank("unheard of") != 0 || !Ran(task.StageRun) || Ran(task.StageRefused) || !Ran(task.StageProof) {
		t.Error("stages are out of order")
	}
}

// TestSqueezeHidesNothing: scripts that are the same by their syntax are the
// same squeezed.
func TestSqueezeHidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", " ", "\n", "#", "'", `"`, "'''", "(", ")", "=", "1", "\t", "\\\n"})
		draw := func(name string) string {
			return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, name), "")
		}
		a, b := draw("a"), draw("b")
		if Normalise(a) == Normalise(b) && squeeze(a) != squeeze(b) {
			t.Fatalf("%q and %q: %q and %q", a, b, squeeze(a), squeeze(b))
		}
	})
}
