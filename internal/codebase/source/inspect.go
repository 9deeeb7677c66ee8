package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// inspect reads the files whose hash is not known and makes the listing.
func (w *walk) inspect(ctx context.Context) (*Listing, error) {
	verdicts := make([]Skip, len(w.files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range w.files {
		if !w.files[i].read {
			continue
		}
		group.Go(func() error {
			verdicts[i] = w.look(&w.files[i].file)
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	l := &w.list
	for i, c := range w.files {
		switch v := verdicts[i]; v.Why {
		case "":
			l.add(c.file.Path, c.file)
		case gone:
		default:
			l.skip(c.file.Path, v.Why, v.More)
		}
	}
	return l, nil
}

// gone is the verdict on a file that was removed while the folder was read.
const gone = "gone"

// look reads a file, hashes it, and says why it is left out, if it is.
func (w *walk) look(f *File) Skip {
	b, err := w.tree.bytes(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Skip{Why: gone}
	case errors.Is(err, errTooLarge): // it has grown
		return Skip{Why: WhyTooLarge, More: err.Error()}
	case err != nil:
		return Skip{Why: WhyUnreadable, More: reason(err)}
	}
	sum := sha256.Sum256(b)
	f.Size, f.Hash = int64(len(b)), hex.EncodeToString(sum[:])
	why, more := contents(f.Path, b)
	return Skip{Why: why, More: more}
}
