package llm

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
)

// entry is one call in the books of a Meter. The wrappers inside find it in
// their context, so that each attempt and each record is booked when it happens.
type entry struct {
	m     *Meter
	held  bound
	plain bound // held without the meter's excess
	open  bool  // held is reserved now
	known bool  // it was let through before: this is another attempt
	spent Usage // of failed attempts, booked already and part of the response's sum
	heard atomic.Int64
}

type entryKey struct{}

// entryOf is nil where no meter stands outside.
func entryOf(ctx context.Context) *entry {
	e, _ := ctx.Value(entryKey{}).(*entry)
	return e
}

// reserve waits until r fits beside the calls under way. With none under way the
// answer is bounded to what is left, but not below least.
func (e *entry) reserve(ctx context.Context, r Request, least int) (out int, err error) {
	for {
		out, wait, err := e.try(r, least)
		if wait == nil {
			return out, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// try is one look; it gives a channel to wait on when others are under way.
func (e *entry) try(r Request, least int) (out int, wait <-chan struct{}, err error) {
	m := e.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if !e.known {
		if err := m.another(); err != nil {
			return 0, nil, err
		}
	}
	if _, err := m.fit(r, bound{}); err != nil {
		return 0, nil, err // not even if those under way cost nothing
	}
	out, err = m.fit(r, m.held)
	if m.heldCalls > 0 && (err != nil || out < r.MaxTokens) {
		return 0, m.changed, nil
	}
	if err == nil && out < min(r.MaxTokens, least) {
		err = refused("what is left of the budget does not allow another attempt")
	}
	if err != nil {
		return 0, nil, err
	}
	e.plain = bound{UpperTokens(r), out}
	e.held, e.open = e.plain.plus(m.excess), true
	m.held = m.held.plus(e.held)
	m.heldCalls++
	if !e.known {
		e.known = true
		m.started++
	}
	return out, nil, nil
}

// listen counts what is streamed, for a call that is cut off: that much has been
// paid for.
func (e *entry) listen(r *Request) {
	tell := r.OnText
	r.OnText = func(piece string) {
		e.heard.Add(int64(EstimateTokens(piece)))
		if tell != nil {
			tell(piece)
		}
	}
}

// release ends the reservation; the meter is locked.
func (e *entry) release() {
	m := e.m
	if !e.open {
		return
	}
	e.open = false
	m.held = m.held.minus(e.held)
	m.heldCalls--
	close(m.changed)
	m.changed = make(chan struct{})
}

// answered books the whole call.
func (e *entry) answered(res Response) {
	m := e.m
	m.mu.Lock()
	defer m.mu.Unlock()
	e.release()
	last := res.Usage.less(e.spent)
	if res.Source == SourceBackend || res.Attempts <= 1 {
		m.excess.in = max(m.excess.in, last.InputTokens-e.plain.in)
		m.excess.out = max(m.excess.out, last.OutputTokens-e.plain.out)
	}
	m.used = m.used.Add(last)
	m.totals.Calls++
	switch res.Source {
	case SourceCache:
		m.totals.Cached++
		m.unpaid = m.unpaid.Add(res.Usage)
	case SourceReplay:
		m.totals.Replayed++
		m.unpaid = m.unpaid.Add(res.Usage)
	}
}

// failed books a call that ended without an answer.
func (e *entry) failed(r Request, err error) {
	e.attemptFailed(r, err)
	e.m.mu.Lock()
	defer e.m.mu.Unlock()
	var failure *Error
	if errors.As(err, &failure) && failure.Kind == Budget {
		e.m.started-- // nobody was asked
		return
	}
	e.m.totals.Calls++
	e.m.totals.Failed++
}

// attemptFailed books one attempt and ends its reservation. It says what the
// attempt cost, as far as anybody knows. On a nil entry it only says.
func (e *entry) attemptFailed(r Request, err error) Usage {
	var failure *Error
	var known Usage
	if errors.As(err, &failure) {
		known = failure.Usage
	}
	if e == nil {
		return known
	}
	m := e.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if !e.open {
		return known // the last attempt was booked when it failed
	}
	e.release()
	if known.Tokens() == 0 && mayHaveCost(err) {
		known = EstimateUsage(r, "")
		known.OutputTokens = int(e.heard.Load())
		m.lost.in += max(0, e.held.in-known.InputTokens)
		m.lost.out += max(0, e.held.out-known.OutputTokens)
	}
	e.heard.Store(0)
	m.used = m.used.Add(known)
	e.spent = e.spent.Add(known)
	return known
}

// again reserves for another attempt at the same request; nil without a meter.
func (e *entry) again(ctx context.Context, r Request) error {
	if e == nil {
		return nil
	}
	_, err := e.reserve(ctx, r, r.MaxTokens)
	return err
}

// earlier books a call that failed before this run was resumed, and reserves
// anew, for what it cost is no longer there.
func (e *entry) earlier(ctx context.Context, r Request, spent []Usage) error {
	if e == nil || len(spent) == 0 {
		return nil
	}
	e.m.mu.Lock()
	e.release()
	for _, u := range spent {
		e.m.used = e.m.used.Add(u)
		e.m.started++
		e.m.totals.Calls++
		e.m.totals.Failed++
	}
	e.m.mu.Unlock()
	return e.again(ctx, r)
}

// mayHaveCost says whether somebody may have worked on a failed call. A refused
// connection, a wrong key or a full queue cost nothing.
func mayHaveCost(err error) bool {
	var failure *Error
	if !errors.As(err, &failure) {
		return true // cancelled under way
	}
	switch failure.Kind {
	case Timeout, BadResponse, Crashed:
		return true
	case Connection:
		var op *net.OpError
		return !errors.As(err, &op) || op.Op != "dial"
	}
	return false
}

// less takes off what was booked before.
func (u Usage) less(v Usage) Usage {
	return Usage{
		InputTokens:   max(0, u.InputTokens-v.InputTokens),
		OutputTokens:  max(0, u.OutputTokens-v.OutputTokens),
		CachedTokens:  max(0, u.CachedTokens-v.CachedTokens),
		WrittenTokens: max(0, u.WrittenTokens-v.WrittenTokens),
		Estimated:     u.Estimated,
	}
}
