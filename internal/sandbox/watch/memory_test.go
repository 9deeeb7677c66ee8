package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// far is a moment that no test sees.
var far = time.Now().Add(24 * time.Hour)

const someSmaps = `55d0c6a00000-55d0c6a01000 r--p 00000000 fe:00 1234    /usr/bin/python3.11
Size:                  4 kB
Pss:                   3 kB
Pss_Dirty:             9 kB
SwapPss:               0 kB
7f1200000000-7f1204000000 rw-s 00000000 00:2f 77     /dev/shm/a b: c (deleted)
Pss:                 100 kB
VmFlags: rd wr sh
7f1300000000-7f1304000000 rw-p 00000000 00:00 0
Pss:                  20 kB
`

func TestParseSmaps(t *testing.T) {
	for _, tt := range []struct {
		text  string
		leave map[string]bool
		want  int64
	}{
		{someSmaps, nil, 123 << 10},
		{someSmaps, map[string]bool{"00:2f": true}, 23 << 10},
		{someSmaps, map[string]bool{"00:00": true, "fe:00": true}, 100 << 10},
		{"Pss: x kB\nPss:\nPss: -5 kB\n", nil, 0},
		{"", nil, 0},
	} {
		if got := parseSmaps([]byte(tt.text), tt.leave); got != tt.want {
			t.Errorf("without %v: %d, want %d", tt.leave, got, tt.want)
		}
	}
}

func FuzzParseSmaps(f *testing.F) {
	f.Add([]byte(someSmaps))
	f.Add([]byte("Pss: 9223372036854775807 kB"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all := parseSmaps(data, nil)
		if some := parseSmaps(data, map[string]bool{"00:2f": true}); all >= 0 && some > all {
			t.Errorf("%d with less than all, %d with all", some, all)
		}
		_ = keyed(data, "Pss:")
	})
}

func TestKeyed(t *testing.T) {
	data := []byte("rchar: 1\nwrite_bytes: 4096\ncancelled_write_bytes: 100\nVmSwap:\t      12 kB\nbad: x\n")
	for key, want := range map[string]int64{"write_bytes:": 4096, "cancelled_write_bytes:": 100, "VmSwap:": 12, "bad:": 0, "absent:": 0} {
		if got := keyed(data, key); got != want {
			t.Errorf("%s %d, want %d", key, got, want)
		}
	}
}

// TestMemoryOver: what is shared counts once, what no process shows counts too.
func TestMemoryOver(t *testing.T) {
	u := Tree(child(t))
	exact, ok := proportional(u.Pids, nil)
	if !ok {
		t.Fatal("nobody could be weighed")
	}
	m := &memory{root: u.Pids[0], shared: true}
	beside, _, err := m.beside(u)
	if err != nil || beside <= 0 {
		t.Fatalf("page tables of %d bytes, %v", beside, err)
	}
	for name, tt := range map[string]struct {
		limit, folder int64
		next          time.Time
		want          bool
	}{
		"room":             {u.RSS + beside, 0, time.Time{}, false},
		"shared pages":     {(exact+u.RSS)/2 + beside, 0, time.Time{}, false},
		"over":             {exact / 2, 0, time.Time{}, true},
		"by a folder":      {u.RSS + beside, u.RSS, time.Time{}, true},
		"weighed just now": {exact / 2, 0, far, false},
	} {
		m.limit, m.next = tt.limit, tt.next
		if got, err := m.over(u, tt.folder); err != nil || got != tt.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestTmpfsUse: files and their inodes take memory.
func TestTmpfsUse(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "watch-test-")
	if err != nil {
		t.Skip("no place in memory: ", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "f"), make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	used, dev, err := tmpfsUse(dir)
	if err != nil || used < 4<<20 {
		t.Errorf("%d bytes used, %v", used, err)
	}
	// smaps calls it the same.
	f, err := os.Open(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	m, err := unix.Mmap(int(f.Fd()), 0, 4<<20, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(m) }()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil || !strings.Contains(string(maps), fmt.Sprintf(" %s ", dev)) {
		t.Errorf("no mapping of %s: %v", dev, err)
	}
	if _, _, err := tmpfsUse(filepath.Join(dir, "absent")); err == nil {
		t.Error("nothing is used")
	}
}
