package step

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var httpVerb = syntax.Verb{
	Name:     "http",
	Doc:      "gets a URL from outside of the cluster, as through a VIP, and captures or judges the answers",
	Effect:   syntax.ReadOnly,
	Packets:  true,
	Examples: []string{`{url: "http://${ip}:80/hostname", times: 20, capture: r}`},
	New:      func() syntax.Action { return &httpAction{requestAction: newRequestAction()} },
}

type httpAction struct {
	URL httpURL `yaml:"url,required" doc:"what to get, by http"`
	requestAction
}

func (a *httpAction) Text() string { return a.text(a.URL.Template) }

func (a *httpAction) run(ctx context.Context, st *Stage) error { return a.send(ctx, st, a.request) }

func (a *httpAction) request(s *observe.Snapshot, from string) (request, error) {
	url, err := a.URL.Expand(s)
	if err != nil {
		return nil, err
	}
	return newHTTPRequest(from, url)
}

func (a *httpAction) scaled(factor float64) action { return &httpAction{a.URL, a.slower(factor)} }

// httpURL is the URL of what is got.
type httpURL struct{ expr.Template }

func (*httpURL) Schema() map[string]any { return syntax.StringSchema }

// Read checks what can be known before values are put in:
// all of it when there are none, else how it begins.
func (u *httpURL) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	if !d.Right(func() { d.TemplateText(n, what, &u.Template) }) {
		return
	}
	switch {
	case u.Constant():
		if err := checkURL(u.Placeholder()); err != nil {
			d.Errorf(n, "%v", err)
		}
	case u.Parts[0].Expr == nil && !strings.HasPrefix(u.Parts[0].Text, "http://"):
		d.Errorf(n, "%v", wrongURL(u.Source()))
	}
}

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
	return fmt.Errorf("url is %q: want a URL such as http://127.77.0.1:80/hostname", target)
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
