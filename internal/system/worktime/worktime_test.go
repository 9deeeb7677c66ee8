package worktime

import (
	"testing"
	"time"
)

// TestOf: waiting costs nothing, work costs what it takes, on this thread alone.
func TestOf(t *testing.T) {
	if got := Of(func() { time.Sleep(300 * time.Millisecond) }); got > 100*time.Millisecond {
		t.Errorf("sleeping cost %v", got)
	}
	work := func() {
		for began := spent(); spent()-began < 50*time.Millisecond; {
		}
	}
	if got := Of(work); got < 50*time.Millisecond {
		t.Errorf("50 ms of work cost %v", got)
	}
	other := make(chan struct{})
	got := Of(func() {
		go func() {
			Of(work)
			close(other)
		}()
		<-other
	})
	if got > 40*time.Millisecond {
		t.Errorf("the work of another goroutine cost %v", got)
	}
}
