package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/system"
)

// A run folder that came from somewhere else may hold pipes and devices where
// our files are: none is waited for, and what can be made again is.
func TestPipesInARunFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(recordOf("k"))), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{requestFile, resultFile, "02-decision.json", recordOf("k") + ".json", EventsFile} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := OpenStored(dir, someKey); err == nil || errors.Is(err, ErrNoRun) {
			t.Errorf("the folder: %v", err)
		}
		if IsRun(dir) {
			t.Error("it is taken for a run")
		}
		files, err := system.OpenFolder(dir)
		if err != nil {
			t.Error(err)
			return
		}
		if _, _, err := (&Stored{Folder: files, Request: &Request{}}).Result(); err == nil {
			t.Error("a result was read")
		}
		k := &keeper{files: files, key: someKey}
		var into any
		if _, ok := k.load("02-decision", &into); ok {
			t.Error("a stage was read")
		}
		if _, ok := (journal{k}).Load("k"); ok {
			t.Error("an execution was read")
		}
		if _, err := openFolder(dir, request("a")); err == nil {
			t.Error("it was opened")
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	select {
	case <-done:
	case <-ctx.Done():
		t.Fatal("a pipe is waited for")
	}
}
