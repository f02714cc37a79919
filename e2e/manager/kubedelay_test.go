package manager

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
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
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

// TestKubeProxyDelays: what a rule names comes late, and all else does not wait for it.
func TestKubeProxyDelays(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	d, get := proxyOf(t, a)
	ask := func(path string) (took time.Duration) {
		t.Helper()
		ctx, cancel := waittest.Context(t)
		defer cancel()
		began := time.Now()
		answer, err := get(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Close() }()
		text, err := io.ReadAll(answer)
		if err != nil {
			t.Fatal(err)
		}
		if want := "GET " + path + " by Bearer ccm"; string(text) != want {
			t.Errorf("%s: %q, want %q", path, text, want)
		}
		return time.Since(began)
	}
	delay := func(list, get time.Duration) {
		d.set(func([]delayRule) []delayRule { return nil })
		d.set(rule(list, "nodes", "list"))
		d.set(rule(get, "*", "get"))
	}
	delay(time.Hour, time.Hour)
	for _, path := range []string{"/api/v1/services", "/healthz"} {
		ask(path)
	}
	const by = 2 * time.Second
	delay(by, by/2)
	for path, least := range map[string]time.Duration{
		"/api/v1/nodes": by, "/api/v1/nodes/a": by / 2, "/apis/apps/v1/namespaces/x/deployments/d/status": by / 2,
	} {
		if took := ask(path); took < least {
			t.Errorf("%s: after %s, want it after %s", path, took, least)
		}
	}
}

// TestUndelay: what is held back goes at once when the rule ends, or the caller gives up.
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
			t.Errorf("%v, want an end because the caller gave up", err)
		}
		d.set(func([]delayRule) []delayRule { return nil })
		if err := <-ends; err != nil || time.Since(began) > 0 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// TestKubeProxyDelaysNews: what a watch tells comes late, in its order, also one that was open before.
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
		at := time.Now()
		a.news <- text
		return at
	}
	hear := func() (string, time.Time) {
		if !lines.Scan() {
			t.Fatal(lines.Err())
		}
		return lines.Text(), time.Now()
	}
	const by = 2 * time.Second
	tell("one")
	if text, _ := hear(); text != "one" {
		t.Errorf("%s, want one", text)
	}
	d.set(rule(by, "nodes", "watch"))
	first, second := tell("two"), tell("three")
	if text, heard := hear(); text != "two" || heard.Sub(first) < by {
		t.Errorf("%s after %s, want two after %s", text, heard.Sub(first), by)
	}
	if text, heard := hear(); text != "three" || heard.Sub(second) < by {
		t.Errorf("%s after %s, want three after %s", text, heard.Sub(second), by)
	}
}

// TestDelaysDoNotAddUp: what comes later than other news is told as much later.
func TestDelaysDoNotAddUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDelays()
		d.set(rule(time.Hour, "nodes", "watch"))
		from, to := io.Pipe()
		news := delayed(from, func(came time.Time) error { return d.wait(t.Context(), came, "watch", "nodes") })
		defer func() { _ = news.Close() }()
		began := time.Now()
		go func() {
			for _, text := range []string{"one", "two", "three"} {
				_, _ = fmt.Fprintln(to, text)
				time.Sleep(time.Minute)
			}
			_ = to.Close()
		}()
		var heard []string
		for lines := bufio.NewScanner(news); lines.Scan(); {
			heard = append(heard, fmt.Sprint(lines.Text(), " ", time.Since(began)))
		}
		if want := []string{"one 1h0m0s", "two 1h1m0s", "three 1h2m0s"}; !slices.Equal(heard, want) {
			t.Errorf("heard %q, want %q", heard, want)
		}
	})
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
