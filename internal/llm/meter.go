package llm

import (
	"context"
	"fmt"
	"sync"
)

// minAnswer is the shortest answer that is worth asking for when a limit leaves
// no more, in tokens; a guess: no script is shorter.
const minAnswer = 256

// Meter counts what a model is asked and keeps it within a limit, not exceeded
// by one call: what a call can cost at most is reserved before it is made. It
// stands outermost, around Recorded, Cached and Retry, which tell it of every
// attempt. Safe for concurrent use.
type Meter struct {
	m      Model
	price  Price
	priced bool
	limit  Limit

	mu     sync.Mutex
	totals Totals // without tokens and USD: those are in used
	used   Usage
	unpaid Usage
	// lost is what failed calls may have cost that nobody reported, in tokens: it
	// counts against the limits and stands in no total.
	lost bound
	// held is reserved by calls under way.
	held      bound
	heldCalls int
	// started are the calls that were let through, ended or not.
	started int
	// excess is by how much an answer went beyond its reservation: a server or a
	// command that puts a prompt of its own before ours, or does not keep to
	// max_tokens, does that once, for it is reserved from then on.
	excess  bound
	changed chan struct{} // closed whenever a reservation ends
}

// bound are tokens that a call can take at most.
type bound struct{ in, out int }

func (b bound) plus(c bound) bound { return bound{b.in + c.in, b.out + c.out} }

func (b bound) minus(c bound) bound { return bound{b.in - c.in, b.out - c.out} }

// NewMeter wraps m.
func NewMeter(m Model, prices Prices, limit Limit) *Meter {
	meter := &Meter{m: m, limit: limit, changed: make(chan struct{})}
	meter.price, meter.priced = prices.Of(m.Info())
	return meter
}

// Info is that of the model behind it.
func (m *Meter) Info() Info { return m.m.Info() }

// Cost of a usage in US dollars; false when the price is not known.
func (m *Meter) Cost(u Usage) (usd float64, priced bool) { return m.price.Of(u), m.priced }

// Unparsed counts an answer that could not be read as what was asked for.
func (m *Meter) Unparsed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.totals.Unparsed++
}

// Totals so far. Calls under way are not in them.
func (m *Meter) Totals() Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.totals
	t.InputTokens, t.OutputTokens = m.used.InputTokens, m.used.OutputTokens
	t.CachedTokens, t.WrittenTokens = m.used.CachedTokens, m.used.WrittenTokens
	t.Estimated = m.used.Estimated
	// From the sums, so that the order of concurrent calls changes no digit.
	t.USD, t.UnpaidUSD = m.price.Of(m.used), m.price.Of(m.unpaid)
	t.Priced = m.priced
	return t
}

// CanAsk says whether Complete would refuse r as things stand: nil, or an *Error
// of kind Budget. Calls under way are taken to cost nothing, for Complete waits
// for them where it matters.
func (m *Meter) CanAsk(r Request) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.another(); err != nil {
		return err
	}
	_, err := m.fit(r, bound{})
	return err
}

// Complete asks when the limit allows it. The answer may be bounded to fewer
// tokens than r says, down to 256; what allows less is refused with an *Error of
// kind Budget, and nobody is asked. A call that does not fit beside those under
// way waits for them, since most cost less than they could.
func (m *Meter) Complete(ctx context.Context, r Request) (Response, error) {
	if err := r.Validate(); err != nil {
		return Response{}, err
	}
	e := &entry{m: m}
	out, err := e.reserve(ctx, r, minAnswer)
	if err != nil {
		return Response{}, err
	}
	r.MaxTokens = out
	e.listen(&r)
	res, err := m.m.Complete(context.WithValue(ctx, entryKey{}, e), r)
	if err != nil {
		e.failed(r, err)
		return res, err
	}
	if res.Usage.Tokens() == 0 {
		res.Usage = EstimateUsage(r, res.Text)
	}
	e.answered(res)
	return res, nil
}

// another says whether one more call may be made at all.
func (m *Meter) another() error {
	switch l := m.limit; {
	case l.None:
		return refused("the budget for the language model is nothing")
	case l.Calls > 0 && m.started >= l.Calls:
		return refused(fmt.Sprintf("the limit on calls, %d, is reached", l.Calls))
	}
	return nil
}

// fit says how long the answer to r may be beside what is held.
func (m *Meter) fit(r Request, held bound) (out int, err error) {
	l := m.limit
	in := UpperTokens(r) + m.excess.in
	out = r.MaxTokens
	least := min(out, minAnswer)
	spent := bound{m.used.InputTokens, m.used.OutputTokens}.plus(m.lost).plus(held)
	if l.Tokens > 0 {
		out = min(out, l.Tokens-spent.in-spent.out-in-m.excess.out)
		if out < least {
			return 0, refused(fmt.Sprintf("%d of %d tokens are spent, and a prompt of up to %d with an answer does not fit",
				spent.in+spent.out, l.Tokens, in))
		}
	}
	if l.USD > 0 {
		left := m.left(held) - m.price.worst(in, m.excess.out)
		if !m.priced {
			return 0, unpriced(m.m.Info())
		}
		out = m.price.affordable(left, out)
		if out < least {
			return 0, refused(fmt.Sprintf("%.4f of %.4f dollars are left, and a call can cost more", m.left(held), l.USD))
		}
	}
	return out, nil
}

// left is what remains in dollars at the worst prices.
func (m *Meter) left(held bound) float64 {
	open := m.lost.plus(held)
	return m.limit.USD - m.price.Of(m.used) - m.price.worst(open.in, open.out)
}

// affordable is how many of out tokens so many dollars buy.
func (p Price) affordable(usd float64, out int) int {
	if usd < 0 {
		return -1
	}
	if p.Out <= 0 {
		return out
	}
	// Compared as floats first: a large sum does not fit an int.
	if n := usd * 1e6 / p.Out; n < float64(out) {
		return int(n)
	}
	return out
}

func refused(why string) error {
	return &Error{Kind: Budget, Why: why, Next: "raise the budget to go on"}
}

func unpriced(i Info) error {
	return &Error{
		Kind: Budget,
		Why:  fmt.Sprintf("the price of %s is not known, so a limit in dollars cannot be kept", i.Model),
		Next: "give its price in the config file, or limit calls and tokens instead",
	}
}
