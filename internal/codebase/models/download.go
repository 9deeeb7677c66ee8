package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	// patience is how long a server may say nothing (guess: 30 s are longer than
	// any pause of a line that still works).
	patience = 30 * time.Second
	// attempts are how often a download that made no progress is tried again.
	attempts = 3
	// waitAgain is the pause before another attempt; a guess.
	waitAgain = 500 * time.Millisecond
	// maxDownload bounds a file whose size nobody said (guess: the largest
	// encoders in use have 2.3 GB).
	maxDownload = 8 << 30
)

// errGone says that a source does not have a file.
var errGone = errors.New("it does not have this file")

// passing is trouble that may be over at the next attempt.
type passing struct{ err error }

func (p *passing) Error() string { return p.err.Error() }
func (p *passing) Unwrap() error { return p.err }

// fetch is one file to be downloaded.
type fetch struct {
	address string
	part    string // grows there; kept when the download is interrupted
	size    int64  // 0: unknown
	sum     string // SHA-256 in hex, "" when unknown
	tell    func(done, total int64)
	http    *http.Client
}

// fetch downloads a file to f.part and checks size and hash. What an earlier
// attempt left there is gone on with where the server can. A file with another
// hash is removed: ErrHash.
func (m *Models) fetch(ctx context.Context, f fetch) error {
	for again := false; ; again = true {
		resumed, err := m.complete(ctx, f)
		if errors.Is(err, ErrHash) {
			err = errors.Join(err, f.drop())
		}
		if err != nil {
			return err
		}
		size, sum, err := hashFile(ctx, f.part)
		if err != nil {
			return err
		}
		if (f.size == 0 || size == f.size) && (f.sum == "" || sum == f.sum) {
			return os.RemoveAll(f.part + tagEnd)
		}
		if err := f.drop(); err != nil {
			return err
		}
		// What was there before may have been of another file: once more, from
		// the start.
		if !resumed || again {
			return fmt.Errorf("%w: %d bytes with %s instead of %d with %s", ErrHash, size, short(sum), f.size, short(f.sum))
		}
	}
}

// tagEnd ends the name of the file that keeps the server's tag of a part.
const tagEnd = ".etag"

func (f fetch) drop() error {
	return errors.Join(os.RemoveAll(f.part), os.RemoveAll(f.part+tagEnd))
}

// complete downloads until the end is reached, and says whether it went on with
// a part.
func (m *Models) complete(ctx context.Context, f fetch) (resumed bool, err error) {
	idle, best := 0, int64(-1)
	for {
		before := sizeOf(f.part)
		if f.size > 0 && before == f.size {
			return true, nil
		}
		went, err := m.once(ctx, f)
		resumed = resumed || went
		var again *passing
		if err == nil || !errors.As(err, &again) {
			return resumed, err
		}
		if ctx.Err() != nil {
			return resumed, ctx.Err()
		}
		// Only what goes beyond every attempt before is progress: a server that
		// begins anew each time would be asked for ever.
		if now := sizeOf(f.part); now > max(best, before) {
			idle, best = 0, now
		} else if idle++; idle >= attempts {
			return resumed, err
		}
		m.o.Log.Debug("a download is tried again", "error", err)
		select {
		case <-ctx.Done():
			return resumed, ctx.Err()
		case <-time.After(m.pause):
		}
	}
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// once is one request. It says whether the answer went on with the part.
func (m *Models) once(ctx context.Context, f fetch) (resumed bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(m.patience, func() { cancel(fmt.Errorf("the server said nothing for %s", m.patience)) })
	defer timer.Stop()
	req, err := f.request(ctx)
	if err != nil {
		return false, err
	}
	resp, err := f.http.Do(req)
	if err != nil {
		return false, &passing{reason(ctx, err)}
	}
	defer func() { _ = resp.Body.Close() }()
	at, err := f.begin(resp)
	if err != nil {
		return false, err
	}
	out, err := os.OpenFile(f.part, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return false, fmt.Errorf("keep a download: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := out.Truncate(at); err != nil {
		return false, fmt.Errorf("keep a download: %w", err)
	}
	if _, err := out.Seek(at, io.SeekStart); err != nil {
		return false, fmt.Errorf("keep a download: %w", err)
	}
	return at > 0, f.copy(ctx, out, resp, at, func() { timer.Reset(m.patience) })
}

// request asks for what is missing. A part of a file without a known hash is
// gone on with only when the server's tag is still the same.
func (f fetch) request(ctx context.Context) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address, nil)
	if err != nil {
		return nil, errors.New("the address is not a URL")
	}
	req.Header.Set("User-Agent", "repgen")
	have := sizeOf(f.part)
	if have == 0 {
		return req, nil
	}
	tag, err := os.ReadFile(f.part + tagEnd)
	if f.sum == "" && err != nil {
		return req, nil
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	if f.sum == "" {
		req.Header.Set("If-Range", string(tag))
	}
	return req, nil
}

// begin says at which byte the answer goes on.
func (f fetch) begin(resp *http.Response) (int64, error) {
	switch s := resp.StatusCode; {
	case s == http.StatusOK:
		return 0, f.keepTag(resp)
	case s == http.StatusPartialContent:
		have := sizeOf(f.part)
		if !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)) {
			return 0, errors.Join(errors.New("the server sent another part than the one asked for"), f.drop())
		}
		return have, nil
	case s == http.StatusRequestedRangeNotSatisfiable:
		return 0, errors.Join(&passing{errors.New("the part kept from before does not fit")}, f.drop())
	case s == http.StatusNotFound || s == http.StatusGone:
		return 0, errGone
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		return 0, fmt.Errorf("access is refused (status %d)", s)
	case s == http.StatusTooManyRequests || s >= 500:
		return 0, &passing{fmt.Errorf("status %d", s)}
	default:
		return 0, fmt.Errorf("status %d", s)
	}
}

