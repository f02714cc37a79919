package step

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// httpRequest gets a URL.
type httpRequest struct {
	url    string
	client *http.Client
}

// newHTTPRequest makes a request that goes straight to where the URL says: no
// proxy, no redirects, a connection for each.
func newHTTPRequest(from, target string) (*httpRequest, error) {
	dial, err := dialer(from, "tcp")
	if err != nil {
		return nil, err
	}
	if err := checkURL(target); err != nil {
		return nil, err
	}
	return &httpRequest{target, &http.Client{
		Transport:     &http.Transport{DialContext: dial.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func checkURL(target string) error {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return wrongURL(target)
	}
	return nil
}

func wrongURL(target string) error {
	return fmt.Errorf("url is %q: one such as http://127.77.0.1:80/hostname is right", target)
}

// Send gets the URL. A status of 400 or more is an answer that is not ok.
func (r *httpRequest) Send(ctx context.Context) (Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return Answer{}, err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return Answer{}, withoutURL(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err != nil {
		return Answer{}, fmt.Errorf("read the answer: %w", err)
	}
	return Answer{strconv.Itoa(response.StatusCode), string(body), response.StatusCode < http.StatusBadRequest}, nil
}

// withoutURL leaves out what the step says already.
func withoutURL(err error) error {
	if wrapped, ok := err.(*url.Error); ok { //nolint:errorlint // it is what Do returns
		return wrapped.Err
	}
	return err
}
