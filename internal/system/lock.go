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
		unlock, ok, err := TryLockFile(path)
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
	return closing(flock(path, unix.LOCK_EX))
}

// TryLockFileToShare is TryLockFile for a lock that share turns into a shared one
// in the end. On Linux nobody gets an exclusive lock in between (the kernel takes
// the old one and gives the new one under one lock of its own); where a file
// system does it in two steps, share may fail, and nothing is held then.
func TryLockFileToShare(path string) (unlock, share func() error, ok bool, err error) {
	f, ok, err := flock(path, unix.LOCK_EX)
	if err != nil || !ok {
		return nil, nil, false, err
	}
	share = func() error { return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) }
	return f.Close, share, true, nil
}

// TryRLockFile takes a shared lock without waiting: any number of holders may
// share it, and it keeps exclusive lockers out.
func TryRLockFile(path string) (unlock func() error, ok bool, err error) {
	return closing(flock(path, unix.LOCK_SH))
}

func closing(f *os.File, ok bool, err error) (unlock func() error, held bool, failed error) {
	if err != nil || !ok {
		return nil, false, err
	}
	return f.Close, true, nil
}

// flock locks path or says that it is taken. A holder may have removed the
// file between our open and our lock; a lock on a nameless file excludes
// nobody, so then it starts again.
func flock(path string, how int) (f *os.File, ok bool, err error) {
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
			return f, true, nil
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
