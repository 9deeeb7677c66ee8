package output

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/repgen/repgen/internal/pipeline"
	"github.com/repgen/repgen/internal/system/inert"
)

// Style says how much a stream may be decorated.
type Style struct {
	// Color: the stream is a terminal and NO_COLOR is not set.
	Color bool
	// Live: the stream is a terminal on which a line may be drawn again.
	Live bool
	// Width of the terminal in columns; 0: unknown.
	Width int
}

// Progress draws events: finished stages as result lines on out, everything
// on the way on err. It is safe for concurrent use.
type Progress struct {
	mu      sync.Mutex
	out     io.Writer // nil: no stage lines (--json)
	err     io.Writer // nil: no progress (--quiet)
	outS    Style
	errS    Style
	stage   pipeline.Stage
	text    string
	began   time.Time
	frame   int
	drawn   bool
	stopped chan struct{}
	done    chan struct{}
}

// tick is how often the spinner turns: fast enough to look alive, slow enough
// to cost nothing. A guess.
const tick = 120 * time.Millisecond

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// NewProgress starts drawing; Close ends it. Either writer may be nil.
func NewProgress(out io.Writer, outS Style, err io.Writer, errS Style) *Progress {
	p := &Progress{out: out, err: err, outS: outS, errS: errS, stopped: make(chan struct{}), done: make(chan struct{})}
	if err != nil && errS.Live {
		go p.spin()
	} else {
		close(p.done)
	}
	return p
}

// Close stops drawing and clears the live line.
func (p *Progress) Close() {
	close(p.stopped)
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) spin() {
	defer close(p.done)
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-p.stopped:
			return
		case <-t.C:
			p.mu.Lock()
			p.frame++
			p.draw()
			p.mu.Unlock()
		}
	}
}

// Event takes one event of the pipeline.
func (p *Progress) Event(e pipeline.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.State == "done" {
		p.clear()
		p.stage = ""
		if p.out != nil {
			_, _ = fmt.Fprintln(p.out, StageLine(string(e.Stage), e.Text, p.outS))
		}
		return
	}
	if e.State == "live" && (p.err == nil || !p.errS.Live) {
		return // what is gone in a moment is no line of a log
	}
	if e.Stage != p.stage {
		p.stage, p.began = e.Stage, e.Time
	}
	p.text = progressText(e)
	if p.err == nil {
		return
	}
	if p.errS.Live {
		p.draw()
		return
	}
	_, _ = fmt.Fprintf(p.err, "%s: %s\n", inert.Line(string(e.Stage)), p.text)
}

func progressText(e pipeline.Event) string {
	text := inert.Line(e.Text)
	switch {
	case e.Total > 0 && e.Total < 1<<20:
		text += fmt.Sprintf(" (%d of %d)", e.Done, e.Total)
	case e.Total > 0:
		text += fmt.Sprintf(" (%d of %d MB)", e.Done>>20, e.Total>>20)
	case e.Done >= 1<<20:
		text += fmt.Sprintf(" (%d MB)", e.Done>>20)
	}
	return text
}

// draw writes the live line over itself.
func (p *Progress) draw() {
	if p.stage == "" || p.err == nil || !p.errS.Live {
		return
	}
	seconds := int(time.Since(p.began).Seconds())
	line := fmt.Sprintf(" %s %-12s %s (%d s)", spinner[p.frame%len(spinner)], p.stage, p.text, seconds)
	if w := p.errS.Width; w > 1 {
		if r := []rune(line); len(r) >= w {
			line = string(r[:w-1])
		}
	}
	_, _ = io.WriteString(p.err, "\r\x1b[2K"+line)
	p.drawn = true
}

func (p *Progress) clear() {
	if p.drawn {
		_, _ = io.WriteString(p.err, "\r\x1b[2K")
		p.drawn = false
	}
}

// StageLine is one line of the pipeline as users see it.
func StageLine(stage, text string, s Style) string {
	name := fmt.Sprintf("%-12s", inert.Line(stage))
	text = inert.Line(text)
	if s.Color {
		name = lipgloss.NewStyle().Faint(true).Render(name)
		if stage == string(pipeline.StageVerdict) {
			text = verdictStyle(text).Render(text)
		}
	}
	return " " + name + " " + text
}

// verdictStyle colours a verdict by what it claims: a claim is green, an
// honest "no" or "not here" yellow, our own failure red.
func verdictStyle(text string) lipgloss.Style {
	st := lipgloss.NewStyle().Bold(true)
	switch word, _, _ := strings.Cut(text, " "); word {
	case "reproduced", "fixed", "regression":
		return st.Foreground(lipgloss.Color("2"))
	case "failed", "hostile":
		return st.Foreground(lipgloss.Color("1"))
	}
	return st.Foreground(lipgloss.Color("3"))
}