// keepTag remembers a strong tag for a later If-Range.
func (f fetch) keepTag(resp *http.Response) error {
	tag := resp.Header.Get("ETag")
	if tag == "" || strings.HasPrefix(tag, "W/") || len(tag) > 200 {
		return os.RemoveAll(f.part + tagEnd)
	}
	return os.WriteFile(f.part+tagEnd, []byte(tag), 0o600)
}

// copy writes the body behind the first at bytes.
func (f fetch) copy(ctx context.Context, out io.Writer, resp *http.Response, at int64, alive func()) error {
	limit := f.size
	if limit == 0 {
		limit = maxDownload
	}
	total := f.size
	if total == 0 && resp.ContentLength > 0 {
		total = at + resp.ContentLength
	}
	buf := make([]byte, 256<<10)
	for {
		n, err := resp.Body.Read(buf)
		alive()
		if at += int64(n); at > limit {
			return fmt.Errorf("%w: it is larger than %d bytes", ErrHash, limit)
		}
		if _, werr := out.Write(buf[:n]); werr != nil {
			return fmt.Errorf("keep a download: %w", werr)
		}
		f.tell(at, total)
		if errors.Is(err, io.EOF) {
			// A line that breaks is another error: this is all the server has.
			if at < f.size {
				return fmt.Errorf("%w: it has %d bytes instead of %d", ErrHash, at, f.size)
			}
			return nil
		}
		if err != nil {
			return &passing{reason(ctx, err)}
		}
	}
}

// reason is why a request failed, without its address, which may hold
// credentials.
func reason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil {
		return cause
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// hubVariable names another model hub, as the hub's own tools read it.
const hubVariable = "HF_ENDPOINT"

// defaultHub is the model hub where the variable names none. It is written here
// and nowhere else.
const defaultHub = "https://huggingface.co"

// HubAddress is the model hub's address: the value of HF_ENDPOINT, else the
// default.
func HubAddress(environ func(string) string) string {
	if v := strings.TrimRight(environ(hubVariable), "/"); v != "" {
		return v
	}
	return defaultHub
}

// hubFile is a file's address at the hub.
func hubFile(hub string, s Source, member string) string {
	return strings.TrimRight(hub, "/") + "/" + s.Repository + "/resolve/" + url.PathEscape(s.Revision) + "/" + member
}

// sizeText is a size for people.
func sizeText(n int64) string {
	if n >= 1e6 {
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
	}
	return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + " kB"
}
