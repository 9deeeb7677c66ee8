package watch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/sandbox"
)

// nameless makes a file without a name that takes n bytes on disk.
func nameless(t *testing.T, dir string, n int) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "nameless"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := os.Remove(f.Name()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	return f
}

func begun(t *testing.T, dir string, l sandbox.Limits) *disk {
	t.Helper()
	var d disk
	if err := d.begin([]string{dir}, l.WithDefaults()); err != nil {
		t.Fatal(err)
	}
	return &d
}

// TestUnlinked: what has no name counts where it lies, and once.
func TestUnlinked(t *testing.T) {
	dir := t.TempDir()
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		t.Fatal(err)
	}
	self := []int{os.Getpid()}
	devs := map[uint64]bool{st.Dev: true}
	here, elsewhere := unlinked(self, devs)
	f := nameless(t, dir, 1<<20)
	again, err := os.Open("/proc/self/fd/" + fdOf(t, f))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	fd, err := unix.MemfdCreate("m", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	if _, err := unix.Write(fd, make([]byte, 3<<20)); err != nil {
		t.Fatal(err)
	}
	here2, elsewhere2 := unlinked(self, devs)
	if d := here2 - here; d < 1<<20 || d > 3<<19 {
		t.Errorf("1 MiB on disk seen as %d", d)
	}
	if d := elsewhere2 - elsewhere; d != 3<<20 {
		t.Errorf("3 MiB in memory seen as %d", d)
	}
	if a, b := unlinked([]int{1<<22 + 1}, devs); a != 0 || b != 0 {
		t.Errorf("nobody holds %d, %d", a, b)
	}
}

func fdOf(t *testing.T, f *os.File) string {
	t.Helper()
	for _, name := range descriptors("/proc/self/fd") {
		var a, b unix.Stat_t
		if unix.Stat("/proc/self/fd/"+name, &a) == nil && unix.Fstat(int(f.Fd()), &b) == nil && a.Ino == b.Ino && a.Dev == b.Dev {
			return name
		}
	}
	t.Fatal("the file is not open")
	return ""
}

// TestDiskRules: what each rule needs to speak, with a measure that others on the
// same disk cannot disturb.
func TestDiskRules(t *testing.T) {
	const full = 1 << 50 // more free at the start than any disk has now
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		change func(*disk)
		used   Usage
		want   string
	}{
		"nothing":                     {func(*disk) {}, Usage{}, ""},
		"names":                       {func(d *disk) { d.bytes = 1 << 19 }, Usage{}, "disk 0 MiB"},
		"files":                       {func(d *disk) { d.files = 1 }, Usage{}, "files 1"},
		"written, and gone":           {func(d *disk) { d.start.bytes = full }, Usage{Written: 5 << 30}, "disk 4096 MiB"},
		"written, and freed":          {func(d *disk) { d.start.bytes = 0 }, Usage{Written: 5 << 30}, ""},
		"gone by others":              {func(d *disk) { d.start.bytes = full }, Usage{Written: 3 << 30}, ""},
		"files gone by others":        {func(d *disk) { d.start.files = full }, Usage{}, ""},
		"too early for another look":  {func(d *disk) { d.files = 1; d.names = 0; d.next = far }, Usage{}, ""},
		"not when much was written":   {func(d *disk) { d.files = 1; d.names = 0; d.next = far }, Usage{Written: 1 << 30}, "files 1"},
		"not when many files came up": {func(d *disk) { d.files = 1; d.names = full; d.next = far }, Usage{}, "files 1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, dir, sandbox.Limits{})
			if d.start.uncounted {
				t.Skip("the temporary folder lies in memory")
			}
			tt.change(d)
			hit, err := d.look(tt.used, false)
			got := ""
			if hit != nil {
				got = hit.Limit
			}
			if err != nil || got != tt.want {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestFullDisk: a disk that is full is trouble before the start and after it,
// and nobody gets more than half of what is free.
func TestFullDisk(t *testing.T) {
	var full *sandbox.LayerError
	g := &Guard{Folders: []string{"/proc"}, Limits: sandbox.DefaultLimits()} // a file system without any space
	if err := g.Begin(); !errors.As(err, &full) || !strings.Contains(full.Fix, "TMPDIR") {
		t.Errorf("begun on a full disk: %v", err)
	}
	d := begun(t, t.TempDir(), sandbox.Limits{DiskBytes: 1 << 60})
	if d.bytes > d.start.bytes/diskShare {
		t.Errorf("%d of %d bytes for one run", d.bytes, d.start.bytes)
	}
	d.folders = []string{"/proc/self/ns"}
	if hit, err := d.look(Usage{}, true); hit != nil || !errors.As(err, &full) {
		t.Errorf("a disk that became full: %v, %v", hit, err)
	}
	d.folders = []string{filepath.Join(t.TempDir(), "absent")}
	if _, err := d.look(Usage{}, true); err == nil {
		t.Errorf("a folder that is gone: %v", err)
	}
}

// TestWritten: the kernel's count of a process that wrote.
func TestWritten(t *testing.T) {
	dir := t.TempDir()
	if begun(t, dir, sandbox.Limits{}).start.uncounted {
		t.Skip("the temporary folder lies in memory")
	}
	before := Tree(os.Getpid()).Written
	nameless(t, dir, 8<<20)
	if d := Tree(os.Getpid()).Written - before; d < 8<<20 {
		t.Errorf("8 MiB written seen as %d", d)
	}
}
