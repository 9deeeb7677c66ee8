package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/repgen/repgen/internal/sandbox"
	"github.com/repgen/repgen/internal/sandbox/inner"
	"github.com/repgen/repgen/internal/sandbox/watch"
	"github.com/repgen/repgen/internal/system/proc"
)

// TestJudge: trouble of the machine first, then what the first process saw, then
// what we did; where nothing tells, nothing is said.
func TestJudge(t *testing.T) {
	hit := &watch.Hit{Outcome: sandbox.TimedOut, Limit: "wall 1s"}
	full := &sandbox.LayerError{Layer: "disk", Why: "full"}
	ended := inner.News{Ended: true, Exit: 3}
	died := func(sig string) inner.News { return inner.News{Ended: true, Signal: sig} }
	tests := map[string]struct {
		last     inner.News
		began    bool
		canceled bool
		cause    error
		flooded  bool
		oom      int
		cpu      float64
		want     sandbox.Outcome
		limit    string
		err      string
	}{
		"ended":                {last: ended, want: sandbox.Exited},
		"ended before a hit":   {last: ended, cause: hit, want: sandbox.Exited},
		"ended on a full disk": {last: ended, cause: full, err: "full"},
		"could not start":      {last: inner.News{Failed: "start x: not found"}, err: "not found"},
		"signal":               {last: died("SIGSEGV"), want: sandbox.Signaled},
		"killed by itself":     {last: died("SIGKILL"), want: sandbox.Signaled},
		"killed for memory":    {last: died("SIGKILL"), oom: 1, want: sandbox.OutOfMemory, limit: "memory"},
		"cpu":                  {last: died("SIGXCPU"), cpu: 3, want: sandbox.TimedOut, limit: "cpu"},
		"cpu of its own":       {last: died("SIGXCPU"), cpu: 1, want: sandbox.Signaled},
		"flood":                {began: true, flooded: true, want: sandbox.OutputLimit, limit: "output"},
		"canceled":             {began: true, canceled: true, want: sandbox.Canceled, err: "canceled"},
		"hit":                  {began: true, cause: hit, want: sandbox.TimedOut, limit: "wall"},
		"all killed":           {began: true, oom: 2, want: sandbox.OutOfMemory, limit: "memory"},
		"killed from outside":  {began: true, err: "from outside"},
		"nothing is known":     {},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &Session{
				Limits: sandbox.Limits{CPU: 2 * time.Second}.WithDefaults(), Last: tt.last, Began: tt.began,
				Guard: &watch.Guard{Folders: []string{t.TempDir()}, Limits: sandbox.DefaultLimits()},
			}
			if err := s.Guard.Begin(); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.canceled {
				cancel()
			}
			ex := sandbox.Execution{ExitCode: -1, OOMKills: tt.oom, CPUSeconds: tt.cpu}
			known, err := s.Judge(ctx, tt.cause, proc.Result{Flooded: tt.flooded}, &ex)
			if known != (tt.want != "" || tt.err != "") || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("known %v, error %v", known, err)
			}
			if ex.Outcome != tt.want || !strings.HasPrefix(ex.LimitHit, tt.limit) || (ex.LimitHit == "") != (tt.limit == "") {
				t.Errorf("outcome %q, limit %q", ex.Outcome, ex.LimitHit)
			}
			if tt.want == sandbox.Exited && ex.ExitCode != 3 || tt.want == sandbox.OutOfMemory && ex.OOMKills == 0 {
				t.Errorf("exit %d, kills %d", ex.ExitCode, ex.OOMKills)
			}
		})
	}
}

// TestHangUp: a first process that spoke unasked, or never speaks, holds nobody.
func TestHangUp(t *testing.T) {
	open := func(t *testing.T) *Session {
		s := &Session{Command: sandbox.Command{Work: t.TempDir()}, Limits: sandbox.DefaultLimits()}
		if err := s.Open(runs(t, t.TempDir(), nil)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	stopped := errors.New("nothing")
	stop := func(err error) { stopped = err }

	s := open(t)
	if _, err := s.theirs[0].WriteString(`{"started":true,"ended":true}` + "\n"); err != nil {
		t.Fatal(err)
	}
	s.Attend(t.Context(), stop, func() (*inner.Order, error) { return nil, nil })
	s.wg.Wait()
	if stopped == nil || !strings.Contains(stopped.Error(), "before it was asked") || s.Last.Ended {
		t.Errorf("stopped by %v, last %+v", stopped, s.Last)
	}

	s = open(t)
	s.Attend(t.Context(), stop, func() (*inner.Order, error) { return nil, errors.New("no group") })
	s.Wait(time.Minute) // nobody holds the other ends
	if stopped.Error() != "no group" {
		t.Errorf("stopped by %v", stopped)
	}
}
