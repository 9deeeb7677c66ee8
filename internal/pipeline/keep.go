package pipeline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/system"
)

// kept is how a stage's output, an answer or an execution lies on disk.
type kept struct {
	// Seal says that this user's repgen wrote the output, for this run, under this
	// name, from this input.
	Seal string `json:"seal"`
	// Input is the hash of what it was made from, and of the program that made it.
	Input  string          `json:"input"`
	Output json.RawMessage `json:"output"`
}

// keeper writes what a run keeps and reads it back. What anybody else wrote
// there, or another build of repgen, is as good as nothing.
type keeper struct {
	files *system.Folder
	key   Key
	run   string // the request's ID
	build string
}

// load reads what was kept under a name, whatever it was made from.
func (k *keeper) load(name string, into any) (input string, ok bool) {
	data, err := k.files.Read(name+".json", system.MaxKept)
	var old kept
	if err != nil || json.Unmarshal(data, &old) != nil {
		return "", false
	}
	var plain bytes.Buffer
	if json.Compact(&plain, old.Output) != nil || !k.key.Made(old.Seal, "kept", k.run, name, old.Input, plain.String()) {
		return "", false
	}
	return old.Input, json.Unmarshal(plain.Bytes(), into) == nil
}

func (k *keeper) save(name, input string, v any) error {
	output, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	data, err := json.MarshalIndent(kept{k.key.Seal("kept", k.run, name, input, string(output)), input, output}, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return k.files.Keep(name+".json", append(data, '\n'))
}

// hash names an input. A program that has changed may make something else of it:
// another build's answers are none.
func (k *keeper) hash(input any) (string, error) {
	data, err := json.Marshal([]any{k.build, input})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// once returns the kept output when the input is the same, else makes and keeps
// it. A file that cannot be read back is made again. What is not final (the next
// try may better it) is not kept, and not believed.
func once[T any](k *keeper, name, input string, final func(T) bool, build func() (T, error)) (T, error) {
	var old T
	if from, ok := k.load(name, &old); ok && from == input && final(old) {
		return old, nil
	}
	v, err := build()
	if err != nil || !final(v) {
		return v, err
	}
	if err := k.save(name, input, v); err != nil {
		return v, fmt.Errorf("keep %s: %w", name, err)
	}
	return v, nil
}

func always[T any](T) bool { return true }

// stage is once for a stage of the pipeline.
func stage[T any](f *folder, name string, input any, build func() (T, error)) (T, error) {
	return stageIf(f, name, input, always[T], build)
}

// stageIf is stage for outputs of which some are not worth keeping.
func stageIf[T any](f *folder, name string, input any, final func(T) bool, build func() (T, error)) (T, error) {
	hash, err := f.hash(input)
	if err != nil {
		var zero T
		return zero, fmt.Errorf("hash the input of %s: %w", name, err)
	}
	return once(f.keeper, name, hash, final, build)
}

// keptOutcome is an Outcome with its executions, which evidence groups leave
// out of their own JSON.
type keptOutcome struct {
	Outcome    *proof.Outcome        `json:"outcome"`
	Executions [][]sandbox.Execution `json:"executions"`
	Audited    []sandbox.Execution   `json:"audited,omitempty"`
}

func keep(o *proof.Outcome) *keptOutcome {
	k := &keptOutcome{Outcome: o}
	if a := o.Evidence.Audit; a != nil {
		k.Audited = a.Executions
	}
	for _, g := range o.Evidence.Groups {
		k.Executions = append(k.Executions, g.Executions)
	}
	return k
}

func (k *keptOutcome) restore() *proof.Outcome {
	for i := range k.Outcome.Evidence.Groups {
		if i < len(k.Executions) {
			k.Outcome.Evidence.Groups[i].Executions = k.Executions[i]
		}
	}
	if a := k.Outcome.Evidence.Audit; a != nil {
		a.Executions = k.Audited
	}
	return k.Outcome
}

// stands says that the verdict follows from the executions: it is judged again
// whenever it is read back.
func (k *keptOutcome) stands() bool {
	if k == nil || k.Outcome == nil {
		return false
	}
	o := k.restore()
	if o.Expectation == nil || o.Unavailable != nil {
		return true // nothing was judged
	}
	v := proof.Rejudge(*o.Expectation, o.Evidence)
	return v.Headline == o.Verdict.Headline && v.Grade == o.Verdict.Grade
}
