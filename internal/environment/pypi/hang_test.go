package pypi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// silentIndex takes every question and does not come to an end with it: before
// its answer, or in the midst of it.
func silentIndex(t *testing.T, midst bool) (asked *atomic.Int32, address string) {
	t.Helper()
	asked = &atomic.Int32{}
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if midst {
			w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
			_, _ = w.Write([]byte(`{"files":[`))
			w.(http.Flusher).Flush()
		}
		<-release
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(release) })
	return asked, s.URL
}

// heard waits until the index has heard so many questions: on a busy machine it
// does so only after who asked gave up.
func heard(asked *atomic.Int32, n int32) int32 {
	for range 3000 {
		if asked.Load() >= n {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return asked.Load()
}

// TestSilentIndex: an index that hangs is waited for once, whatever the number
// of listings, and says so.
func TestSilentIndex(t *testing.T) {
	for name, midst := range map[string]bool{"before the answer": false, "in the midst of it": true} {
		t.Run(name, func(t *testing.T) {
			asked, address := silentIndex(t, midst)
			c := New(Options{Indexes: []string{address + "/simple"}, Patience: 500 * time.Millisecond})
			if _, err := c.Project(t.Context(), "one"); err == nil || !strings.Contains(err.Error(), "the index said nothing for 500ms") {
				t.Fatalf("an answer from nobody: %v", err)
			}
			first := heard(asked, 1)
			if first != 1 {
				t.Errorf("asked %d times for one listing", first)
			}
			if err := c.Prefetch(t.Context(), []string{"a", "b", "c", "d", "e"}); err == nil {
				t.Error("no trouble")
			}
			if n := asked.Load(); n != first {
				t.Errorf("asked %d times more right after it hung", n-first)
			}
			// It is asked again later: the silence of a moment is no lasting fact.
			c.mu.Lock()
			c.silentUntil = time.Now().Add(-time.Second)
			c.mu.Unlock()
			if _, err := c.Project(t.Context(), "two"); err == nil || heard(asked, first+1) != first+1 {
				t.Errorf("asked %d times, %v", asked.Load(), err)
			}
		})
	}
}

// TestSilenceUsesOldListings: what is known serves as long as nobody answers.
func TestSilenceUsesOldListings(t *testing.T) {
	var hangs atomic.Bool
	release := make(chan struct{})
	fake := &fakeIndex{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hangs.Load() {
			<-release
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(release) })
	now := time.Now()
	o := Options{Indexes: []string{s.URL + "/simple"}, CacheDir: t.TempDir(), Now: func() time.Time { return now }}
	if p, err := New(o).Project(t.Context(), "termcolor"); err != nil || p.Stale {
		t.Fatalf("%+v %v", p, err)
	}
	hangs.Store(true)
	now = now.Add(2 * DefaultTTL)
	o.Patience = 100 * time.Millisecond // only now: a slow answer is no silence
	c := New(o)
	for range 2 {
		p, err := c.Project(t.Context(), "termcolor")
		if err != nil || !p.Stale {
			t.Fatalf("%+v %v", p, err)
		}
	}
}
