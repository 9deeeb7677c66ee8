package mcp

import (
	"context"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// wait is how long a call may wait.
func (w Waiting) wait() time.Duration {
	if w.WaitS == nil {
		return defaultWait
	}
	return time.Duration(max(0, min(*w.WaitS, maxWait.Seconds())) * float64(time.Second))
}

// await waits until a job ends, the patience does, or the call is cancelled.
// Meanwhile a client that gave a token hears how it goes.
func (s *session) await(ctx context.Context, req *sdk.CallToolRequest, j *job, patience time.Duration) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	beat := time.NewTicker(s.opts.Heartbeat)
	defer beat.Stop()
	said := ""
	for {
		run, _, changed, _ := j.view()
		if n := len(run.Progress); n > 0 && run.Progress[n-1] != said {
			said = run.Progress[n-1]
			s.notify(ctx, req, run.Seconds, said)
		}
		select {
		case <-j.done:
			return nil
		case <-late.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-beat.C:
			s.notify(ctx, req, time.Since(j.began).Seconds(), fmt.Sprintf("still %s: %s", run.State, said))
		case <-changed:
		}
	}
}

// notify tells the client how a call goes. That it cannot be told is no reason
// to stop: the call's own end says so.
func (s *session) notify(ctx context.Context, req *sdk.CallToolRequest, seconds float64, text string) {
	if req == nil || req.Session == nil || req.Params == nil {
		return
	}
	token := req.Params.GetProgressToken()
	if token == nil {
		return
	}
	err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Message: text, Progress: seconds})
	if err != nil {
		s.log.Debug("tell of the progress", "error", err)
	}
}

// long runs a job for a call. The caller's cancellation, while it waits, stops
// the job; what is not finished in time goes on and is asked for by get_run.
// done is called once, after the job's end or where it could not be begun.
func (s *session) long(ctx context.Context, req *sdk.CallToolRequest, t task) (Run, any, error) {
	j, err := s.jobs.start(t)
	if err != nil {
		t.end()
		return Run{}, nil, s.fail(err)
	}
	if err := s.await(ctx, req, j, t.wait()); err != nil {
		j.cancel()
		return Run{}, nil, s.fail(err)
	}
	run, result, _, err := j.view()
	if err != nil {
		return Run{}, nil, s.fail(err)
	}
	return run, result, nil
}

// typed is a job's result as its tool's type; nil while there is none.
func typed[T any](result any) *T {
	v, _ := result.(*T)
	return v
}
