package system

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a waiting LockFile looks again. flock cannot be
// interrupted without signals, hence polling; 20 ms (a guess) is short beside
// anything that is worth a lock.
const lockPoll = 20 * time.Millisecond

// LockFile takes an exclusive lock on path, waiting until it is free or ctx
// ends (then the error is ctx.Err(), wrapped). The file is made when absent.
// The kernel drops the lock when the process dies, however it dies.
func LockFile(ctx context.Context, path string) (unlock func() error, err error) {
	for {
		unlock, ok, err := flock(path, unix.LOCK_EX)
		if err != nil || ok {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w", path, ctx.Err())
		case <-time.After(lockPoll):
		}
	}
}

// TryLockFile is LockFile without waiting: ok is false when somebody else
// holds the lock.
func TryLockFile(path string) (unlock func() error, ok bool, err error) {
	return flock(path, unix.LOCK_EX)
}

// TryRLockFile takes a shared lock without waiting: any number of holders may
// share it, and it keeps exclusive lockers out.
func TryRLockFile(path string) (unlock func() error, ok bool, err error) {
	return flock(path, unix.LOCK_SH)
}

// flock locks path or says that it is taken. A holder may have removed the
// file between our open and our lock; a lock on a nameless file excludes
// nobody, so then it starts again.
func flock(path string, how int) (unlock func() error, ok bool, err error) {
	for {
		// A link in the lock's place would have a file made where it leads.
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o644)
		if err != nil {
			return nil, false, fmt.Errorf("lock: %w", err)
		}
		err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if err != nil {
			_ = f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, false, nil
			}
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return nil, false, fmt.Errorf("lock %s: %w", path, err)
		}
		if sameFile(f, path) {
			return f.Close, true, nil
		}
		_ = f.Close()
	}
}

// sameFile says whether path still names the opened file.
func sameFile(f *os.File, path string) bool {
	have, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(have, named)
}
