package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// TestListen: an address is given once, until its listener is closed.
func TestListen(t *testing.T) {
	t.Parallel()
	n := wire.New()
	first := must(n.Listen(t.Context(), "127.0.0.1:0"))(t)
	if addr, ok := first.Addr().(*net.TCPAddr); !ok || addr.String() != "127.0.0.1:20000" {
		t.Errorf("it listens at %v, want 127.0.0.1:20000", first.Addr())
	}
	if second := must(n.Listen(t.Context(), "localhost:0"))(t); second.Addr().String() != "127.0.0.1:20001" {
		t.Errorf("the second listens at %v, want 127.0.0.1:20001", second.Addr())
	}
	for _, taken := range []string{"127.0.0.1:20000", ":20000", "0.0.0.0:20001"} {
		_, err := n.Listen(t.Context(), taken)
		wantError(t, taken, err, syscall.EADDRINUSE, "bind: address already in use")
	}
	must(n.Listen(t.Context(), "127.0.0.2:20000"))(t)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	wantError(t, "Close after Close", first.Close(), net.ErrClosed, "use of closed network connection")
	_, err := first.Accept()
	wantError(t, "accept after Close", err, net.ErrClosed, "use of closed network connection")
	must(n.Listen(t.Context(), "127.0.0.1:20000"))(t)
	for _, wrong := range []string{"127.0.0.1", "127.0.0.1:http", "nowhere.example:80"} {
		if _, err := n.Listen(t.Context(), wrong); err == nil {
			t.Errorf("it listens at %q", wrong)
		}
	}
}

// TestDial: a connection leads to what listens, and each has a port of its own.
func TestDial(t *testing.T) {
	t.Parallel()
	n := wire.New()
	l := must(n.Listen(t.Context(), ":80"))(t)
	ports := map[int]bool{}
	for _, address := range []string{"127.0.0.1:80", "localhost:80", "10.0.0.7:80", ":80", "0.0.0.0:80", "[::1]:80"} {
		near := must(n.DialContext(t.Context(), "tcp", address))(t)
		far := must(l.Accept())(t)
		if near.LocalAddr().String() != far.RemoteAddr().String() || near.RemoteAddr().String() != far.LocalAddr().String() {
			t.Errorf("%s: %v to %v is %v from %v at the other end", address, near.LocalAddr(), near.RemoteAddr(), far.LocalAddr(), far.RemoteAddr())
		}
		ports[near.LocalAddr().(*net.TCPAddr).Port] = true
	}
	if len(ports) != 6 {
		t.Errorf("six connections have the ports %v", ports)
	}
	_, err := n.DialContext(t.Context(), "tcp", "127.0.0.1:81")
	wantError(t, "where nothing listens", err, syscall.ECONNREFUSED, "dial tcp 127.0.0.1:81: connect: connection refused")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = n.DialContext(over, "tcp", "127.0.0.1:80")
	wantError(t, "without time", err, context.Canceled, "")
	_, err = n.DialContext(t.Context(), "udp", "127.0.0.1:80")
	wantError(t, "another protocol", err, net.UnknownNetworkError("udp"), "unknown network udp")
	var name *net.DNSError
	if _, err := n.DialContext(t.Context(), "tcp", "nowhere.example:80"); !errors.As(err, &name) || !name.IsNotFound {
		t.Errorf("another name: %v", err)
	}
}

// TestCloseListener: who waits to be accepted is turned away, and who waits to accept returns.
func TestCloseListener(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := wire.New()
		l := must(n.Listen(t.Context(), "127.0.0.1:0"))(t)
		waiting := must(n.DialContext(t.Context(), "tcp", l.Addr().String()))(t)
		_ = l.Close()
		_, err := waiting.Read(make([]byte, 1))
		wantError(t, "read", err, syscall.ECONNRESET, "read: connection reset by peer")

		l = must(n.Listen(t.Context(), "127.0.0.1:0"))(t)
		accepted := make(chan error)
		go func() { _, err := l.Accept(); accepted <- err }()
		synctest.Wait()
		_ = l.Close()
		wantError(t, "accept", <-accepted, net.ErrClosed, "use of closed network connection")
	})
}

// TestTransport: HTTP works in the time of the bubble, keeps its connection, and nothing is left of it.
func TestTransport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := wire.New()
		l := must(n.Listen(t.Context(), "127.0.0.1:0"))(t)
		srv := &http.Server{ReadTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			_, _ = io.WriteString(w, r.RemoteAddr)
		})}
		go func() { _ = srv.Serve(l) }()
		transport := n.Transport()
		c := &http.Client{Transport: transport}
		began := time.Now()
		from := map[string]bool{}
		for range 3 {
			body, err := get(t.Context(), c, "http://"+l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			from[body] = true
		}
		if took := time.Since(began); took != 3*time.Second || len(from) != 1 {
			t.Errorf("three calls took %s on the connections %v, want 3s on one", took, from)
		}
		transport.CloseIdleConnections()
		if err := srv.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func get(ctx context.Context, c *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	res, err := c.Do(req)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(res.Body)
	return string(body), errors.Join(err, res.Body.Close())
}
