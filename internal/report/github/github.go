// Package github fetches one issue of the tracker and hands it to the parser.
package github

import (
	"context"
	"net/http"

	"github.com/repgen/repgen/internal/report"
)

// Options say where and as whom to fetch. The zero value is the public API
// without a token.
type Options struct {
	BaseURL string       // without a trailing slash; "" means the public host
	Token   string       // "" sends none
	Client  *http.Client // nil means a client of our own with a time limit
}

// Fetch gets one issue with its first comments.
func Fetch(ctx context.Context, opts Options, owner, repo string, number int) (*report.Report, error) {
	return nil, ErrNotFound
}

// ParseRef reads an issue URL or owner/repo#N.
func ParseRef(s string) (owner, repo string, n int, ok bool) { return "", "", 0, false }
