package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// batch is a running "git cat-file --batch".
type batch struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// errMissing is what is said of a blob that the git directory does not have (a
// partial clone).
var errMissing = errors.New("the git directory does not hold its contents")

// started gives the running process, started when there is none. t.mu is held.
func (t *GitTree) started(ctx context.Context) (*batch, error) {
	if t.batch != nil {
		return t.batch, nil
	}
	// It lives until Close, longer than the call that starts it.
	b := &batch{cmd: t.command(context.WithoutCancel(ctx), "cat-file", "--batch")}
	b.cmd.Stderr = &b.stderr
	in, err := b.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	if err := b.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	b.in, b.out = in, bufio.NewReaderSize(out, 64<<10)
	t.batch = b
	return b, nil
}

// each reads blobs in order while the names of the next ones are under way.
func (t *GitTree) each(ctx context.Context, blobs []blob, take func(b blob, text []byte, missing error)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(blobs) == 0 {
		return ctx.Err()
	}
	p, err := t.started(ctx)
	if err != nil {
		return err
	}
	var asking error
	asked := make(chan struct{})
	go func() {
		asking = p.ask(blobs)
		close(asked)
	}()
	// fail ends git first: while nobody reads its answers it reads no names.
	fail := func(cause error) error {
		err := t.broken(cause)
		<-asked
		return err
	}
	for _, b := range blobs {
		text, err := p.answer()
		if err != nil && !errors.Is(err, errMissing) {
			return fail(err)
		}
		if ctx.Err() != nil { // what was asked for cannot be taken back
			return fail(ctx.Err())
		}
		take(b, text, err)
	}
	<-asked
	return asking
}

// ask writes the names; git answers each at once.
func (p *batch) ask(blobs []blob) error {
	w := bufio.NewWriter(p.in)
	for _, b := range blobs {
		if _, err := w.WriteString(b.hash + "\n"); err != nil {
			return err
		}
	}
	return w.Flush()
}

// answer reads one: "hash type size", the contents, a line feed.
func (p *batch) answer() ([]byte, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(line)
	if len(fields) == 2 && fields[1] == "missing" {
		return nil, errMissing
	}
	if len(fields) != 3 {
		return nil, fmt.Errorf("git cat-file answered %q", strings.TrimSpace(line))
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size < 0 || size > MaxFile {
		return nil, fmt.Errorf("git cat-file answered %q", strings.TrimSpace(line))
	}
	text := make([]byte, size+1)
	if _, err := io.ReadFull(p.out, text); err != nil {
		return nil, err
	}
	return text[:size], nil
}

// broken ends the process, so that the next call starts another. t.mu is held.
func (t *GitTree) broken(cause error) error {
	p := t.batch
	t.batch = nil
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
	if text := strings.TrimSpace(p.stderr.String()); text != "" {
		return fmt.Errorf("git cat-file: %s: %w", text, cause)
	}
	return fmt.Errorf("git cat-file: %w", cause)
}

// take gives the bytes of one blob, those that List kept first.
func (t *GitTree) take(ctx context.Context, b blob) ([]byte, error) {
	t.mu.Lock()
	text, ok := t.kept[b.hash]
	t.mu.Unlock()
	if ok {
		return text, nil
	}
	var missing error
	err := t.each(ctx, []blob{b}, func(_ blob, got []byte, err error) { text, missing = got, err })
	return text, errors.Join(err, missing)
}

// Close ends the git process. The tree is of no use afterwards.
func (t *GitTree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = nil
	if t.batch == nil {
		return nil
	}
	p := t.batch
	t.batch = nil
	_ = p.in.Close() // which makes it end
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	return nil
}
