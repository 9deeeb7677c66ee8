package pipeline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
)

// journal keeps executions as folders below the run folder.
type journal struct{ dir string }

const executionFile = "execution.json"

// Load implements proof.Journal.
func (j journal) Load(key string) (sandbox.Execution, bool) {
	var ex sandbox.Execution
	data, err := system.ReadPlain(filepath.Join(j.dir, key, executionFile), system.MaxKept)
	if err != nil || json.Unmarshal(data, &ex) != nil {
		return ex, false
	}
	return ex, true
}

// Save implements proof.Journal. The record itself is written last: a folder
// without one is an execution that was cut off, and is run again.
func (j journal) Save(key string, ex sandbox.Execution) error {
	dir := filepath.Join(j.dir, key)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("keep the execution %s: %w", key, err)
	}
	for name, text := range map[string]string{"stdout.txt": ex.Stdout, "stderr.txt": ex.Stderr} {
		if err := system.KeepFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("keep the execution %s: %w", key, err)
		}
	}
	if err := system.KeepJSON(filepath.Join(dir, executionFile), ex); err != nil {
		return fmt.Errorf("keep the execution %s: %w", key, err)
	}
	return nil
}
