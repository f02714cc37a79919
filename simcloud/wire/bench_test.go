package wire_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// pipe is a listener to which net.Pipe leads.
type pipe struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipe() *pipe { return &pipe{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

func (*pipe) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipe) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p.conns <- there
	return here, nil
}

// BenchmarkRoundTrip is one call over HTTP on what connections may be made of, by the size of the answer.
func BenchmarkRoundTrip(b *testing.B) {
	n, p := wire.New(), newPipe()
	for _, on := range []struct {
		name   string
		listen func() (net.Listener, error)
		dial   func(context.Context, string, string) (net.Conn, error)
	}{
		{"wire", func() (net.Listener, error) { return n.Listen(b.Context(), "127.0.0.1:0") }, n.DialContext},
		{"pipe", func() (net.Listener, error) { return p, nil }, p.dial},
		{"tcp", func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }, (&net.Dialer{}).DialContext},
	} {
		b.Run(on.name, func(b *testing.B) {
			l := must(on.listen())(b)
			srv := &http.Server{Handler: http.HandlerFunc(answer)}
			go func() { _ = srv.Serve(l) }()
			transport := n.Transport()
			transport.DialContext = on.dial
			for _, size := range []int{1 << 10, 1 << 20} {
				url := "http://" + l.Addr().String() + "/" + strconv.Itoa(size)
				b.Run(strconv.Itoa(size>>10)+"KiB", func(b *testing.B) { call(b, transport, url) })
			}
			transport.CloseIdleConnections()
			if err := srv.Shutdown(b.Context()); err != nil {
				b.Error(err)
			}
		})
	}
}

// answer answers with as many bytes as the path says.
func answer(w http.ResponseWriter, r *http.Request) {
	size, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	_, _ = io.CopyN(w, zeros{}, int64(size))
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

func call(b *testing.B, transport *http.Transport, url string) {
	c := &http.Client{Transport: transport}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := get(b.Context(), c, url); err != nil {
			b.Fatal(err)
		}
	}
}
