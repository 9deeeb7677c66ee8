package probe

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// find is the observation of a name.
func find(t *testing.T, list []Observation, name string) Observation {
	t.Helper()
	for _, o := range list {
		if o.Name == name {
			return o
		}
	}
	t.Errorf("nothing recorded under %q", name)
	return Observation{}
}

func ended(t *testing.T, rec Record) {
	t.Helper()
	if !rec.Ended || rec.PeakRSS < 1<<20 || rec.Malformed != 0 || rec.Forged || rec.Truncated {
		t.Errorf("ended %v, peak %d, malformed %d, forged %v", rec.Ended, rec.PeakRSS, rec.Malformed, rec.Forged)
	}
}

// main is the main thread's only exception.
func mainException(t *testing.T, rec Record) Exception {
	t.Helper()
	if len(rec.Exceptions) != 1 || rec.Exceptions[0].Thread != "" {
		t.Fatalf("exceptions: %+v", rec.Exceptions)
	}
	return rec.Exceptions[0]
}

// checkControl: the two spellings of control are one, true only where it is asked
// for.
func checkControl(want string) func(*testing.T, observed) {
	return func(t *testing.T, o observed) {
		ended(t, o.rec)
		if c := find(t, o.rec.Observations, "control"); c.Kind != "bool" || c.Text != want {
			t.Errorf("control: %+v", c)
		}
		if find(t, o.rec.Observations, "same").Text != "True" || find(t, o.rec.Observations, "kind").Text != "bool" {
			t.Errorf("observations: %+v", o.rec.Observations)
		}
	}
}

func checkClean(t *testing.T, o observed) {
	ended(t, o.rec)
	if want := "names []\npath []\nenviron []\nargv 1\n"; o.stdout != want || o.stderr != "" {
		t.Errorf("the script saw the observer: %q, stderr %q", o.stdout, o.stderr)
	}
	if v := find(t, o.rec.Names, "value"); v.Kind != "float" || v.Text != "inf" {
		t.Errorf("value: %+v", v)
	}
	if len(o.rec.Names) != 1 || len(o.rec.Exceptions) != 0 {
		t.Errorf("names %v, exceptions %v", o.rec.Names, o.rec.Exceptions)
	}
}

func checkChain(t *testing.T, o observed) {
	ended(t, o.rec)
	e := mainException(t, o.rec)
	if e.Type != "RuntimeError" || e.Message != "while converting" || !slices.Contains(e.MRO, "Exception") {
		t.Errorf("exception: %+v", e)
	}
	last := e.Frames[len(e.Frames)-1]
	if last.Function != "outer" || last.Line != 13 || last.Module != "__main__" || last.Source != `raise RuntimeError("while converting")` {
		t.Errorf("last frame: %+v", last)
	}
	if len(e.Chain) != 2 || e.Chain[0].Type != "KeyError" || e.Chain[0].Link != "context" ||
		e.Chain[1].Type != "ValueError" || e.Chain[1].Link != "cause" {
		t.Fatalf("chain: %+v", e.Chain)
	}
	if !strings.Contains(e.Chain[0].Message, "zwölf") {
		t.Errorf("message: %q", e.Chain[0].Message)
	}
	if v := find(t, o.rec.Names, `local[1]["k"]`); v.Text != "-0.0" {
		t.Errorf("a local of the raising frame: %+v", v)
	}
}

func checkReplacedHook(t *testing.T, o observed) {
	ended(t, o.rec)
	if e := mainException(t, o.rec); e.Type != "LookupError" || o.stdout != "mine LookupError\n" || o.stderr != "" {
		t.Errorf("exception %+v, stdout %q, stderr %q", e, o.stdout, o.stderr)
	}
}

func checkSyntaxError(t *testing.T, o observed) {
	ended(t, o.rec)
	e := mainException(t, o.rec)
	if e.Type != "SyntaxError" || len(e.Frames) != 1 || e.Frames[0].Line != 2 || e.Frames[0].Source != "if x = 2:" ||
		filepath.Base(e.Frames[0].File) != "reproduce.py" {
		t.Errorf("exception: %+v", e)
	}
}

func checkThreads(t *testing.T, o observed) {
	ended(t, o.rec)
	var got []string
	for _, e := range o.rec.Exceptions {
		got = append(got, e.Thread+" "+e.Type+" "+e.Message)
	}
	if want := []string{"first OSError in a thread", "second EOFError own run"}; !slices.Equal(got, want) {
		t.Errorf("exceptions: %q", got)
	}
	if o.exit != 0 || o.stdout != "main goes on\n" {
		t.Errorf("exit %d, stdout %q", o.exit, o.stdout)
	}
}

