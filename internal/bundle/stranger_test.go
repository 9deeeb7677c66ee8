package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/repgen/repgen/internal/system"
)

// TestNothingToRunAgain: what a verdict rests on must be there to be run again.
func TestNothingToRunAgain(t *testing.T) {
	locks := func(o map[string]any) []any { return o["locks"].([]any) }
	groups := func(o map[string]any) []any { return o["evidence"].(map[string]any)["groups"].([]any) }
	for name, c := range map[string]struct {
		edit func(o map[string]any)
		want string
	}{
		"no locks":          {func(o map[string]any) { o["locks"] = []any{} }, "2 groups have 0 locks"},
		"locks of null":     {func(o map[string]any) { o["locks"] = []any{nil, nil} }, "ran without a lock"},
		"one lock too many": {func(o map[string]any) { o["locks"] = append(locks(o), nil) }, "2 groups have 3 locks"},
		"no lock for the reported side": {func(o map[string]any) {
			locks(o)[0] = nil
			o["verdict"].(map[string]any)["control"] = -1
		}, "the group reported lib 1.2 ran without a lock"},
		"the control's lock for the reported side": {func(o map[string]any) { locks(o)[0] = locks(o)[1] }, "another lock than the reported side's"},
		"no lock at all": {func(o map[string]any) { o["lock"] = nil }, "nothing was run"},
		"an environment that cannot be had": {func(o map[string]any) {
			o["unavailable"] = map[string]any{"why": "x"}
			o["locks"] = []any{}
		}, "nothing was run"},
		"two reported sides": {func(o map[string]any) {
			o["locks"] = append(locks(o), locks(o)[0])
			o["evidence"].(map[string]any)["groups"] = append(groups(o), map[string]any{"side": "reported", "subject": "lib", "version": "1.2"})
		}, "2 reported sides"},
		"no reported side":             {func(o map[string]any) { groups(o)[0].(map[string]any)["side"] = "newest" }, "0 reported sides"},
		"a later release called older": {func(o map[string]any) { groups(o)[1].(map[string]any)["older"] = true }, "is no release before 1.2"},
		"a variable of one side alone": {func(o map[string]any) {
			locks(o)[1].(map[string]any)["env"] = map[string]any{"JAX_ENABLE_X64": "1"}
		}, "with other variables than the reported side"},
		"a Python of one side alone": {func(o map[string]any) { locks(o)[1].(map[string]any)["python"] = "3.10.13" }, "ran with Python 3.10.13"},
		"a release called the fix":   {func(o map[string]any) { groups(o)[1].(map[string]any)["side"] = "fix" }, "is no fix of a project"},
		"a side of no run":           {func(o map[string]any) { groups(o)[1].(map[string]any)["side"] = "oracle" }, `"oracle" is no side`},
		"a name that is a file":      {func(o map[string]any) { list(o, 0)["name"] = "-r /etc/passwd\nlib" }, "is no name of a package"},
		"a version with more":        {func(o map[string]any) { list(o, 0)["version"] = "1.2\n--index-url=x" }, "is no version of lib"},
		"a hash with more":           {func(o map[string]any) { list(o, 0)["hashes"] = []string{someHash + " --index-url=x"} }, "is no hash of lib"},
		"other hashes":               {func(o map[string]any) { list(o, 0)["hashes"] = []string{strings.Replace(someHash, "0", "1", 1)} }, "other hashes than it installs"},
		"a package twice": {func(o map[string]any) {
			l := locks(o)[0].(map[string]any)
			l["packages"] = append(l["packages"].([]any), list(o, 0))
		}, "lists lib twice"},
		"an interpreter that is none": {func(o map[string]any) { locks(o)[0].(map[string]any)["python"] = "../../3.11" }, "is no version of Python"},
		"a wheel for a release":       {func(o map[string]any) { list(o, 0)["wheel"] = wheelName }, "lib 1.2 comes from the bundle, not from the index"},
		"a wheel for another package than the project": {func(o map[string]any) {
			list(o, 0)["wheel"] = wheelName
			o["spec"].(map[string]any)["project"] = map[string]any{"name": "other"}
		}, "is not the project under test"},
		"more groups than any run makes": {func(o map[string]any) {
			more := make([]any, 5000)
			for i := range more {
				more[i] = map[string]any{"side": "release", "subject": "lib", "version": "1.1"}
			}
			o["evidence"].(map[string]any)["groups"] = append(groups(o), more...)
		}, "5002 groups"},
	} {
		t.Run(name, func(t *testing.T) {
			b, tampered, err := Read(forged(t, c.edit))
			if said := fmt.Sprint(tampered, err); !strings.Contains(said, c.want) || len(tampered) == 0 {
				t.Errorf("it says %s of %v, want %q", said, b, c.want)
			}
		})
	}
}

