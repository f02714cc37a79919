package e2e

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"
)

// api is an API server that answers at once, and whose watches tell what is sent to news.
type api struct {
	*httptest.Server
	news chan string
}

func newAPI(t *testing.T) api {
	a := api{news: make(chan string)}
	a.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprintf(w, "%s %s by %s", r.Method, r.URL.Path, r.Header.Get("Authorization"))
			return
		}
		w.WriteHeader(http.StatusOK)
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case text := <-a.news:
				_, _ = io.WriteString(w, text+"\n")
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(a.Close)
	return a
}

// proxyOf puts a proxy in front, and returns what asks through it as a CCM and gives the answer's body.
func proxyOf(t *testing.T, a api) (*delays, func(ctx context.Context, path string) (io.ReadCloser, error)) {
	t.Helper()
	d := newDelays()
	p, err := startKubeProxy(&rest.Config{Host: a.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.authority)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return d, func(ctx context.Context, path string) (io.ReadCloser, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer ccm")
		answer, err := (&http.Client{Transport: transport}).Do(request)
		if err != nil {
			return nil, err
		}
		return answer.Body, nil
	}
}

func rule(by time.Duration, resource string, verbs ...string) func([]delayRule) []delayRule {
	return func(rules []delayRule) []delayRule { return append(rules, delayRule{verbs, []string{resource}, by}) }
}

// TestKubeProxyDelays: what a rule names comes late, all else at once, and all that is held back when the rule ends.
func TestKubeProxyDelays(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	d, get := proxyOf(t, a)
	took := func(path string) (string, time.Duration) {
		began := time.Now()
		answer, err := get(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Close() }()
		text, err := io.ReadAll(answer)
		if err != nil {
			t.Fatal(err)
		}
		return string(text), time.Since(began)
	}
	const by = 2 * time.Second
	d.set(rule(by, "nodes", "list"))
	d.set(rule(by/2, "*", "get"))
	for path, least := range map[string]time.Duration{
		"/api/v1/nodes": by, "/api/v1/services": 0, "/api/v1/nodes/a": by / 2, "/apis/apps/v1/namespaces/x/deployments/d/status": by / 2, "/healthz": 0,
	} {
		text, took := took(path)
		if want := "GET " + path + " by Bearer ccm"; text != want || took < least || least == 0 && took > by {
			t.Errorf("%s: %q after %s, want %q after %s", path, text, took, want, least)
		}
	}
}

// TestUndelay: what is held back goes at once when the rule ends, or nobody waits for it any more.
func TestUndelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDelays()
		d.set(rule(time.Hour, "nodes", "list"))
		ctx, cancel := context.WithCancel(t.Context())
		began, ends := time.Now(), make(chan error, 2)
		go func() { ends <- d.wait(t.Context(), began, "list", "nodes") }()
		go func() { ends <- d.wait(ctx, began, "list", "nodes") }()
		synctest.Wait()
		if len(ends) > 0 {
			t.Fatal("nothing is held back")
		}
		cancel()
		if err := <-ends; !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want an end because nobody waits", err)
		}
		d.set(func([]delayRule) []delayRule { return nil })
		if err := <-ends; err != nil || time.Since(began) > 0 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// TestKubeProxyDelaysNews: what a watch tells comes late, in its order and at its distances, also one that was open before.
func TestKubeProxyDelaysNews(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	d, get := proxyOf(t, a)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answer, err := get(ctx, "/api/v1/nodes?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Close() }()
	lines := bufio.NewScanner(answer)
	tell := func(text string) time.Time {
		a.news <- text
		return time.Now()
	}
	hear := func() (string, time.Time) {
		if !lines.Scan() {
			t.Fatal(lines.Err())
		}
		return lines.Text(), time.Now()
	}
	const by = 2 * time.Second
	told := tell("one")
	if text, heard := hear(); text != "one" || heard.Sub(told) > by {
		t.Errorf("%s after %s", text, heard.Sub(told))
	}
	d.set(rule(by, "nodes", "watch"))
	first, second := tell("two"), tell("three")
	text, heard := hear()
	if text != "two" || heard.Sub(first) < by*9/10 {
		t.Errorf("%s after %s, want it after %s", text, heard.Sub(first), by)
	}
	if text, heard := hear(); text != "three" || heard.Sub(second) > by*19/10 {
		t.Errorf("%s after %s: the delays must not add up", text, heard.Sub(second))
	}
}

// TestKubeProxyOfNobody: a cluster that is away has no answer, rather than one of the proxy's.
func TestKubeProxyOfNobody(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	_, get := proxyOf(t, a)
	a.Close()
	answer, err := get(t.Context(), "/api/v1/nodes")
	if err == nil {
		_ = answer.Close()
		t.Error("there was an answer, want none")
	} else if strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
}