func checkWarn(t *testing.T, o observed) {
	ended(t, o.rec)
	if len(o.rec.Warnings) == 0 || o.stdout != "1\n" {
		t.Fatalf("warnings: %+v, stdout %q", o.rec.Warnings, o.stdout)
	}
	w := o.rec.Warnings[0]
	if w.Category != "__main__.Careful" || w.Message != "during fit" || w.Line != 9 || !slices.Contains(w.MRO, "UserWarning") {
		t.Errorf("warning: %+v", w)
	}
	var functions []string
	for _, f := range w.Frames {
		functions = append(functions, f.Function)
	}
	if !slices.Equal(functions, []string{"<module>", "fit"}) || w.Frames[1].Source != `warnings.warn("during fit", Careful)` {
		t.Errorf("stack: %+v", w.Frames)
	}
	for _, w := range o.rec.Warnings {
		if w.Message == "caught" || w.Message == "filtered" {
			t.Errorf("a warning that was not shown: %+v", w)
		}
	}
}

func checkExitText(t *testing.T, o observed) {
	ended(t, o.rec)
	if o.rec.SystemExit != "'gave up'" || o.exit != 1 || o.stderr != "gave up\n" || len(o.rec.Exceptions) != 0 {
		t.Errorf("system exit %q, exit %d, stderr %q", o.rec.SystemExit, o.exit, o.stderr)
	}
}

func checkHardExit(t *testing.T, o observed) {
	if o.rec.Ended || o.exit != 3 || o.rec.Malformed != 0 {
		t.Errorf("exit %d, record %+v", o.exit, o.rec)
	}
}

func checkSegfault(t *testing.T, o observed) {
	if o.rec.Ended || o.exit != -1 || !strings.Contains(o.rec.Fatal, "Segmentation fault") || !strings.Contains(o.rec.Fatal, "in crash") {
		t.Errorf("exit %d, fatal %q", o.exit, o.rec.Fatal)
	}
	if o.stderr != "" {
		t.Errorf("the observer's fault handler wrote to stderr: %q", o.stderr)
	}
}

func checkAbort(t *testing.T, o observed) {
	if o.rec.Ended || o.exit != -1 || !strings.Contains(o.rec.Fatal, "Aborted") {
		t.Errorf("exit %d, fatal %q", o.exit, o.rec.Fatal)
	}
}

func checkCloseAll(t *testing.T, o observed) {
	if o.rec.Ended || len(o.rec.Exceptions) != 0 || o.exit != 1 {
		t.Errorf("exit %d, record %+v", o.exit, o.rec)
	}
	if o.dir == "" {
		return // a recorded channel
	}
	if mine, err := os.ReadFile(filepath.Join(o.dir, "mine.txt")); err != nil || string(mine) != "mine" {
		t.Errorf("the observer wrote into the script's file: %q %v", mine, err)
	}
}

func checkFork(t *testing.T, o observed) {
	ended(t, o.rec)
	if len(o.rec.Exceptions) != 0 || o.rec.Children == 0 {
		t.Errorf("a child's exception as the script's: %+v, children %d", o.rec.Exceptions, o.rec.Children)
	}
	if find(t, o.rec.Observations, "child").Text != "1" || find(t, o.rec.Observations, "parent").Text != "2" {
		t.Errorf("observations: %+v", o.rec.Observations)
	}
	if minor(t, o.rec) >= 7 && o.rec.Fatal != "" {
		t.Errorf("a child's abort as the script's: %q", o.rec.Fatal)
	}
}

func checkExec(t *testing.T, o observed) {
	if o.rec.Ended || o.exit != 0 || o.stdout != "another program\n" {
		t.Errorf("exit %d, stdout %q, record %+v", o.exit, o.stdout, o.rec)
	}
}

func checkForge(t *testing.T, o observed) {
	if !o.rec.Forged || !o.rec.Ended {
		t.Errorf("forged %v, ended %v", o.rec.Forged, o.rec.Ended)
	}
	if len(o.rec.Observations) != 1 || o.rec.Observations[0].Name != "honest" {
		t.Errorf("observations: %+v", o.rec.Observations)
	}
}

func checkDeeds(t *testing.T, o observed) {
	ended(t, o.rec)
	if minor(t, o.rec) < 8 {
		if len(o.rec.Attempts) != 0 {
			t.Errorf("attempts without audit hooks: %+v", o.rec.Attempts)
		}
		return
	}
	counts := map[string]int{}
	for _, a := range o.rec.Attempts {
		if a.Script {
			counts[a.Kind]++
		}
		if strings.HasPrefix(a.Detail, "127.") {
			t.Errorf("the loopback is nobody's business: %+v", a)
		}
	}
	// A child started through posix_spawn may be seen twice.
	if counts["open-secret"] != 3 || counts["listdir-secret"] != 1 || counts["connect"] != 1 || counts["subprocess"] < 2 {
		t.Errorf("attempts: %+v", o.rec.Attempts)
	}
}

