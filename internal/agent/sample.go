package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/repgen/repgen/internal/agent/generate"
	"github.com/repgen/repgen/internal/agent/refine"
	"github.com/repgen/repgen/internal/agent/task"
	"github.com/repgen/repgen/internal/agent/trace"
)

// provedSamples bounds how many of the samples are proved: a proof takes a dozen
// executions, and what the best three do not prove the rest rarely does (a
// guess).
const provedSamples = 3

// sampleTemperature makes answers to one prompt differ (source: Libro).
const sampleTemperature = 0.7

// sample asks for several scripts at once, runs all of them and proves those
// whose failure agrees best with the report (source: Libro).
func (r *run) sample(ctx context.Context) (string, error) {
	if err := r.order(ctx); err != nil {
		return "", err
	}
	if err := r.expect(ctx); err != nil {
		return "", err
	}
	modules, err := r.search(ctx)
	if err != nil {
		return "", err
	}
	s := &scene{name: "sample", variant: generate.Full, script: r.ownText()}
	if len(modules) > 0 {
		s.number, s.module = 1, &modules[0]
	}
	if err := r.outline(ctx, s); err != nil {
		return "", err
	}
	all, err := r.draw(ctx, s)
	if err != nil && !isStop(err) {
		return "", err
	}
	for _, m := range all {
		r.attempts = append(r.attempts, m.attempt)
	}
	why, proved := r.pick(ctx, all)
	return why, first(proved, err)
}

// first is a proof before an earlier stop: a budget that ended during the draw
// does not undo what was drawn.
func first(proved, stop error) error {
	var p *stopped
	if stop == nil || proved != nil && (!errors.As(proved, &p) || p.ending == Proved) {
		return proved
	}
	return stop
}

// draw makes the samples: first all scripts, then all runs, each as many at once
// as there are cores. What stopped some does not stop the others; the error is
// that of the first sample that has one.
func (r *run) draw(ctx context.Context, s *scene) ([]*made, error) {
	n := r.in.Budget.Samples
	all, spans := make([]*made, n), make([]func(trace.Span), n)
	ctxs := make([]context.Context, n)
	for i := range n {
		ctxs[i], spans[i] = r.a.Trace.Begin(trace.WithAttempt(ctx, i+1), trace.KindStage, "sample")
	}
	// All scripts before the first run: equal ones are then known, and run once.
	stop := r.parallel(n, func(i int) error {
		one := *s
		one.sample = i
		m, err := r.write(ctxs[i], &one, i+1)
		if err == nil {
			all[i] = m
		}
		return err
	})
	twins := duplicates(all)
	if stop == nil || isStop(stop) {
		// What was written before a budget ended is paid for: it is run.
		later := r.parallel(n, func(i int) error {
			if all[i] == nil || twins[i] != i {
				return nil
			}
			return r.look(ctxs[i], s, all[i])
		})
		if stop == nil || later != nil && !isStop(later) {
			stop = later
		}
	}
	var out []*made
	for i, m := range all {
		if m == nil {
			spans[i](trace.Span{Text: "no answer", Failed: true})
			continue
		}
		if t := twins[i]; t != i {
			m.attempt, m.trial, m.twin = copied(all[t].attempt, m.attempt), all[t].trial, true
		}
		spans[i](trace.Span{Text: told(&m.attempt), Detail: m.attempt.Script})
		r.progress("sample %d: %s", i+1, told(&m.attempt))
		m.attempt.Number = len(out) + 1
		out = append(out, m)
	}
	return out, stop
}

// copied is the result of one script for another that is the same.
func copied(from, to task.Attempt) task.Attempt {
	to.Reached, to.Feedback, to.Hit, to.Clean = from.Reached, from.Feedback, from.Hit, from.Clean
	return to
}

// duplicates says for each script which one is the first of its kind.
func duplicates(all []*made) []int {
	at := map[string]int{}
	out := make([]int, len(all))
	for i, m := range all {
		out[i] = i
		if m == nil || m.attempt.Script == "" {
			continue
		}
		key := refine.Normalise(m.attempt.Script)
		if j, ok := at[key]; ok {
			out[i] = j
			continue
		}
		at[key] = i
	}
	return out
}

// parallel does n things, as many at once as there are cores. A failure begins
// none with a higher number; the error is that of the lowest.
func (r *run) parallel(n int, do func(i int) error) error {
	var g errgroup.Group
	g.SetLimit(runtime.NumCPU())
	errs := make([]error, n)
	var failed atomic.Int64 // the lowest number that failed
	failed.Store(int64(n))
	for i := range n {
		g.Go(func() error {
			if int64(i) > failed.Load() {
				return nil
			}
			if errs[i] = do(i); errs[i] == nil {
				return nil
			}
			for low := failed.Load(); int64(i) < low && !failed.CompareAndSwap(low, int64(i)); low = failed.Load() {
			}
			return nil
		})
	}
	_ = g.Wait() // errors are in errs
	for _, err := range errs {
		if err != nil && !isStop(err) {
			return err
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// pick proves the most promising samples, the best one of each failure first.
func (r *run) pick(ctx context.Context, all []*made) (string, error) {
	var tried []refine.Tried
	for i, m := range all {
		t := refine.TriedOf(i, m.trial, m.attempt.Hit, m.attempt.Clean)
		if m.trial == nil {
			t.Failure = "not run, " + told(&m.attempt)
		}
		tried = append(tried, t)
	}
	clusters := refine.Clusters(tried)
	if len(clusters) == 0 {
		return "no script was written", nil
	}
	top := clusters[0]
	why := fmt.Sprintf("%d of %d scripts, the most promising of %d clusters: %s", len(top.Members), len(all), len(clusters), top.Failure)
	r.decide(ctx, "clusters", why)
	// By depth and then by cluster: two scripts that fail alike are proved or not
	// for the same reason.
	proved := 0
	for depth := 0; proved < provedSamples; depth++ {
		more := false
		for _, c := range clusters {
			if depth >= len(c.Members) || proved >= provedSamples {
				continue
			}
			more = true
			if t := c.Members[depth]; t.Hit && !all[t.Index].twin {
				proved++
				if err := r.prove(ctx, all[t.Index], t.Index); err != nil {
					return why, err
				}
			}
		}
		if !more {
			break
		}
	}
	return why, nil
}
