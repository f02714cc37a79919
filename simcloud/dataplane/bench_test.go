package dataplane_test

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
)

// BenchmarkThroughput sends through a load balancer and through a bare proxy,
// in turns. The metric speed/bare is the ratio of their speeds; the budget is
// 0.6. Each iteration sends benchBytes both times.
func BenchmarkThroughput(b *testing.B) {
	for _, conns := range []int{1, 16} {
		b.Run(fmt.Sprintf("connections=%d", conns), func(b *testing.B) {
			bare, balanced := benchPair(b)
			data := make([]byte, 256<<10)
			turns(b, bare, balanced, "speed/bare", func(to string) {
				var all sync.WaitGroup
				for range conns {
					all.Go(func() { benchSend(b, to, data, benchBytes/conns) })
				}
				all.Wait()
			})
			b.SetBytes(2 * benchBytes)
		})
	}
}

const benchBytes = 8 << 20

// BenchmarkConnect connects, has one byte answered and ends the connection,
// through a load balancer and through a bare proxy, in turns. The metric
// latency/bare is the ratio of how long that takes; the budget is 1.5.
func BenchmarkConnect(b *testing.B) {
	bare, balanced := benchPair(b)
	turns(b, bare, balanced, "latency/bare", func(to string) { benchSend(b, to, []byte{1}, 1) })
}

// BenchmarkRequest has one byte answered on a connection that is there, as
// BenchmarkConnect does.
func BenchmarkRequest(b *testing.B) {
	bare, balanced := benchPair(b)
	conns := map[string]net.Conn{bare: benchDial(b, bare), balanced: benchDial(b, balanced)}
	buf := make([]byte, 1)
	turns(b, bare, balanced, "latency/bare", func(to string) {
		if _, err := conns[to].Write(buf); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(conns[to], buf); err != nil {
			b.Fatal(err)
		}
	})
}

// turns measures the same through both addresses, each first in every other
// iteration, and reports the ratio of the medians: the load balancer's to the
// bare proxy's, or the other way round if it is speed that counts. A median
// does not mind what else the machine does for a moment.
func turns(b *testing.B, bare, balanced, metric string, do func(to string)) {
	do(bare)
	do(balanced)
	spent := map[string][]time.Duration{}
	order := []string{bare, balanced}
	for b.Loop() {
		for _, to := range order {
			begun := time.Now()
			do(to)
			spent[to] = append(spent[to], time.Since(begun))
		}
		order[0], order[1] = order[1], order[0]
	}
	limit, got := median(spent[bare]), median(spent[balanced])
	b.ReportMetric(limit, "ns/bare")
	b.ReportMetric(got, "ns/balanced")
	if metric == "speed/bare" {
		limit, got = got, limit
	}
	b.ReportMetric(got/limit, metric)
}

func median(of []time.Duration) float64 {
	slices.Sort(of)
	return float64(of[len(of)/2]+of[(len(of)-1)/2]) / 2
}

func benchDial(b *testing.B, to string) net.Conn {
	var d net.Dialer
	conn, err := d.DialContext(b.Context(), "tcp", to)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return conn
}

// benchSend sends n bytes and waits until the server has them all.
func benchSend(b *testing.B, to string, data []byte, n int) {
	var d net.Dialer
	conn, err := d.DialContext(b.Context(), "tcp", to)
	if err != nil {
		b.Error(err)
		return
	}
	defer func() { _ = conn.Close() }()
	for sent := 0; sent < n; sent += len(data) {
		if _, err := conn.Write(data[:min(len(data), n-sent)]); err != nil {
			b.Error(err)
			return
		}
	}
	if n > 1 {
		err = conn.(*net.TCPConn).CloseWrite()
	}
	if _, again := io.ReadFull(conn, make([]byte, 1)); err != nil || again != nil {
		b.Error(err, again)
	}
}

// benchPair returns the addresses of a bare proxy and of a load balancer that
// forward to the same server.
func benchPair(b *testing.B) (bare, balanced string) {
	at := addresses(b, 1)[0]
	server := benchListen(b, "127.0.0.1:0", benchAnswer)
	bare = benchListen(b, "127.0.0.1:0", func(client *net.TCPConn) { bareProxy(client, server) }).String()
	port := freePort(b, at)
	balancer := dataplane.NewBalancer(dataplane.BalancerConfig{})
	b.Cleanup(balancer.Close)
	balancer.Apply([]dataplane.LoadBalancer{{
		ID: "lb-1", VIPs: []netip.Addr{at},
		Listeners: []dataplane.Listener{{Protocol: simcloud.ProtocolTCP, Port: port, TargetPort: server.Port}},
		Targets:   []dataplane.Target{{Instance: "i-1", Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}},
	}})
	if err := balancer.Status()[0].Error; err != nil {
		b.Fatal(err)
	}
	return bare, netip.AddrPortFrom(at, uint16(port)).String()
}

// benchListen serves connections until the benchmark is over.
func benchListen(b *testing.B, at string, serve func(*net.TCPConn)) *net.TCPAddr {
	ln, err := net.Listen("tcp", at)
	if err != nil {
		b.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() { serve(conn.(*net.TCPConn)) })
		}
	})
	b.Cleanup(func() {
		_ = ln.Close()
		running.Wait()
	})
	return ln.Addr().(*net.TCPAddr)
}

// benchAnswer answers each single byte, and the end of more than that.
func benchAnswer(conn *net.TCPConn) {
	defer func() { _ = conn.Close() }()
	buf := make([]byte, 256<<10)
	for {
		n, err := conn.Read(buf)
		if n == 1 || err != nil {
			if _, answer := conn.Write(buf[:1]); err != nil || answer != nil {
				return
			}
		}
	}
}

// bareProxy is the limit that the load balancer is held against.
func bareProxy(client *net.TCPConn, server *net.TCPAddr) {
	defer func() { _ = client.Close() }()
	upstream, err := net.DialTCP("tcp", nil, server)
	if err != nil {
		return
	}
	defer func() { _ = upstream.Close() }()
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(client, upstream)
		_ = client.CloseWrite()
	}()
	_, _ = io.Copy(upstream, client)
	_ = upstream.CloseWrite()
	<-back
}
