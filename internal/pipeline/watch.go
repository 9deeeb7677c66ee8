package pipeline

import (
	"encoding/json"
	"os"
	"sync"

	"github.com/repgen/repgen/internal/proof"
	"github.com/repgen/repgen/internal/system"
)

// watcher sends events to whoever watches and to events.jsonl.
type watcher struct {
	p    *Pipeline
	mu   sync.Mutex
	file *os.File // nil when it could not be opened: events are for watching only
}

// EventsFile of a run folder holds its progress, one event a line.
const EventsFile = "events.jsonl"

func (p *Pipeline) watch(files *system.Folder) *watcher {
	w := &watcher{p: p}
	if f, err := files.Append(EventsFile); err == nil {
		w.file = f
	}
	return w
}

func (w *watcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file != nil {
		_ = w.file.Close()
		w.file = nil
	}
}

func (w *watcher) start(s Stage, text string) { w.send(Event{Stage: s, State: "start", Text: text}) }
func (w *watcher) progress(s Stage, text string) {
	w.send(Event{Stage: s, State: "progress", Text: text})
}
func (w *watcher) done(s Stage, text string) { w.send(Event{Stage: s, State: "done", Text: text}) }

// stateLive marks what is gone when the next piece comes.
const stateLive = "live"

func (w *watcher) live(s Stage, text string) { w.send(Event{Stage: s, State: stateLive, Text: text}) }

func (w *watcher) send(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.Time = w.p.now().UTC()
	if w.p.Events != nil {
		w.p.Events(e)
	}
	if w.file == nil || e.State == stateLive {
		return
	}
	if line, err := json.Marshal(e); err == nil {
		// A full disk must not end a run for the sake of its progress.
		_, _ = w.file.Write(append(line, '\n'))
	}
}

// outcome draws the lines of what was judged.
func (w *watcher) outcome(o *proof.Outcome) {
	w.done(StageEnvironment, environmentLine(o))
	if o.Unavailable == nil {
		w.done(StageRun, runLine(o))
		w.done(StageControl, controlLine(o))
	}
}
