package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// TestCut: all connections of a host are reset, also those that wait, and no one else's; Join lets it connect again.
func TestCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := wire.New()
		victim, other := n.Host("victim"), n.Host("other")
		dialled, itsPeer := pair(t, victim, other)
		caller, accepted := pair(t, other, victim)
		unrelated, unrelatedPeer := pair(t, other, other)
		l := must(victim.Listen(t.Context(), "127.0.0.1:80"))(t)
		ours := must(other.Listen(t.Context(), "127.0.0.1:81"))(t)
		if _, err := dialled.Write([]byte("arrived")); err != nil {
			t.Fatal(err)
		}
		reads := make(chan error)
		for _, c := range []net.Conn{dialled, accepted, caller} {
			go func() { _, err := c.Read(make([]byte, 1)); reads <- err }()
		}
		synctest.Wait()
		victim.Cut()
		for range 3 {
			wantError(t, "read", <-reads, syscall.ECONNRESET, "read: connection reset by peer")
		}
		got, err := io.ReadAll(itsPeer)
		if string(got) != "arrived" {
			t.Errorf("its peer reads %q, want what had arrived", got)
		}
		wantError(t, "its peer's read", err, syscall.ECONNRESET, "read: connection reset by peer")
		_, err = victim.DialContext(t.Context(), "tcp", ours.Addr().String())
		wantError(t, "dial by it", err, syscall.ENETUNREACH, "connect: network is unreachable")
		_, err = other.DialContext(t.Context(), "tcp", l.Addr().String())
		wantError(t, "dial to it", err, syscall.EHOSTUNREACH, "connect: no route to host")
		_, err = unrelated.Write([]byte("x"))
		if n, errRead := unrelatedPeer.Read(make([]byte, 2)); n != 1 || err != nil || errRead != nil {
			t.Errorf("another host's connection: %v, %v", err, errRead)
		}
		victim.Cut()
		victim.Join()
		must(victim.DialContext(t.Context(), "tcp", ours.Addr().String()))(t)
		must(other.DialContext(t.Context(), "tcp", l.Addr().String()))(t)
		_, err = dialled.Write([]byte("x"))
		wantError(t, "write on what was cut", err, syscall.ECONNRESET, "write: connection reset by peer")
		if err := dialled.Close(); err != nil {
			t.Errorf("close what was cut: %v", err)
		}
	})
}

// TestHold: nothing passes, at no deadline, until Release; its peers can send meanwhile.
func TestHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := wire.New()
		held, other := n.Host("held"), n.Host("other")
		near, far := pair(t, held, other)
		l := must(held.Listen(t.Context(), "127.0.0.1:80"))(t)
		ours := must(other.Listen(t.Context(), "127.0.0.1:81"))(t)
		held.Hold()
		if _, err := far.Write([]byte("question")); err != nil {
			t.Fatal(err)
		}
		must(other.DialContext(t.Context(), "tcp", l.Addr().String()))(t)
		ended := make(chan error, 4)
		go func() { _, err := io.ReadFull(near, make([]byte, len("question"))); ended <- err }()
		go func() { _, err := near.Write([]byte("answer")); ended <- err }()
		go func() { _, err := l.Accept(); ended <- err }()
		go func() { _, err := held.DialContext(t.Context(), "tcp", ours.Addr().String()); ended <- err }()
		_ = far.SetReadDeadline(time.Now().Add(time.Hour))
		_, err := far.Read(make([]byte, 1))
		wantError(t, "its peer's read", err, os.ErrDeadlineExceeded, "i/o timeout")
		if len(ended) > 0 {
			t.Errorf("%d operations of a held host have ended", len(ended))
		}
		held.Release()
		for range cap(ended) {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		_ = far.SetReadDeadline(time.Time{})
		got := make([]byte, len("answer"))
		if _, err := io.ReadFull(far, got); err != nil || string(got) != "answer" {
			t.Errorf("read %q, %v", got, err)
		}
	})
}

