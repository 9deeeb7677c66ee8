package models_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/repgen/repgen/internal/codebase/models"
)

// damage changes one file of a pulled model.
func damage(t *testing.T, dir, file string, change func([]byte) []byte) {
	t.Helper()
	openUp(dir)
	path := filepath.Join(dir, file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if data = change(data); data == nil {
		return
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	// Tests are faster than some clocks.
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
}

// TestRecordIsAPipe: what lies in the place of a record is not waited for.
func TestRecordIsAPipe(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	in, err := r.Pull(t.Context(), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	openUp(in.Dir)
	for _, path := range []string{filepath.Join(in.Dir, "installed.json"), filepath.Join(filepath.Dir(in.Dir), "recorded.json")} {
		if err := errors.Join(os.RemoveAll(path), unix.Mkfifo(path, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := r.Path("tiny")
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, models.ErrMissing) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it waits")
	}
	if _, err := r.Pull(t.Context(), "tiny"); err != nil {
		t.Errorf("repair: %v", err)
	}
}

// TestCopiedModel: a cache that was copied has its files in any order of time;
// they are hashed once and serve.
func TestCopiedModel(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	in, err := r.Pull(t.Context(), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Minute)
	path := filepath.Join(in.Dir, "model.safetensors")
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Path("tiny"); err != nil {
			t.Fatal(err)
		}
	}
	record, err := os.Stat(filepath.Join(in.Dir, "installed.json"))
	if err != nil || record.ModTime().Before(later.Truncate(time.Second)) {
		t.Errorf("the record is of %v, %v: every search would hash again", record.ModTime(), err)
	}
}

func TestVerify(t *testing.T) {
	for name, c := range map[string]struct {
		file   string
		change func([]byte) []byte
		what   string
		quick  bool // Path sees it too
	}{
		"cut":         {"model.safetensors", func(b []byte) []byte { return b[:len(b)-1] }, "cut short: 799999 bytes instead of 800000", true},
		"longer":      {"model.safetensors", func(b []byte) []byte { return append(b, 1) }, "too long", true},
		"one bit":     {"model.safetensors", func(b []byte) []byte { b[1000] ^= 1; return b }, "another hash", true},
		"gone":        {"vocab.txt", func([]byte) []byte { return nil }, "no such file", true},
		"no record":   {"installed.json", func([]byte) []byte { return nil }, "missing", true},
		"half record": {"installed.json", func(b []byte) []byte { return b[:len(b)/2] }, "broken", true},
		"new field":   {"installed.json", func(b []byte) []byte { return []byte(strings.Replace(string(b), "{", `{"trust":true,`, 1)) }, "broken", true},
		"climbing":    {"installed.json", func(b []byte) []byte { return []byte(strings.Replace(string(b), "vocab.txt", "../../x", 1)) }, "cannot be used", true},
		"forged": {"installed.json", func(b []byte) []byte {
			return []byte(strings.Replace(string(b), sum(weights), strings.Repeat("0", 64), 1))
		}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, tiny(nil), nil)
			in, err := r.Pull(t.Context(), "tiny")
			if err != nil {
				t.Fatal(err)
			}
			damage(t, in.Dir, c.file, c.change)
			v, err := r.Verify(t.Context(), "tiny")
			if err != nil {
				t.Fatal(err)
			}
			if v.OK != (c.what == "") {
				t.Fatalf("%+v", v)
			}
			if c.what != "" && (v.Problems[0].File != c.file || !strings.Contains(v.Problems[0].What, c.what) || !strings.Contains(v.Next, "pull tiny")) {
				t.Errorf("%+v", v)
			}
			if _, err := r.Path("tiny"); errors.Is(err, models.ErrMissing) != c.quick {
				t.Errorf("Path: %v", err)
			}
			if _, err := r.Pull(t.Context(), "tiny"); err != nil {
				t.Errorf("repair: %v", err)
			}
			if v, err := r.Verify(t.Context(), "tiny"); err != nil || !v.OK {
				t.Errorf("after the repair: %+v %v", v, err)
			}
			r.wantClean(t)
		})
	}
}

func TestVerifyMissing(t *testing.T) {
	r := newRig(t, tiny(nil), nil)
	if _, err := r.Verify(t.Context(), "tiny"); !errors.Is(err, models.ErrMissing) {
		t.Error(err)
	}
	if _, err := r.Verify(t.Context(), "other"); !errors.Is(err, models.ErrUnknown) {
		t.Error(err)
	}
}

func TestList(t *testing.T) {
	r := newRig(t, append(tiny(nil), models.Entry{Name: "elsewhere", Platform: "plan9/mips"}), nil)
	list, err := r.List()
	if err != nil || len(list) != 1 || list[0].Present || list[0].Bytes != int64(len(weights)+len(vocab)) {
		t.Fatalf("%+v %v", list, err)
	}
	in, err := r.Pull(t.Context(), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	if list, err = r.List(); err != nil || !list[0].Present || list[0].From == "" || list[0].Dir != in.Dir {
		t.Fatalf("%+v %v", list, err)
	}
	damage(t, in.Dir, "vocab.txt", func([]byte) []byte { return nil })
	if list, err = r.List(); err != nil || list[0].Present || !strings.Contains(list[0].Problem, "vocab.txt is missing") {
		t.Fatalf("%+v %v", list, err)
	}
}
