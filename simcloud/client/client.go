// Package client is the cloud over HTTP: [Client] implements the same
// interfaces as the cloud itself, with the same errors.
//
// An answer counts only when it is in the cloud's own words. An error without
// our media type and a code, whatever its status, and a success that does not
// have what the operation answers are both Unavailable: a proxy's bare 404 must
// never look like NotFound.
package client

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Config says which cloud to speak to and how.
type Config struct {
	// Endpoint is the URL of the cloud, such as "http://127.0.0.1:8080".
	Endpoint string
	// Token is the secret to authenticate with; TokenFile is a file that holds
	// it, read again when it changes and after the cloud refused it. At most one of them is set.
	Token     string
	TokenFile string
	// CA is a file with the certificates, in PEM, that an https endpoint may
	// be signed by; empty means those of the system.
	CA string
	// UserAgent says in the cloud's journal who calls; empty means "simcloud-client".
	UserAgent string
	// StrongReads asks for the cloud as it is, also where its configuration makes reads stale. It holds
	// for the token of an admin alone.
	StrongReads bool
	// Timeout is how long to wait for the answer to one attempt; 0 means 30 s.
	// It does not hold for streams, WaitOperation and settled journals, which wait as long as their context.
	Timeout time.Duration
	// Retries is how many more attempts a call has; 0 means 4, below 0 means none.
	Retries int
	// Backoff is the wait before the first retry; it doubles with each. 0 means 100 ms.
	Backoff time.Duration
	// Jitter returns a number in [0,1) that spreads the waits; nil means random ones.
	Jitter func() float64
	// Retried, when set, is called before each attempt after the first,
	// with the error that it ended in.
	Retried func(operation string, err error)
	// Transport carries the requests; nil means one of its own.
	Transport http.RoundTripper
}

// Client speaks to one cloud. Its methods may be called by many goroutines.
type Client struct {
	base      *url.URL
	http      *http.Client
	token     *tokenSource
	userAgent string
	strong    bool
	timeout   time.Duration
	silence   time.Duration // of a stream, before it counts as cut
	retry     retryPolicy
}

var (
	_ simcloud.API        = (*Client)(nil)
	_ simcloud.Control    = (*Client)(nil)
	_ simcloud.JournalAPI = (*Client)(nil)
)

// Defaults of Config.
const (
	defaultTimeout = 30 * time.Second
	defaultRetries = 4
	defaultBackoff = 100 * time.Millisecond
)

// streamSilence is how long a stream may say nothing, not even its heartbeat,
// which comes three times as often.
const streamSilence = 45 * time.Second

// New returns a client. It does not call the cloud: a wrong Config is Invalid,
// a CA file that cannot be read Unavailable.
func New(cfg Config) (*Client, error) {
	base, err := parseEndpoint(cfg.Endpoint)
	if err != nil {
		return nil, err
	}
	if cfg.Token != "" && cfg.TokenFile != "" {
		return nil, simcloud.InvalidFields("", []simcloud.FieldError{
			{Field: "tokenFile", Detail: "must not be set together with token"},
		})
	}
	transport := cfg.Transport
	if transport == nil {
		if transport, err = newTransport(cfg.CA); err != nil {
			return nil, err
		}
	}
	return &Client{
		base: base,
		// A redirect is not an answer of ours, and our token is not for where it leads.
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		token:     &tokenSource{secret: cfg.Token, file: cfg.TokenFile},
		userAgent: or(cfg.UserAgent, "simcloud-client"),
		strong:    cfg.StrongReads,
		timeout:   or(cfg.Timeout, defaultTimeout),
		silence:   streamSilence,
		retry:     newRetryPolicy(cfg),
	}, nil
}

// Endpoint returns the URL of the cloud.
func (c *Client) Endpoint() string { return c.base.String() }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func parseEndpoint(endpoint string) (*url.URL, error) {
	base, err := url.Parse(endpoint)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") || base.RawQuery != "" || base.Fragment != "" {
		return nil, simcloud.InvalidFields("", []simcloud.FieldError{
			{Field: "endpoint", Detail: fmt.Sprintf("%q is not a URL such as http://127.0.0.1:8080", endpoint)},
		})
	}
	base.Path = strings.TrimRight(base.Path, "/")
	base.RawPath = ""
	return base, nil
}

func newRetryPolicy(cfg Config) retryPolicy {
	jitter := cfg.Jitter
	if jitter == nil {
		jitter = rand.Float64
	}
	retried := cfg.Retried
	if retried == nil {
		retried = func(string, error) {}
	}
	return retryPolicy{
		retried: retried,
		retries: max(0, or(cfg.Retries, defaultRetries)),
		backoff: or(cfg.Backoff, defaultBackoff),
		jitter:  jitter,
	}
}

// or returns v, or the fallback when v is zero.
func or[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}
