// Package github fetches one issue of the tracker with its first comments and
// hands it to the parser. It is an adapter: only the wiring imports it.
package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/repgen/repgen/internal/report"
)

// publicAPI is the tracker's address when the options name none.
const publicAPI = "https://api.github.com"

// maxReply bounds one answer of the server: four times the longest report, and
// its comments.
const maxReply = 8 << 20

// defaultWait is how long one request may take when the caller brings no
// client (a guess: answers take well under two seconds).
const defaultWait = 30 * time.Second

// Options say where and as whom to fetch. The zero value is the public API
// without a token.
type Options struct {
	BaseURL string       // without a trailing slash; "" means the public API
	Token   string       // "" sends none; it is never logged nor put into an error
	Client  *http.Client // nil means a client of our own with a time limit
}

type fetcher struct {
	base, token string
	client      *http.Client
}

// Fetch gets one issue with its first comments, names of people left out. Its
// errors can be told apart with errors.Is and errors.As: ErrNotFound,
// ErrUnauthorized, *RateLimitError, ErrNetwork, ErrTimeout, ErrMalformed,
// *StatusError; a cancelled context gives the context's error.
func Fetch(ctx context.Context, opts Options, owner, repo string, number int) (*report.Report, error) {
	f := newFetcher(opts)
	what := fmt.Sprintf("%s/%s#%d", owner, repo, number)
	path := fmt.Sprintf("/repos/%s/%s/issues/%d", url.PathEscape(owner), url.PathEscape(repo), number)
	raw, err := f.get(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("fetch issue %s: %w", what, err)
	}
	if !report.IsTrackerJSON(raw) {
		return nil, fmt.Errorf("fetch issue %s: %w", what, ErrMalformed)
	}
	issue, err := report.DecodeIssue(raw)
	if err != nil {
		return nil, fmt.Errorf("fetch issue %s: %w: %w", what, ErrMalformed, err)
	}
	issue.Repo = owner + "/" + repo
	f.comments(ctx, path, raw, &issue)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("fetch issue %s: %w", what, err)
	}
	return report.FromIssue(issue, report.Source{Kind: "github", Name: what, URL: issue.URL}), nil
}

// comments adds the first replies. Without them the report still stands, so a
// failure here is a note.
func (f *fetcher) comments(ctx context.Context, path string, raw []byte, issue *report.Issue) {
	var count struct {
		Comments json.Number `json:"comments"`
	}
	if err := json.Unmarshal(raw, &count); err == nil && count.Comments.String() == "0" || len(issue.Comments) > 0 {
		return
	}
	list, err := f.get(ctx, fmt.Sprintf("%s/comments?per_page=%d", path, report.MaxComments))
	if err != nil {
		issue.Notes = append(issue.Notes, "the comments could not be fetched: "+err.Error())
		return
	}
	replies, err := report.DecodeComments(list, report.ReporterOf(raw))
	if err != nil {
		issue.Notes = append(issue.Notes, "the comments could not be read")
		return
	}
	issue.Comments = replies
	if n, err := count.Comments.Int64(); err == nil && int(n) > len(replies) {
		issue.Notes = append(issue.Notes, fmt.Sprintf("only the first %d of %d comments were read", len(replies), n))
	}
}

func newFetcher(opts Options) *fetcher {
	f := &fetcher{base: strings.TrimRight(opts.BaseURL, "/"), token: opts.Token, client: opts.Client}
	if f.base == "" {
		f.base = publicAPI
	}
	if f.client == nil {
		f.client = &http.Client{Timeout: defaultWait}
	}
	return f
}

func (f *fetcher) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.base+path, nil)
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	req.Header.Set("User-Agent", "repgen")
	if f.token != "" {
		req.Header.Set("Authorization", "Bearer "+f.token)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, transportError(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing is lost: it was only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err != nil {
		return nil, transportError(ctx, err)
	}
	if err := statusError(resp); err != nil {
		return nil, err
	}
	if len(body) > maxReply {
		return nil, fmt.Errorf("%w: the answer is over %d bytes", ErrMalformed, maxReply)
	}
	return body, nil
}

// transportError tells a time-out from a network that is down. The error of
// the client is kept but for the address in it.
func transportError(ctx context.Context, err error) error {
	if cause := ctx.Err(); errors.Is(cause, context.Canceled) {
		return cause
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return fmt.Errorf("%w: %w", ErrNetwork, err)
}

var (
	issueURL = regexp.MustCompile(`^(?:https?://)?(?:www\.)?github\.com/([A-Za-z0-9][\w.-]*)/([\w.-]+)/(?:issues|pull)/(\d+)(?:[/?#].*)?$`)
	apiURL   = regexp.MustCompile(`^https?://[^/]+(?:/api/v3)?/repos/([A-Za-z0-9][\w.-]*)/([\w.-]+)/(?:issues|pulls)/(\d+)$`)
	shortRef = regexp.MustCompile(`^([A-Za-z0-9][\w.-]*)/([\w.-]+)#(\d+)$`)
)

// ParseRef reads an issue URL or owner/repo#N. Pull requests count: they have
// the same number range and the same API.
func ParseRef(s string) (owner, repo string, n int, ok bool) {
	s = strings.TrimSpace(s)
	for _, re := range []*regexp.Regexp{issueURL, apiURL, shortRef} {
		m := re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[3])
		if err != nil || n <= 0 || strings.Trim(m[2], ".") == "" {
			return "", "", 0, false
		}
		return m[1], m[2], n, true
	}
	return "", "", 0, false
}
