package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sleeper is a process that carries the mark, as a first process does.
func sleeper(t *testing.T, mark string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "echo; read wait", mark)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	return cmd
}

// runs opens a program's file.
func runs(t *testing.T, dir string, clear func(string)) *Runs {
	t.Helper()
	r, err := OpenRuns(dir, clear)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func take(t *testing.T, r *Runs, work string) *Lease {
	t.Helper()
	l, err := r.Take(work)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestSweep: what a dead program left ends, what a living one holds does not.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	temporary := filepath.Join(os.TempDir(), "repgen-work-1")
	users := filepath.Join(os.TempDir(), "my-folder")
	for _, d := range []string{temporary, users} {
		if err := os.MkdirAll(filepath.Join(d, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	alive, dead := runs(t, dir, nil), runs(t, dir, nil)
	living := take(t, alive, temporary+"-alive")
	done, one, two := take(t, dead, "/a/much/longer/name/of/a/folder"), take(t, dead, temporary), take(t, dead, users)
	for _, l := range []*Lease{living, done, one} {
		if _, err := l.MakeFolder(); err != nil {
			t.Fatal(err)
		}
	}
	done.Release()
	if exists(done.folder()) {
		t.Error("a released lease leaves its folder")
	}
	victim, survivor := sleeper(t, one.Mark), sleeper(t, living.Mark)
	_ = dead.unlock() // as the kernel does when its holder dies
	if err := os.WriteFile(filepath.Join(dir, "notes"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var cleared []string
	runs(t, dir, func(mark string) { cleared = append(cleared, mark) })

	want := []string{one.Mark, two.Mark}
	if slices.Sort(cleared); !slices.Equal(cleared, want) {
		t.Errorf("cleared %v, want %v", cleared, want)
	}
	if err := victim.Wait(); err == nil || !strings.HasPrefix(err.Error(), "signal: ") {
		t.Errorf("the dead program's process: %v", err)
	}
	if !carries("/proc/"+pidOf(survivor)+"/cmdline", living.Mark) {
		t.Error("a living program's process was killed")
	}
	for path, want := range map[string]bool{
		temporary: false, users: true, one.folder(): false, living.folder(): true,
		filepath.Join(dir, dead.name): false, filepath.Join(dir, alive.name): true, filepath.Join(dir, "notes"): true,
	} {
		if exists(path) != want {
			t.Errorf("%s is there: %v", path, !want)
		}
	}
}

// TestSweepReadsNothingInto: a file that says something else than we write ends
// nothing.
func TestSweepReadsNothingInto(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folder := filepath.Join(os.TempDir(), "repgen-work-1")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "\n", ".\nrepgen-a-1 " + folder + "\n", "x\n.\nrepgen-a-1 " + folder, "repgen-b-1 " + folder, "repgen-a-1/../x " + folder, " " + folder, "repgen-a-1"} {
		end("repgen-a", text, func(mark string) { t.Errorf("%q ended %s", text, mark) })
	}
	if !exists(folder) {
		t.Error("a folder was removed")
	}
	end("repgen-a", "repgen-a-1 "+folder+"\n.\nold", nil)
	if exists(folder) {
		t.Error("a dead execution's folder stays")
	}
}

func pidOf(cmd *exec.Cmd) string { return strconv.Itoa(cmd.Process.Pid) }

func TestIsTemporary(t *testing.T) {
	t.Setenv("TMPDIR", "/tmp/")
	for folder, want := range map[string]bool{
		"/tmp/repgen-work-1": true, "/tmp/repgen-work-1/sub": false, "/tmp/other": false, "/home/a/repgen-out": false,
		"repgen-work-1": false, "/tmp/../home/repgen-x": false, "": false,
	} {
		if got := isTemporary(folder); got != want {
			t.Errorf("%q: %v", folder, got)
		}
	}
}

func TestNoPlaceForMarks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := OpenRuns(filepath.Join(file, "x"), nil); err == nil {
		t.Errorf("runs %+v", r)
	}
	r := runs(t, t.TempDir(), nil)
	_ = r.file.Close()
	if l, err := r.Take(""); err == nil || len(r.active) != 0 {
		t.Errorf("lease %+v", l)
	}
}
