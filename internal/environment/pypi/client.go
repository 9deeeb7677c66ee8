package pypi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/repgen/repgen/internal/pydist"
)

// DefaultTTL is how long a listing is believed. The index sends neither ETag
// nor Cache-Control, so age is all there is; an hour is a guess that keeps a
// day's work on one report from asking twice.
const DefaultTTL = time.Hour

const (
	// maxListing bounds one listing: the largest seen (numpy) has 1.9 MB,
	// nightly builds with years of files some thirty.
	maxListing = 96 << 20
	// requestTime bounds one request; a listing takes 0.05 s on a good line.
	requestTime = 60 * time.Second
	// DefaultPatience is how long the index may say nothing at all, before its
	// answer or in the midst of it. A guess: 200 times what a listing takes, and
	// short enough that a user sees the reason before giving up (an index that
	// hangs took 36 s in three tries of 12 s each).
	DefaultPatience = 12 * time.Second
	// quick is how soon trouble must come to be worth another try: what took
	// longer was silence, which the next try would only repeat.
	quick = 3 * time.Second
	// attempts per listing, with a pause that doubles from firstPause.
	attempts   = 3
	firstPause = 400 * time.Millisecond
	// parallel requests of Prefetch: eight took 60 projects from 0.56 to 0.11 s.
	parallel = 8
)

// accept prefers PEP 691's JSON (it alone has upload times) to PEP 503 pages.
const accept = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"

// ErrNotFound says that no index has the project. It is an answer, not
// trouble with the index.
var ErrNotFound = errors.New("no such project on the index")

// Options configure a Client.
type Options struct {
	// Indexes are base URLs of simple indexes, asked in order until one has
	// the project. Credentials in a URL are used and never shown.
	Indexes []string
	// CacheDir is repgen's cache root; listings lie below "index" there. ""
	// keeps them in memory only.
	CacheDir string
	// TTL is how long a cached listing is believed, zero for DefaultTTL.
	TTL time.Duration
	// Glibc of this machine ("2.36"); "" does not filter by it.
	Glibc string
	// CertFiles are further files of certificate authorities to trust.
	CertFiles []string
	Log       *slog.Logger
	// Patience is how long the index may be silent, zero for DefaultPatience.
	Patience time.Duration
	// Now is the clock, nil for time.Now.
	Now func() time.Time
}

// Client asks the indexes. It is safe for concurrent use.
type Client struct {
	o      Options
	http   *http.Client
	flight singleflight.Group

	mu     sync.Mutex
	memory map[string]*Project
	// silent is the trouble of an index that hung, and until when it is not
	// asked again: each of many listings would wait as long.
	silent      error
	silentUntil time.Time
}

// New returns a Client; it asks nothing yet.
func New(o Options) *Client {
	if o.TTL == 0 {
		o.TTL = DefaultTTL
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Patience == 0 {
		o.Patience = DefaultPatience
	}
	return &Client{o: o, http: &http.Client{Transport: transport(o)}, memory: map[string]*Project{}}
}

// Project returns the listing of a project, from the cache when it is young
// enough. ErrNotFound when no index has it; any other error means that no
// index could be asked and no older listing was at hand.
func (c *Client) Project(ctx context.Context, name string) (*Project, error) {
	name = pydist.Normalize(name)
	if !validName(name) {
		return nil, fmt.Errorf("list %q: %w", name, ErrNotFound)
	}
	// The first caller's context would end the others' wait, so each flight
	// runs to its own time limit and each caller waits on its own context.
	ch := c.flight.DoChan(name, func() (any, error) { return c.project(context.WithoutCancel(ctx), name) })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-ch:
		if r.Err != nil {
			return nil, r.Err
		}
		p := r.Val.(*Project)
		if p.Missing {
			return nil, fmt.Errorf("list %s: %w", name, ErrNotFound)
		}
		return p, nil
	}
}

// validName keeps strange names out of URLs and file names.
func validName(name string) bool {
	if name == "" || len(name) > 200 {
		return false
	}
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return true
}

