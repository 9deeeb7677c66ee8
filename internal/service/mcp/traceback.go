package mcp

import (
	"fmt"
	"strings"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/probe"
)

// Frames that are shown of one exception: where it began and where it was
// raised say most (guesses).
const (
	firstFrames = 4
	lastFrames  = 8
	maxChain    = 3
)

// traceback is what the execution died of, as short as it teaches: uncaught
// exceptions, else a fatal signal's stack, else the stacks of what did not end.
func traceback(ex *sandbox.Execution) string {
	var b strings.Builder
	for _, e := range ex.Record.Exceptions {
		exception(&b, &e)
		for i, c := range e.Chain {
			if i == maxChain {
				fmt.Fprintf(&b, "… and %d more in the chain\n", len(e.Chain)-i)
				break
			}
			fmt.Fprintf(&b, "%s ", map[string]string{"cause": "caused by", "member": "with"}[c.Link])
			exception(&b, &c)
		}
	}
	switch {
	case b.Len() > 0:
	case ex.Record.Fatal != "" && ex.Signal != "":
		b.WriteString(ex.Record.Fatal)
	case ex.Outcome == sandbox.TimedOut:
		stacks(&b, ex.Record.Stacks)
	case ex.Record.SystemExit != "":
		fmt.Fprintf(&b, "sys.exit(%s)\n", ex.Record.SystemExit)
	}
	text, left := head(b.String(), maxTraceback)
	if left > 0 {
		text += fmt.Sprintf("\n… %d bytes left out", left)
	}
	return text
}

func exception(b *strings.Builder, e *probe.Exception) {
	if e.Thread != "" {
		fmt.Fprintf(b, "in thread %s: ", line(e.Thread, maxLine))
	}
	fmt.Fprintf(b, "%s: %s\n", line(e.Type, maxLine), line(e.Message, maxWords))
	frames(b, e.Frames)
	for i, n := range e.Notes {
		if i < maxChain {
			fmt.Fprintf(b, "  note: %s\n", line(n, maxLine))
		}
	}
}

// frames writes them, the outermost first.
func frames(b *strings.Builder, list []probe.Frame) {
	for i := 0; i < len(list); i++ {
		if i == firstFrames && len(list) > firstFrames+lastFrames {
			skipped := len(list) - firstFrames - lastFrames
			fmt.Fprintf(b, "  … %d frames\n", skipped)
			i += skipped
		}
		f := &list[i]
		fmt.Fprintf(b, "  %s:%d in %s", short(f.File), f.Line, line(f.Function, maxLine))
		if f.Source != "" {
			b.WriteString(": " + line(f.Source, maxLine))
		}
		b.WriteByte('\n')
	}
}

// stacks writes the last sample of each main thread.
func stacks(b *strings.Builder, list []probe.Stack) {
	for i := len(list) - 1; i >= 0; i-- {
		if s := &list[i]; s.Main && !s.Child {
			fmt.Fprintf(b, "at sample %d the main thread was in\n", s.Sample)
			frames(b, s.Frames)
			return
		}
	}
}

// short is a file's path below its environment.
func short(file string) string {
	const installed = "-packages/" // site-packages, dist-packages
	if i := strings.LastIndex(file, installed); i >= 0 {
		file = file[i+len(installed):]
	}
	return line(strings.TrimPrefix(file, sandbox.WorkDir+"/"), maxLine)
}
