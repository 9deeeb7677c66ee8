// Package worktime measures what a function costs. Tests bound that, and not
// the time that passes: on a busy machine minutes pass while nothing is done.
package worktime

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Of runs f and says how much processor time its thread took. What f leaves to
// other goroutines is not counted.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := spent()
	f()
	return spent() - began
}

func spent() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		panic(err) // no call of ours can be wrong on Linux
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
