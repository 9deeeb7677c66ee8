package hosted

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Guesses. Ten minutes are what the official clients wait for an answer; a local
// model on a processor needs more, which is a setting. A fifth of it without one
// byte is silence: servers send their first token, or a comment that keeps the
// line open, within seconds.
const (
	DefaultTimeout = 10 * time.Minute
	silenceShare   = 5
)

// Options say where a server is and how it is asked.
type Options struct {
	// BaseURL is the whole address below which the protocol's paths are; ""
	// is the adapter's hosted service.
	BaseURL string
	// Model as the server calls it.
	Model string
	// Key is sent with every request; "" sends none.
	Key string
	// KeyFrom names where the key comes from, for advice ("OPENAI_API_KEY").
	KeyFrom string
	// Timeout bounds one call, 0 is DefaultTimeout; a fifth of it is the longest
	// silence.
	Timeout time.Duration
	// Transport, nil: the system's, with its proxy settings. For tests.
	Transport http.RoundTripper
}

// Client asks one server. It may be used by many goroutines.
type Client struct {
	o    Options
	key  Key
	base *url.URL
	http *http.Client
}

// Open is New for an adapter: its service where no address is given, and without
// the endpoint's path, which people paste with the rest. The options that it
// gives back hold no key.
func Open(o Options, service string, paths ...string) (*Client, Options, error) {
	if o.BaseURL == "" {
		o.BaseURL = service
	}
	if strings.TrimSpace(o.Model) == "" {
		return nil, o, errors.New("no model is named")
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	for _, path := range paths {
		o.BaseURL = strings.TrimSuffix(o.BaseURL, path)
	}
	c, err := New(o)
	o.Key = ""
	return c, o, err
}

// New checks the address and the key; nothing is sent.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.BaseURL)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http":
		return nil, errors.New("the base URL is no address: write https://HOST/PATH")
	case base.User != nil:
		return nil, errors.New("the base URL holds a name or password: put the key into a variable or a key file")
	case base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the base URL must end with its path, without ? or #")
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("timeout %v: it must not be negative", o.Timeout)
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	key, err := NewKey(o.Key)
	if err != nil {
		return nil, err
	}
	c := &Client{o: o, key: key, base: base}
	c.o.Key = ""
	// No redirect to another origin is followed, and refusals are *Refused.
	c.http = &http.Client{Transport: transport{o.Transport}, CheckRedirect: sameOrigin}
	return c, nil
}

// Secret is the key for the protocol's header.
func (c *Client) Secret() string { return c.key.value }

// HasKey says whether a key is sent.
func (c *Client) HasKey() bool { return !c.key.Empty() }

// Host is the server's name and port.
func (c *Client) Host() string { return c.base.Host }

// Plain says that a key would travel unencrypted to another machine.
func (c *Client) Plain() bool {
	if c.base.Scheme == "https" || c.key.Empty() {
		return false
	}
	name := c.base.Hostname()
	ip := net.ParseIP(name)
	return !strings.EqualFold(name, "localhost") && (ip == nil || !ip.IsLoopback())
}

// redirected is a redirect that was not followed.
type redirected struct{ host string }

func (e *redirected) Error() string { return "the server sends us on to " + e.host }

// sameOrigin follows a redirect only where scheme and host stay and the request
// stays a POST: a key must not travel, and a GET is another question.
func sameOrigin(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) < 5 && req.Method == first.Method && req.URL.Scheme == first.URL.Scheme && req.URL.Host == first.URL.Host {
		return nil
	}
	host := req.URL.Host
	if host == first.URL.Host {
		host += " by " + req.URL.Scheme + ", as a " + req.Method
	}
	return &redirected{host}
}
