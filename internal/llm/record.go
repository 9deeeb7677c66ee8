package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/repgen/repgen/internal/system"
)

// recorded keeps what a run asks.
type recorded struct {
	m   Model
	dir string

	mu   sync.Mutex
	past map[string][]*record // by hash, in order; what is answered is taken out
	// last is the highest number with an answer among what was loaded.
	last int
	next int
	err  error // the folder could not be read
}

// Recorded keeps every call in a folder, one file each, and answers from there
// what the run has asked before: the n-th request of a kind gets the n-th record
// of it. A file appears whole or not at all, so a killed run repeats at most the
// calls that were under way. A call that failed is kept too. When the run went on
// after it, it fails again, so that the resumed run takes the same way; else it
// is asked again, and what the failed one cost is booked.
//
// Only records of the same model are used. A folder that cannot be written to
// costs the records, not the run.
func Recorded(m Model, dir string) Model {
	c := &recorded{m: m, dir: dir, past: map[string][]*record{}}
	sweep(dir)
	all, last, err := loadRecords(dir)
	c.next = last
	if err != nil {
		c.err = &Error{
			Kind: NoRecord, Why: "the records of this run cannot be read: " + err.Error(), Err: err,
			Next: "make the folder readable, or begin a new run",
		}
	}
	info := m.Info()
	for _, one := range all {
		if !one.Info.Same(info) {
			continue
		}
		c.past[one.Hash] = append(c.past[one.Hash], one)
		if one.Response != nil {
			c.last = max(c.last, one.Number)
		}
	}
	return c
}

// sweep removes what a kill in the middle of a write left behind.
func sweep(dir string) {
	left, err := filepath.Glob(filepath.Join(dir, ".[0-9]*.json.tmp-*"))
	if err != nil {
		return // the folder's own name is a pattern
	}
	for _, path := range left {
		_ = os.Remove(path) // it is never read anyway
	}
}

func (c *recorded) Info() Info { return c.m.Info() }

func (c *recorded) Complete(ctx context.Context, r Request) (Response, error) {
	if err := r.Validate(); err != nil {
		return Response{}, err
	}
	if err := ctx.Err(); err != nil {
		return Response{}, err
	}
	if c.err != nil {
		return Response{}, c.err
	}
	hash := r.hash()
	found, lost := c.take(hash)
	if err := entryOf(ctx).earlier(ctx, r, lost); err != nil {
		return Response{}, err
	}
	if found != nil {
		return found.again(r, SourceRecord)
	}
	res, err := c.m.Complete(ctx, r)
	one := &record{Schema: recordSchema, Purpose: r.Purpose, Hash: hash, Info: c.m.Info(), Request: r}
	if err == nil {
		kept := res
		one.Response = &kept
		res.Record = c.keep(ctx, one)
		return res, nil
	}
	var failed *Error
	if ctx.Err() == nil && errors.As(err, &failed) && worthKeeping(failed.Kind) {
		one.Failure = failureOf(failed, entryOf(ctx).attemptFailed(r, err))
		c.keep(ctx, one)
	}
	return res, err
}

// worthKeeping: the other kinds never reached a backend.
func worthKeeping(k Kind) bool { return k != NoRecord && k != Budget && k != BadRequest }

// take is what was recorded for a request: the next call that is believed, or
// nil, and the cost of failed calls that are to be asked again.
func (c *recorded) take(hash string) (found *record, lost []Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.past[hash]
	for len(list) > 0 {
		one := list[0]
		list = list[1:]
		if one.Response != nil || one.Number < c.last {
			found = one
			break
		}
		lost = append(lost, one.Failure.Usage)
	}
	c.past[hash] = list
	return found, lost
}

// again is what the record says.
func (c *record) again(r Request, source string) (Response, error) {
	if c.Failure != nil {
		return Response{}, c.Failure.err()
	}
	res := *c.Response
	if res.Source == SourceBackend {
		res.Source = source
	}
	res.Record = c.name
	r.tell(res.Text)
	return res, nil
}

// keep writes a record and says its name, "" when it could not be written.
func (c *recorded) keep(ctx context.Context, one *record) string {
	c.mu.Lock()
	c.next++
	one.Number = c.next
	c.mu.Unlock()
	one.name = one.fileName()
	err := os.MkdirAll(c.dir, 0o755)
	if err == nil {
		err = system.WriteJSON(filepath.Join(c.dir, one.name), one)
	}
	if err != nil {
		slog.WarnContext(ctx, "an answer of the language model is not recorded", "why", err)
		return ""
	}
	return one.name
}

// replay answers from records alone.
type replay struct {
	info Info

	mu    sync.Mutex
	by    map[string][]*record
	asked map[string]int
	all   []*record
}

// Replay answers from the records in dir, which Recorded wrote, and asks nobody.
// Requests are found by what they say, in any order; whoever asks the same again
// gets the next record of it, and after the last one the first, so that a second
// run sees what the first one saw. What is not recorded is an *Error of kind
// NoRecord that says what differs. Failures are replayed too.
//
// Its Info names the recorded model, for its price.
func Replay(dir string) (Model, error) {
	all, _, err := loadRecords(dir)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("replay the language model: no record in %s (a run's folder keeps them in its folder of model calls)", dir)
	}
	p := &replay{by: map[string][]*record{}, asked: map[string]int{}, all: all}
	p.info = all[0].Info
	if p.info.Provider == "" {
		p.info.Provider = p.info.Backend
	}
	p.info.Backend = "replay"
	for _, one := range all {
		p.by[one.Hash] = append(p.by[one.Hash], one)
	}
	return p, nil
}

func (p *replay) Info() Info { return p.info }

func (p *replay) Complete(ctx context.Context, r Request) (Response, error) {
	if err := r.Validate(); err != nil {
		return Response{}, err
	}
	if err := ctx.Err(); err != nil {
		return Response{}, err
	}
	hash := r.hash()
	p.mu.Lock()
	list, n := p.by[hash], p.asked[hash]
	p.asked[hash]++
	p.mu.Unlock()
	if len(list) == 0 {
		return Response{}, p.missing(r)
	}
	res, err := list[n%len(list)].again(r, SourceReplay)
	if err == nil {
		res.Source = SourceReplay
	}
	return res, err
}

// missing says what differs from what is recorded.
func (p *replay) missing(r Request) error {
	out := &Error{Kind: NoRecord, Next: "replay the run that was recorded with this version and these options, or ask a model"}
	var purposes []string
	var near []*record
	for _, one := range p.all {
		if !slices.Contains(purposes, one.Purpose) {
			purposes = append(purposes, one.Purpose)
		}
		if one.Purpose == r.Purpose {
			near = append(near, one)
		}
	}
	if len(near) == 0 {
		out.Why = fmt.Sprintf("nothing is recorded for the purpose %q (recorded: %q)", r.Purpose, purposes)
		return out
	}
	out.Why = fmt.Sprintf("the request for %q is none of the %d recorded: %s", r.Purpose, len(near), nearest(near, r))
	return out
}