// list is the only package of a lock.
func list(o map[string]any, lock int) map[string]any {
	l := o["locks"].([]any)[lock].(map[string]any)
	return l["packages"].([]any)[0].(map[string]any)
}

// TestOneRecordIsOneExecution: naming it often makes no more of it.
func TestOneRecordIsOneExecution(t *testing.T) {
	for _, again := range []string{"%s", "%s/.", "./%s", "executions/x/../../%s"} {
		dir, _ := write(t)
		change(t, dir, fileEvidence, func(ev map[string]any) {
			first := ev["executions"].([]any)[0].([]any)
			first[1] = fmt.Sprintf(again, first[0])
		})
		if _, tampered, err := Read(dir); !strings.Contains(fmt.Sprint(tampered, err), "counts twice") {
			t.Errorf("%s: %v %v", again, tampered, err)
		}
	}
}

// TestVerdictIsOurs: whatever control a bundle's verdict names, the one that was
// found by judging its records is run again.
func TestVerdictIsOurs(t *testing.T) {
	for _, control := range []int{-1, 0, 99} {
		b, tampered, err := Read(forged(t, func(o map[string]any) { o["verdict"].(map[string]any)["control"] = control }))
		if err != nil || len(tampered) > 0 {
			t.Fatal(tampered, err)
		}
		if b.Outcome.Verdict.Control != 1 {
			t.Errorf("control %d became %d", control, b.Outcome.Verdict.Control)
		}
	}
}

// TestLargeManifest: one that lists more than a bundle may hold is not even read.
func TestLargeManifest(t *testing.T) {
	dir, _ := write(t)
	put(t, dir, fileManifest, `{"schema": 1, "files": {`+strings.Repeat(`"a": "b", `, maxManifest/8)+`"a": "b"}}`)
	if _, tampered, err := Read(dir); !errors.Is(err, ErrNoBundle) || len(tampered) > 0 {
		t.Errorf("a large one: %v %v", tampered, err)
	}
	m := Manifest{Schema: Schema, Files: map[string]string{}}
	for i := range maxFiles + 1 {
		m.Files[fmt.Sprint(i)] = "x"
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, fileManifest, string(data))
	if _, tampered, err := Read(dir); !errors.Is(err, ErrNoBundle) || len(tampered) > 0 {
		t.Errorf("a long one: %d %v", len(tampered), err)
	}
}

// TestLinkInTheBundlesPlace: a run folder's bundle is in that folder.
func TestLinkInTheBundlesPlace(t *testing.T) {
	dir, _ := write(t)
	run := t.TempDir()
	if err := os.Symlink(dir, filepath.Join(run, "bundle")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadIn(run, "bundle"); !errors.Is(err, system.ErrNotPlain) {
		t.Errorf("a link: %v", err)
	}
	if _, _, err := ReadIn(filepath.Dir(dir), filepath.Base(dir)); err != nil {
		t.Error(err)
	}
}

// TestNothingLeadsOut: a bundle is written into its own folder, whatever its
// locks are called.
func TestNothingLeadsOut(t *testing.T) {
	c := built(t, map[string][]byte{"sha256:" + digest([]byte("a")): []byte("a")})
	outside := filepath.Join(t.TempDir(), "outside.whl")
	c.Outcome.Lock.Packages[0].Wheel = "../../../../../../../../../.." + outside
	if dir, err := Write(filepath.Join(t.TempDir(), "bundle"), c); err == nil {
		t.Errorf("written to %s", dir)
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a file was written outside")
	}
}

// TestWheelsAreNamed: what a bundle takes from itself is listed once.
func TestWheelsAreNamed(t *testing.T) {
	dir, err := Write(filepath.Join(t.TempDir(), "bundle"), built(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	b, tampered, err := Read(dir)
	if err != nil || len(tampered) > 0 {
		t.Fatal(tampered, err)
	}
	if own := b.FromBundle(); len(own) != 2 || own[0].Name != "lib" || own[0].Wheel != wheelName {
		t.Errorf("it names %+v", own)
	}
}
