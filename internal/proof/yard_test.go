package proof

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/repgen/repgen/internal/oracle"
)

// site is a yard whose builds wait until they are let go.
type site struct {
	*yard
	mu    sync.Mutex
	begun []string
	gate  chan struct{}
}

func newSite(slots int) *site {
	ctx, cancel := context.WithCancel(context.Background())
	s := &site{gate: make(chan struct{})}
	s.yard = &yard{cancel: cancel, slots: slots, made: map[plan]*prepared{}, stopped: func() bool { return ctx.Err() != nil }}
	s.build = func(pl plan) (*side, error) {
		s.mu.Lock()
		s.begun = append(s.begun, pl.version)
		s.mu.Unlock()
		select {
		case <-s.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return &side{group: oracle.Group{Version: pl.version}}, nil
	}
	return s
}

func at(version string) plan { return plan{oracle.SideRelease, "lib", version} }

func (s *site) order() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.begun...)
}

func TestYardBuildsInOrderAndOnce(t *testing.T) {
	s := newSite(1)
	defer s.stop()
	for _, v := range []string{"1", "2", "1", "3"} {
		s.want(at(v))
	}
	close(s.gate)
	for _, v := range []string{"1", "2", "3"} {
		got, err := s.take(t.Context(), at(v))
		if err != nil || got.group.Version != v {
			t.Fatalf("%s: got %+v, %v", v, got, err)
		}
	}
	if got := s.order(); len(got) != 3 || got[0] != "1" {
		t.Errorf("begun: %v", got)
	}
}

// What is needed now does not wait behind guesses, and stale guesses are
// forgotten.
func TestYardTakesTheNeededFirst(t *testing.T) {
	s := newSite(1)
	defer s.stop()
	s.want(at("guess"))
	s.want(at("stale"))
	s.want(at("needed"))
	s.only(at("needed"))
	done := make(chan error, 1)
	go func() {
		_, err := s.take(t.Context(), at("needed"))
		done <- err
	}()
	close(s.gate)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, v := range s.order() {
		if v == "stale" {
			t.Error("a stale guess was built")
		}
	}
}

func TestYardStopEndsWhatIsUnderWay(t *testing.T) {
	s := newSite(2)
	s.want(at("1"))
	s.want(at("2"))
	s.want(at("3"))
	s.stop()
	if _, err := s.take(t.Context(), at("1")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, v := range s.order() {
		if v == "3" {
			t.Error("the third was begun after the stop")
		}
	}
	var none *yard
	none.stop() // before there is a lock
}

func TestYardWaitEndsWithItsContext(t *testing.T) {
	s := newSite(1)
	defer s.stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.take(ctx, at("1")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
