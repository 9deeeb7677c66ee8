package validate

import (
	"context"
	_ "embed" // the questions
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
)

//go:embed ask.py
var askScript string

const (
	// askWall bounds one execution of the questions; half of it is for one import.
	// A guess: a cold import of the largest framework took 20 s.
	askWall = 2 * time.Minute
	// askTimes bounds how often the questions are put, each time without one more
	// import that ended the interpreter (a guess: more are not worth the time).
	askTimes = 5
)

// question is what one execution is asked, as ask.py reads it.
type question struct {
	Key     string      `json:"key"`
	Script  *string     `json:"script,omitempty"`
	Skip    []string    `json:"skip"`
	Limit   int         `json:"limit"`
	Imports []importOf  `json:"imports"`
	Names   []string    `json:"names"`
	Calls   []callShape `json:"calls"`
	Facts   []string    `json:"facts"`
}

// importOf is one import statement's module with its names.
type importOf struct {
	Module string   `json:"m"`
	Names  []string `json:"n"`
}

// callShape is one call: how many positional arguments and which keywords.
type callShape struct {
	Func     string   `json:"f"`
	Args     int      `json:"n"`
	Keywords []string `json:"k"`
}

func (q *question) empty() bool {
	return q.Script == nil && len(q.Imports)+len(q.Names)+len(q.Calls)+len(q.Facts) == 0
}

// ready says whether there is anything that can be asked.
func (b Box) ready() bool { return b.Sandbox != nil && b.Env != nil }

// run executes and tells how long it took.
func (b Box) run(ctx context.Context, c sandbox.Command, l sandbox.Limits) (sandbox.Execution, error) {
	ex, err := b.Sandbox.Run(ctx, c, l)
	if b.Ran != nil {
		b.Ran(ex.WallSeconds)
	}
	if err != nil {
		return ex, fmt.Errorf("ask the environment: %w", err)
	}
	return ex, nil
}

// ask puts the question. Where an import ended the interpreter (a crash, our
// limit) it is asked again without that module, so that the rest is answered.
func (b Box) ask(ctx context.Context, q question) (answers, error) {
	q.Limit, q.Key = int(b.wall().Seconds()/2), askKey()
	a, began := newAnswers(), time.Now()
	for range askTimes {
		ex, err := b.askOnce(ctx, q)
		if err != nil {
			return a, err
		}
		a.read(q.Key, ex.Stdout)
		bad := a.unfinished()
		if a.done || bad == "" || slices.Contains(q.Skip, bad) {
			break
		}
		a.imports[bad] = &failure{Type: crashed, Message: howItEnded(ex, q.Limit)}
		q.Skip = append(q.Skip, bad)
		q.Script = nil // it compiled, or there would be no import
		if time.Since(began) > b.wall() {
			break
		}
	}
	a.blame()
	return a, nil
}

// askOnce is one execution. The script travels on standard input, not in a file: it
// is only compiled, and a work folder costs more than all of that.
func (b Box) askOnce(ctx context.Context, q question) (sandbox.Execution, error) {
	stdin, err := json.Marshal(withLists(q))
	if err != nil {
		return sandbox.Execution{}, fmt.Errorf("ask the environment: %w", err)
	}
	c := b.Env.Command(sandbox.EnvDir+"/bin/python", "-c", askScript)
	c.Stdin, c.Label = stdin, "questions"
	l := b.Limits
	l.Wall = b.wall()
	return b.run(ctx, c, l)
}

// wall is the limit of one execution of the questions, at least two seconds.
func (b Box) wall() time.Duration {
	if b.Limits.Wall == 0 {
		return askWall
	}
	return max(2*time.Second, min(b.Limits.Wall, askWall))
}

// withLists has no null where ask.py goes through a list.
func withLists(q question) question {
	q.Skip, q.Imports, q.Names = list(q.Skip), list(q.Imports), list(q.Names)
	q.Calls, q.Facts = list(q.Calls), list(q.Facts)
	return q
}

// list is s, and never null in JSON.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// howItEnded is said of an import that never came back.
func howItEnded(ex sandbox.Execution, limit int) string {
	const alarm = 128 + 14 // as a shell passes SIGALRM on
	switch ex.Outcome {
	case sandbox.Signaled:
		if ex.Signal == "SIGALRM" {
			return fmt.Sprintf("the import did not end within %d s", limit)
		}
		return "the import ended the interpreter (" + ex.Signal + ")"
	case sandbox.TimedOut:
		return "the import did not end within our time limit"
	case sandbox.OutOfMemory:
		return "the import took more memory than our limit"
	}
	if ex.ExitCode == alarm {
		return fmt.Sprintf("the import did not end within %d s", limit)
	}
	return "the import ended the interpreter"
}
