package pypi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// transport trusts the system's certificate authorities (SSL_CERT_FILE and
// SSL_CERT_DIR are honoured by the standard library) and the given files, and
// goes through the proxies of the environment.
func transport(o Options) http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = parallel
	t.IdleConnTimeout = 20 * time.Second
	t.ResponseHeaderTimeout = o.Patience
	t.TLSHandshakeTimeout = o.Patience
	t.DialContext = (&net.Dialer{Timeout: o.Patience, KeepAlive: 30 * time.Second}).DialContext
	if len(o.CertFiles) == 0 {
		return t
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, file := range o.CertFiles {
		pem, err := os.ReadFile(file)
		if err != nil || !pool.AppendCertsFromPEM(pem) {
			o.Log.Debug("no certificates read", "file", file, "error", err)
		}
	}
	t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return t
}

// patient reads a body and ends the request when nothing came for the client's
// patience: a stalled line has no other limit than that of the whole request.
func (c *Client) patient(body io.Reader, cancel context.CancelFunc) io.Reader {
	return &idle{r: body, patience: c.o.Patience, timer: time.AfterFunc(c.o.Patience, cancel)}
}

type idle struct {
	r        io.Reader
	patience time.Duration
	timer    *time.Timer
}

func (i *idle) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	if err != nil {
		i.timer.Stop()
		if errors.Is(err, context.Canceled) {
			err = silentError{i.patience}
		}
		return n, err
	}
	i.timer.Reset(i.patience)
	return n, err
}

// silentError is an index that hangs, a time-out in the words of package net.
type silentError struct{ patience time.Duration }

func (s silentError) Error() string   { return fmt.Sprintf("the index said nothing for %s", s.patience) }
func (s silentError) Timeout() bool   { return true }
func (s silentError) Temporary() bool { return true }