// TestHoldHasNoDeadlines: those that have passed meanwhile count at the release.
func TestHoldHasNoDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := wire.New()
		held := n.Host("held")
		near, _ := pair(t, held, n.Host("other"))
		_ = near.SetReadDeadline(time.Now().Add(time.Minute))
		began := time.Now()
		held.Hold()
		time.AfterFunc(time.Hour, held.Release)
		_, err := near.Read(make([]byte, 1))
		wantError(t, "read", err, os.ErrDeadlineExceeded, "i/o timeout")
		if took := time.Since(began); took != time.Hour {
			t.Errorf("it took %s, want 1h", took)
		}
	})
}

// TestHoldKeepsClose: a held host's Close returns, and its peer hears of it at the release, or of the reset at a cut.
func TestHoldKeepsClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := wire.New()
		held := n.Host("held")
		near, far := pair(t, held, n.Host("other"))
		held.Hold()
		reads := make(chan error)
		go func() { _, err := near.Read(make([]byte, 1)); reads <- err }()
		synctest.Wait()
		if err := near.Close(); err != nil {
			t.Fatal(err)
		}
		wantError(t, "read", <-reads, net.ErrClosed, "use of closed network connection")
		go func() { _, err := far.Read(make([]byte, 1)); reads <- err }()
		synctest.Wait()
		select {
		case err := <-reads:
			t.Errorf("the peer of a held host has heard: %v", err)
		default:
		}
		held.Release()
		if err := <-reads; !errors.Is(err, io.EOF) {
			t.Errorf("after the release: %v, want EOF", err)
		}
		held.Hold()
		if _, err := far.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("after another hold: %v, want EOF still", err)
		}
		held.Release()

		near, far = pair(t, held, n.Host("other"))
		held.Hold()
		_ = near.Close()
		held.Cut()
		_, err := far.Read(make([]byte, 1))
		wantError(t, "after a cut", err, syscall.ECONNRESET, "read: connection reset by peer")
	})
}

// TestHoldEndsByCut: what waits in a held host returns when it is cut, and a dial when its time is over.
func TestHoldEndsByCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := wire.New()
		held, other := n.Host("held"), n.Host("other")
		near, _ := pair(t, held, other)
		l := must(other.Listen(t.Context(), "127.0.0.1:80"))(t)
		held.Hold()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := held.DialContext(ctx, "tcp", l.Addr().String())
		wantError(t, "dial", err, context.DeadlineExceeded, "")
		ended := make(chan error)
		go func() { _, err := near.Read(make([]byte, 1)); ended <- err }()
		synctest.Wait()
		held.Cut()
		wantError(t, "read", <-ended, syscall.ECONNRESET, "read: connection reset by peer")
		_, err = held.DialContext(t.Context(), "tcp", l.Addr().String())
		wantError(t, "dial", err, syscall.ENETUNREACH, "connect: network is unreachable")
	})
}

// TestCutEndsCalls: HTTP of a host that is cut fails, and works after Join.
func TestCutEndsCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := wire.New()
		l := must(n.Listen(t.Context(), "127.0.0.1:0"))(t)
		srv := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(time.Minute) })}
		go func() { _ = srv.Serve(l) }()
		host := n.Host("client")
		transport := host.Transport()
		c, url := &http.Client{Transport: transport}, "http://"+l.Addr().String()
		time.AfterFunc(time.Second, host.Cut)
		began := time.Now()
		if _, err := get(t.Context(), c, url); !errors.Is(err, syscall.ECONNRESET) || time.Since(began) != time.Second {
			t.Errorf("the call ends with %v after %s, want a reset after 1s", err, time.Since(began))
		}
		host.Join()
		if _, err := get(t.Context(), c, url); err != nil {
			t.Error(err)
		}
		transport.CloseIdleConnections()
		if err := srv.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