// project looks in memory, in the cache and at the index, in this order.
func (c *Client) project(ctx context.Context, name string) (*Project, error) {
	c.mu.Lock()
	old := c.memory[name]
	c.mu.Unlock()
	if old == nil {
		old = c.load(name)
	}
	if old != nil && c.o.Now().Sub(old.Fetched) < c.o.TTL {
		c.remember(old)
		return old, nil
	}
	fresh, err := c.ask(ctx, name)
	if err != nil {
		if old == nil {
			return nil, err
		}
		c.o.Log.Warn("the index could not be asked, an old listing is used",
			"project", name, "from", old.Fetched, "error", err)
		stale := *old
		stale.Stale = true
		return &stale, nil
	}
	c.save(fresh)
	c.remember(fresh)
	return fresh, nil
}

func (c *Client) remember(p *Project) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory[p.Name] = p
}

// ask goes through the indexes; the first that has the project answers for it,
// as the installers do (a private name must not be filled up from elsewhere).
func (c *Client) ask(ctx context.Context, name string) (*Project, error) {
	if len(c.o.Indexes) == 0 {
		return nil, errors.New("list projects: no index is configured")
	}
	if err := c.silence(); err != nil {
		return nil, err
	}
	for _, index := range c.o.Indexes {
		files, err := c.list(ctx, index, name)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &Project{Name: name, Files: files, Fetched: c.o.Now(), glibc: c.o.Glibc}, nil
	}
	return &Project{Name: name, Missing: true, Fetched: c.o.Now()}, nil
}

// list asks one index, again when the trouble may pass.
func (c *Client) list(ctx context.Context, index, name string) ([]File, error) {
	address := strings.TrimRight(index, "/") + "/" + name + "/"
	pause := firstPause
	began := time.Now()
	var err error
	for try := range attempts {
		if try > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(pause):
			}
			pause *= 2
		}
		var files []File
		files, err = c.listOnce(ctx, address, name)
		var again *passing
		if err == nil || !errors.As(err, &again) {
			return files, err
		}
		if time.Since(began) > min(quick, c.o.Patience/2) {
			break
		}
	}
	c.hung(err)
	return nil, err
}

// hung remembers that the index said nothing for as long as it may.
func (c *Client) hung(err error) {
	var late net.Error
	if !errors.As(err, &late) || !late.Timeout() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silent, c.silentUntil = err, time.Now().Add(2*c.o.Patience)
}

// silence is the trouble of an index that hung a moment ago, nil when it may
// be asked.
func (c *Client) silence() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Now().After(c.silentUntil) {
		return nil
	}
	return c.silent
}

// passing marks trouble that may be over at the next attempt.
type passing struct{ err error }

func (p *passing) Error() string { return p.err.Error() }
func (p *passing) Unwrap() error { return p.err }

func (c *Client) listOnce(ctx context.Context, address, name string) ([]File, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	resp, err := c.get(ctx, address, accept)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", name, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(c.patient(resp.Body, cancel), maxListing+1))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", name, &passing{err})
	}
	if len(body) > maxListing {
		return nil, fmt.Errorf("list %s: the listing is larger than %d bytes", name, maxListing)
	}
	base := resp.Request.URL
	base = &url.URL{Scheme: base.Scheme, User: base.User, Host: base.Host, Path: base.Path}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") {
		return parseJSON(name, base, body)
	}
	return parseHTML(name, base, body)
}

// get sends one request and turns bad statuses into errors.
func (c *Client) get(ctx context.Context, address, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the address of the index is not a URL")
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	req.Header.Set("User-Agent", "repgen")
	resp, err := c.http.Do(req)
	if err != nil {
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			return nil, &passing{silentError{c.o.Patience}}
		}
		return nil, &passing{hide(err)}
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	_ = resp.Body.Close()
	switch s := resp.StatusCode; {
	case s == http.StatusNotFound || s == http.StatusGone:
		return nil, ErrNotFound
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		return nil, fmt.Errorf("the index refuses the credentials (status %d)", s)
	case s == http.StatusTooManyRequests || s >= 500:
		return nil, &passing{fmt.Errorf("the index answers with status %d", s)}
	default:
		return nil, fmt.Errorf("the index answers with status %d", s)
	}
}

// hide takes the address, which may hold credentials, out of an error.
func hide(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// Prefetch asks for many listings at once and leaves them in the cache.
// Projects that do not exist are no error; the first trouble is returned after
// all were tried.
func (c *Client) Prefetch(ctx context.Context, names []string) error {
	var g errgroup.Group
	g.SetLimit(parallel)
	for _, name := range names {
		g.Go(func() error {
			_, err := c.Project(ctx, name)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			return err
		})
	}
	return g.Wait()
}
