package pipeline

import (
	"fmt"

	"github.com/repgen/repgen/internal/sandbox"
)

// journal keeps executions as folders of the run folder.
type journal struct{ *keeper }

func recordOf(key string) string { return "executions/" + key + "/execution" }

// Load implements proof.Journal.
func (j journal) Load(key string) (sandbox.Execution, bool) {
	var ex sandbox.Execution
	build, ok := j.load(recordOf(key), &ex)
	return ex, ok && build == j.build
}

// Save implements proof.Journal. The record itself is written last: a folder
// without one is an execution that was cut off, and is run again.
func (j journal) Save(key string, ex sandbox.Execution) error {
	for name, text := range map[string]string{"stdout.txt": ex.Stdout, "stderr.txt": ex.Stderr} {
		if err := j.files.Keep("executions/"+key+"/"+name, []byte(text)); err != nil {
			return fmt.Errorf("keep the execution %s: %w", key, err)
		}
	}
	if err := j.save(recordOf(key), j.build, ex); err != nil {
		return fmt.Errorf("keep the execution %s: %w", key, err)
	}
	return nil
}
