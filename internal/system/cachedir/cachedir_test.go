package cachedir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/system"
)

// roleVar makes the test binary a second process that builds.
const roleVar = "REPGEN_TEST_BUILDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(roleVar); dir != "" {
		os.Exit(builder(dir))
	}
	os.Exit(m.Run())
}

// builder builds "k" in dir: it says that it has begun, waits until the file
// "go" exists, and tells on stdout whether it did the work.
func builder(dir string) int {
	s, err := Open(dir)
	if err != nil {
		return 1
	}
	_, built, err := s.Build(context.Background(), "k", func(_ context.Context, tmp string) error {
		if err := os.WriteFile(filepath.Join(tmp, "part"), []byte("half"), 0o600); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "begun"), nil, 0o600); err != nil {
			return err
		}
		await(filepath.Join(dir, "go"))
		return os.WriteFile(filepath.Join(tmp, "file"), []byte("whole"), 0o644)
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("built", built)
	return 0
}

// await waits up to two minutes for a file.
func await(path string) bool {
	for range 12_000 {
		if _, err := os.Stat(path); err == nil {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func spawn(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleVar+"="+dir)
	return cmd
}

func open(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// Entries are read-only, which the test's own clean-up does not expect.
	t.Cleanup(func() {
		_ = filepath.WalkDir(s.dir, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				_ = os.Chmod(p, 0o755)
			}
			return nil
		})
	})
	return s
}

// fill is a build of one file of the given size.
func fill(size int) func(context.Context, string) error {
	return func(_ context.Context, tmp string) error {
		return os.WriteFile(filepath.Join(tmp, "file"), make([]byte, size), 0o644)
	}
}

func mustBuild(t *testing.T, s *Store, key string, size int) string {
	t.Helper()
	path, _, err := s.Build(t.Context(), key, fill(size))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBuildOnce(t *testing.T) {
	s := open(t)
	var calls int
	build := func(_ context.Context, tmp string) error {
		calls++
		if err := os.MkdirAll(filepath.Join(tmp, "bin"), 0o755); err != nil {
			return err
		}
		if err := os.Symlink("/etc/passwd", filepath.Join(tmp, "link")); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(tmp, "bin", "tool"), []byte("x"), 0o755)
	}
	path, built, err := s.Build(t.Context(), "k", build)
	if err != nil || !built || path != s.Path("k") {
		t.Fatalf("Build = %q, %v, %v", path, built, err)
	}
	again, built, err := s.Build(t.Context(), "k", build)
	if err != nil || built || again != path || calls != 1 {
		t.Errorf("second Build = %q, %v, %v after %d calls", again, built, err, calls)
	}
	for name, want := range map[string]os.FileMode{".": 0o555, "bin": 0o555, "bin/tool": 0o555, markerName: 0o444} {
		st, err := os.Stat(filepath.Join(path, name))
		if err != nil || st.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v", name, st.Mode(), err)
		}
	}
	if st, err := os.Stat("/etc/passwd"); err != nil || st.Mode().Perm()&0o200 == 0 {
		t.Errorf("a link was followed: %v, %v", st, err)
	}
}

func TestFailedBuildLeavesNothing(t *testing.T) {
	broken := errors.New("broken")
	cancelled, cancel := context.WithCancel(t.Context())
	defer cancel()
	tests := map[string]struct {
		err  error
		want string
	}{
		"error":     {broken, "broken"},
		"disk full": {fmt.Errorf("write x: %w", syscall.ENOSPC), "disk full at"},
		"quota":     {syscall.EDQUOT, "disk full at"},
		"cancelled": {nil, "context canceled"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			ctx := t.Context()
			if name == "cancelled" {
				ctx = cancelled
			}
			_, built, err := s.Build(ctx, "k", func(_ context.Context, tmp string) error {
				if name == "cancelled" {
					cancel()
				}
				if err := os.WriteFile(filepath.Join(tmp, "half"), nil, 0o400); err != nil {
					return err
				}
				if err := os.Chmod(tmp, 0o500); err != nil {
					return err
				}
				return tt.err
			})
			if built || err == nil || !strings.Contains(err.Error(), tt.want) || (tt.err != nil && !errors.Is(err, tt.err)) {
				t.Errorf("Build = %v, %v", built, err)
			}
			names, err := os.ReadDir(s.dir)
			if err != nil || len(names) != 1 || names[0].Name() != "k"+lockSuffix {
				t.Errorf("left %v, %v", names, err)
			}
			if _, built, err := s.Build(t.Context(), "k", fill(1)); err != nil || !built {
				t.Errorf("the next try: %v, %v", built, err)
			}
		})
	}
}