func checkValues(t *testing.T, o observed) {
	ended(t, o.rec)
	for name, want := range map[string][2]string{
		"none": {"none", "None"}, "yes": {"bool", "True"}, "int": {"int", "1" + strings.Repeat("0", 30)},
		"third": {"float", "0.3333333333333333"}, "nan": {"float", "nan"}, "minus": {"float", "-inf"},
		"z": {"complex", "(1+2j)"}, "text": {"str", "ab\u00e9\U0001f600\n"}, "list": {"sequence", ""},
		"dict": {"sequence", ""}, "hostile": {"object", "<__main__.Hostile>"}, "box": {"object", "<__main__.Box>"},
	} {
		if got := find(t, o.rec.Observations, name); got.Kind != want[0] || got.Text != want[1] {
			t.Errorf("%s: %+v, want %v", name, got, want)
		}
	}
	if got := find(t, o.rec.Observations, "list").Values; !slices.Equal(got, []string{"1", "'a'", "None", "list[1]"}) {
		t.Errorf("list: %q", got)
	}
	if find(t, o.rec.Names, "box.items[1]['k']").Text != "2.5" || find(t, o.rec.Names, "box.items[-2]").Text != "10" {
		t.Errorf("names: %+v", o.rec.Names)
	}
	if len(o.rec.Names) != 3 { // no call, no subscript of a stranger
		t.Errorf("names: %+v", o.rec.Names)
	}
}

func checkRecursion(t *testing.T, o observed) {
	ended(t, o.rec)
	e := mainException(t, o.rec)
	if e.Type != "RecursionError" || len(e.Frames) != 200 || e.Frames[0].Function != "<module>" || e.Frames[199].Function != "down" {
		t.Errorf("type %s, %d frames", e.Type, len(e.Frames))
	}
}

func checkGroup(t *testing.T, o observed) {
	ended(t, o.rec)
	if minor(t, o.rec) < 11 {
		return
	}
	e := mainException(t, o.rec)
	if e.Type != "ExceptionGroup" || !slices.Equal(e.Notes, []string{"a note"}) || len(e.Chain) != 2 {
		t.Fatalf("exception: %+v", e)
	}
	for i, want := range []string{"ValueError one", "TypeError two"} {
		if got := e.Chain[i].Type + " " + e.Chain[i].Message; got != want || e.Chain[i].Link != "member" || len(e.Chain[i].Frames) != 2 {
			t.Errorf("member %d: %+v", i, e.Chain[i])
		}
	}
}

// checkReentrant: signal handlers, destructors and other threads run inside the
// observer's calls; nothing hangs, nothing of theirs is lost.
func checkReentrant(t *testing.T, o observed) {
	if !o.rec.Ended || o.rec.Forged || o.stdout != "done\n" || !strings.Contains(o.stderr, "shown") {
		t.Errorf("ended %v, forged %v, stdout %q, stderr %q", o.rec.Ended, o.rec.Forged, o.stdout, o.stderr)
	}
	counts := map[string]int{}
	for _, ob := range o.rec.Observations {
		counts[ob.Name]++
	}
	if counts["thread"] != 200 || counts["noisy"] != 50 || counts["deleted"] != 50 {
		t.Errorf("observations: %v", counts)
	}
	if len(o.rec.Warnings) != 1 || o.rec.Warnings[0].Message != "shown" {
		t.Errorf("warnings: %+v", o.rec.Warnings)
	}
}

// checkShutdownOrder: names are read after the last thread has ended and
// before libraries clean up.
func checkShutdownOrder(t *testing.T, o observed) {
	ended(t, o.rec)
	if find(t, o.rec.Names, "state[0]").Text != "alive" || find(t, o.rec.Names, "state[1]").Text != "late" {
		t.Errorf("names: %+v", o.rec.Names)
	}
}

func checkArrays(t *testing.T, o observed) {
	ended(t, o.rec)
	if o.stderr != "" {
		t.Errorf("the observer made noise: %q", o.stderr)
	}
	a := find(t, o.rec.Observations, "a")
	if a.Kind != "array" || a.DType != "float32" || !slices.Equal(a.Shape, []int{4}) || a.Finite != 2 || a.Min != "1.0" ||
		a.Max != "3.0" || a.Mean != "2.0" || !slices.Equal(a.Values, []string{"1.0", "nan", "inf", "3.0"}) || len(a.Hash) != 32 {
		t.Errorf("a: %+v", a)
	}
	if big := find(t, o.rec.Observations, "big"); big.Size != 1200000 || big.Mean != "" || big.DType != "float64" {
		t.Errorf("big: %+v", big)
	}
	if s := find(t, o.rec.Observations, "scalar"); s.Kind != "float" || s.DType != "float16" || s.Text != "0.0999755859375" {
		t.Errorf("scalar: %+v", s)
	}
	if c := find(t, o.rec.Names, "count[1, 2]"); c.Text != "5" || c.Kind != "int" {
		t.Errorf("count[1, 2]: %+v", c)
	}
	if c := find(t, o.rec.Observations, "careful"); c.Max == "" || len(c.Values) != 2 {
		t.Errorf("careful: %+v", c)
	}
	if len(o.rec.Arrays) != 9 || find(t, o.rec.Arrays, "big").Size != 1200000 || find(t, o.rec.Arrays, "a").Values != nil {
		t.Errorf("arrays: %+v", o.rec.Arrays)
	}
	if len(o.rec.Packages) != 1 || o.rec.Packages[0].Name != "numpy" || o.rec.Packages[0].Version == "" {
		t.Errorf("packages: %+v", o.rec.Packages)
	}
}
