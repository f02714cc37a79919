package wire_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/nettest"

	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// TestConn: connections are what net.Conn promises.
func TestConn(t *testing.T) {
	t.Parallel()
	nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) {
		c1, c2 = simplePair(t)
		return c1, c2, func() { _, _ = c1.Close(), c2.Close() }, nil
	})
}

// must returns a value whose making does not fail.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// pair returns the ends of a connection between two hosts of one network.
func pair(t testing.TB, client, server *wire.Host) (near, far net.Conn) {
	t.Helper()
	l := must(server.Listen(t.Context(), "127.0.0.1:0"))(t)
	near = must(client.DialContext(t.Context(), "tcp", l.Addr().String()))(t)
	far = must(l.Accept())(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return near, far
}

// simplePair returns the ends of a connection on a network of its own.
func simplePair(t testing.TB) (near, far net.Conn) {
	t.Helper()
	n := wire.New()
	return pair(t, n.Host("near"), n.Host("far"))
}

// wantError checks an error, and that it reads as one of TCP does.
func wantError(t testing.TB, what string, err, want error, text string) {
	t.Helper()
	var op *net.OpError
	if !errors.Is(err, want) || !errors.As(err, &op) || !strings.HasSuffix(err.Error(), text) {
		t.Errorf("%s: got %v, want a *net.OpError that is %v and ends in %q", what, err, want, text)
	}
}

// TestClose: the peer reads the rest and then the end, and cannot write any more.
func TestClose(t *testing.T) {
	t.Parallel()
	near, far := simplePair(t)
	if _, err := near.Write([]byte("rest")); err != nil {
		t.Fatal(err)
	}
	if err := near.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(far); err != nil || string(got) != "rest" {
		t.Errorf("read %q, %v", got, err)
	}
	_, err := far.Write([]byte("x"))
	wantError(t, "write to a closed peer", err, syscall.EPIPE, "write: broken pipe")
	_, err = near.Read(make([]byte, 1))
	wantError(t, "read after Close", err, net.ErrClosed, "use of closed network connection")
	_, err = near.Write(make([]byte, 1))
	wantError(t, "write after Close", err, net.ErrClosed, "use of closed network connection")
	wantError(t, "a deadline after Close", near.SetDeadline(time.Time{}), net.ErrClosed, "use of closed network connection")
	wantError(t, "Close after Close", near.Close(), net.ErrClosed, "use of closed network connection")
}

// TestCloseWrite: the other direction stays open.
func TestCloseWrite(t *testing.T) {
	t.Parallel()
	near, far := simplePair(t)
	if err := near.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(far); err != nil || len(got) > 0 {
		t.Errorf("read %q, %v", got, err)
	}
	if _, err := far.Write([]byte("answer")); err != nil {
		t.Fatal(err)
	}
	_ = far.Close()
	if got, err := io.ReadAll(near); err != nil || string(got) != "answer" {
		t.Errorf("read %q, %v", got, err)
	}
	_, err := near.Write([]byte("x"))
	wantError(t, "write after CloseWrite", err, syscall.EPIPE, "write: broken pipe")
}

// TestReset: without lingering the peer reads what has come, and then that the connection was reset.
func TestReset(t *testing.T) {
	t.Parallel()
	near, far := simplePair(t)
	if _, err := near.Write([]byte("rest")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(near.(interface{ SetLinger(int) error }).SetLinger(0), near.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(far)
	if string(got) != "rest" {
		t.Errorf("read %q", got)
	}
	wantError(t, "read", err, syscall.ECONNRESET, "read: connection reset by peer")
	_, err = far.Write([]byte("x"))
	wantError(t, "write", err, syscall.ECONNRESET, "write: connection reset by peer")
}

// TestBuffer: a write returns while there is room; then it waits for a reader.
func TestBuffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := simplePair(t)
		sent := bytes.Repeat([]byte("0123456789"), 100<<10)
		if n, err := near.Write(sent[:256<<10]); n != 256<<10 || err != nil {
			t.Fatalf("wrote %d, %v: want 256 KiB at once", n, err)
		}
		done := false
		go func() {
			_, err := near.Write(sent[256<<10:])
			done = true
			if err := errors.Join(err, near.Close()); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		if done {
			t.Error("more than the buffer was written, without a reader")
		}
		got, err := io.ReadAll(far)
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("read %d bytes, %v: want the %d that were sent", len(got), err, len(sent))
		}
	})
}

// TestDeadline: what waits is late at the deadline, in the time of the bubble; another deadline helps.
func TestDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := simplePair(t)
		began := time.Now()
		if err := near.SetDeadline(began.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		_, err := near.Read(make([]byte, 1))
		wantError(t, "read", err, os.ErrDeadlineExceeded, "i/o timeout")
		var late net.Error
		if !errors.As(err, &late) || !late.Timeout() {
			t.Errorf("%v is no time-out", err)
		}
		_, err = near.Write(make([]byte, 1))
		wantError(t, "write", err, os.ErrDeadlineExceeded, "i/o timeout")
		if took := time.Since(began); took != time.Hour {
			t.Errorf("they took %s, want 1h", took)
		}
		if err := near.SetDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		if _, err := near.Write(make([]byte, 256<<10)); err != nil {
			t.Errorf("write without a deadline: %v", err)
		}
		_ = near.SetWriteDeadline(time.Now().Add(time.Minute))
		began = time.Now()
		n, err := near.Write(make([]byte, 1))
		wantError(t, "write without room", err, os.ErrDeadlineExceeded, "i/o timeout")
		if took := time.Since(began); took != time.Minute || n != 0 {
			t.Errorf("wrote %d in %s, want 0 in 1m", n, took)
		}
		_ = far.Close()
	})
}

// TestDeadlineOfWaiting: a read that waits already obeys a deadline that comes, goes, and comes earlier.
func TestDeadlineOfWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, _ := simplePair(t)
		began := time.Now()
		_ = near.SetReadDeadline(began.Add(time.Minute))
		go func() {
			time.Sleep(30 * time.Second)
			_ = near.SetReadDeadline(time.Time{})
			time.Sleep(time.Hour)
			_ = near.SetReadDeadline(time.Now().Add(time.Hour))
			_ = near.SetReadDeadline(time.Now().Add(time.Second))
		}()
		_, err := near.Read(make([]byte, 1))
		wantError(t, "read", err, os.ErrDeadlineExceeded, "i/o timeout")
		if took := time.Since(began); took != time.Hour+31*time.Second {
			t.Errorf("it took %s, want 1h0m31s", took)
		}
	})
}

// TestCloseEndsWaiting: what waits at an end that is closed returns, at both ends.
func TestCloseEndsWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := simplePair(t)
		results := make(chan error)
		try := func(do func([]byte) (int, error), size int) {
			go func() { _, err := do(make([]byte, size)); results <- err }()
			synctest.Wait()
		}
		try(near.Read, 1)
		_ = near.Close()
		wantError(t, "read", <-results, net.ErrClosed, "use of closed network connection")
		_ = far.Close()

		near, far = simplePair(t)
		try(near.Write, 1<<20)
		_ = far.Close()
		wantError(t, "write", <-results, syscall.EPIPE, "write: broken pipe")
		_ = near.Close()

		near, far = simplePair(t)
		try(near.Write, 1<<20)
		try(near.Write, 1<<20) // waits for the other
		_ = near.Close()
		wantError(t, "write", <-results, net.ErrClosed, "use of closed network connection")
		wantError(t, "the next write", <-results, net.ErrClosed, "use of closed network connection")
		_ = far.Close()
	})
}
