package pipeline

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A run folder that came from somewhere else may hold pipes and devices where
// our files are: none is waited for, and what can be made again is.
func TestPipesInARunFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{requestFile, resultFile, "02-decision.json", executionFile} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := ReadRequest(dir); err == nil || errors.Is(err, ErrNoRun) {
			t.Errorf("the request: %v", err)
		}
		if _, err := ReadResult(dir); err == nil {
			t.Error("a result was read")
		}
		if _, ok := loadStage[int](filepath.Join(dir, "02-decision.json")); ok {
			t.Error("a stage was read")
		}
		if _, ok := (journal{filepath.Dir(dir)}).Load(filepath.Base(dir)); ok {
			t.Error("an execution was read")
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