func TestBadKeys(t *testing.T) {
	s := open(t)
	for _, key := range []string{"", ".", "..", "a/b", "../x", "a.lock", "-a", strings.Repeat("k", 200), "a b"} {
		if _, _, err := s.Build(t.Context(), key, fill(1)); err == nil {
			t.Errorf("key %q was taken", key)
		}
		if _, ok := s.Hold(key); ok {
			t.Errorf("key %q is held", key)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	s := open(t)
	var calls atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, _, err := s.Build(t.Context(), "k", func(ctx context.Context, tmp string) error {
				calls.Add(1)
				time.Sleep(30 * time.Millisecond)
				return fill(3)(ctx, tmp)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if calls.Load() != 1 {
		t.Errorf("built %d times", calls.Load())
	}
}

// TestTwoProcesses: the second waits for the first and finds it done.
func TestTwoProcesses(t *testing.T) {
	s := open(t)
	first := spawn(t, s.dir)
	var out1 strings.Builder
	first.Stdout = &out1
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	if !await(filepath.Join(s.dir, "begun")) {
		t.Fatal("the first builder did not begin")
	}
	second := spawn(t, s.dir)
	var out2 strings.Builder
	second.Stdout = &out2
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	if s.complete("k") {
		t.Error("a half built entry looks finished")
	}
	if err := os.WriteFile(filepath.Join(s.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Wait(), second.Wait()); err != nil {
		t.Fatal(err, out1.String(), out2.String())
	}
	if out1.String() != "built true\n" || out2.String() != "built false\n" {
		t.Errorf("first %q, second %q", out1.String(), out2.String())
	}
}

// TestKilledBuilder: kill -9 in the middle leaves no lock and no half entry.
func TestKilledBuilder(t *testing.T) {
	s := open(t)
	victim := spawn(t, s.dir)
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	if !await(filepath.Join(s.dir, "begun")) {
		t.Fatal("the builder did not begin")
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // "signal: killed"
	path, built, err := s.Build(t.Context(), "k", fill(5))
	if err != nil || !built {
		t.Fatalf("Build = %v, %v", built, err)
	}
	if _, err := os.Stat(filepath.Join(path, "part")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the dead builder's file is there: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(s.dir, "*"+tmpInfix+"*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// age makes an entry look unused for so long.
func age(t *testing.T, s *Store, key string, d time.Duration) {
	t.Helper()
	at := time.Now().Add(-d)
	if err := os.Chtimes(s.lockPath(key), at, at); err != nil {
		t.Fatal(err)
	}
}

func TestTrim(t *testing.T) {
	s := open(t)
	for i, key := range []string{"oldest", "older", "newer", "newest"} {
		mustBuild(t, s, key, 100<<10)
		age(t, s, key, time.Duration(10-i)*time.Hour)
	}
	tests := []struct {
		name     string
		maxBytes int64
		maxAge   time.Duration
		want     string
	}{
		{"no limits", 0, 0, "[]"},
		{"all young", 0, 24 * time.Hour, "[]"},
		{"age", 0, 9*time.Hour + 30*time.Minute, "[oldest]"},
		{"size", 250 << 10, 0, "[older]"},
		{"both", 120 << 10, time.Hour, "[newer newest]"},
	}
	for _, tt := range tests {
		removed, err := s.Trim(t.Context(), tt.maxBytes, tt.maxAge)
		if err != nil || fmt.Sprint(removed) != tt.want {
			t.Errorf("%s: removed %v, %v, want %s", tt.name, removed, err, tt.want)
		}
	}
	names, err := os.ReadDir(s.dir)
	if err != nil || len(names) != 0 {
		t.Errorf("left %v, %v", names, err)
	}
}

func TestTrimSparesHeld(t *testing.T) {
	s := open(t)
	mustBuild(t, s, "k", 10)
	release, ok := s.Hold("k")
	if !ok {
		t.Fatal("not held")
	}
	second, ok := s.Hold("k")
	if !ok {
		t.Fatal("not held twice")
	}
	second()
	age(t, s, "k", time.Hour)
	if removed, err := s.Trim(t.Context(), 1, time.Minute); err != nil || len(removed) != 0 {
		t.Fatalf("removed %v, %v", removed, err)
	}
	release()
	if removed, err := s.Trim(t.Context(), 1, time.Minute); err != nil || len(removed) != 1 {
		t.Errorf("removed %v, %v", removed, err)
	}
	if _, ok := s.Hold("k"); ok {
		t.Error("a removed entry is held")
	}
	if _, built, err := s.Build(t.Context(), "k", fill(1)); err != nil || !built {
		t.Errorf("rebuilt: %v, %v", built, err)
	}
}

// readOnlyTree makes top/sub, without write permission on either.
func readOnlyTree(t *testing.T, top, sub string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(top, sub), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{filepath.Join(top, sub), top} {
		if err := os.Chmod(d, 0o500); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTouchAndTrimLeftovers(t *testing.T) {
	s := open(t)
	mustBuild(t, s, "k", 10)
	age(t, s, "k", time.Hour)
	if err := s.Touch("k"); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(s.dir, "other"+tmpInfix+"123")
	readOnlyTree(t, dead, "x")
	removed, err := s.Trim(t.Context(), 0, time.Minute)
	if err != nil || len(removed) != 0 {
		t.Errorf("removed %v, %v", removed, err)
	}
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("leftover of a dead builder: %v", err)
	}
	if err := s.Touch("absent"); err == nil {
		t.Error("touched nothing")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Trim(ctx, 1, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("trim under an ended context: %v", err)
	}
}

func TestUnmarkedEntryIsRebuilt(t *testing.T) {
	s := open(t)
	readOnlyTree(t, s.Path("k"), "junk")
	path, built, err := s.Build(t.Context(), "k", fill(1))
	if err != nil || !built {
		t.Fatal(built, err)
	}
	if _, err := os.Stat(filepath.Join(path, "junk")); err == nil {
		t.Error("junk survived")
	}
}

func TestSealCountsANameOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	one, err := sealTree(dir)
	if err != nil || one < 1<<20 {
		t.Fatalf("sealTree = %d, %v", one, err)
	}
	if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if two, err := sealTree(dir); err != nil || two > one+4096 {
		t.Errorf("a second name counts: %d after %d, %v", two, one, err)
	}
}

// TestSealReachesEverything: more folders than hands, links out of the tree
// untouched.
func TestSealReachesEverything(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	files := []string{outside}
	for i := range 60 {
		files = append(files, filepath.Join(dir, fmt.Sprint(i%7), fmt.Sprint(i%5), fmt.Sprint(i), "f"))
	}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, make([]byte, 5000), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	bytes, err := sealTree(dir)
	if err != nil || bytes < 60*5000 {
		t.Errorf("%d bytes, %v", bytes, err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		info, ierr := d.Info()
		if ierr == nil && path != dir && d.Type()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%s kept %v", path, info.Mode())
		}
		return errors.Join(err, ierr)
	})
	if err != nil {
		t.Error(err)
	}
	for _, path := range []string{dir, outside} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm()&0o200 == 0 {
			t.Errorf("%s lost its bits: %v %v", path, st, err)
		}
	}
	t.Cleanup(func() { _ = system.RemoveAll(dir) })
}

func TestSealFails(t *testing.T) {
	if _, err := sealTree(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("sealed nothing: %v", err)
	}
}

func TestOpenFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "sub")); err == nil {
		t.Error("opened a store below a file")
	}
}

func BenchmarkComplete(b *testing.B) {
	s := open(b)
	for b.Loop() {
		if _, _, err := s.Build(b.Context(), "k", fill(1)); err != nil {
			b.Fatal(err)
		}
	}
}
