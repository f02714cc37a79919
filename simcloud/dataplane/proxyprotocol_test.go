package dataplane_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	proxyproto "github.com/pires/go-proxyproto"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestProxyProtocol: a target learns whose connection it is, before the first byte of it.
func TestProxyProtocol(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	w := newWorld(t, 0)
	for version, want := range map[dataplane.ProxyProtocol]string{
		dataplane.ProxyProtocolNone: "", dataplane.ProxyProtocolV1: "1", dataplane.ProxyProtocolV2: "2",
	} {
		w.apply(func(lb *dataplane.LoadBalancer) {
			lb.Listeners = []dataplane.Listener{{
				Protocol: simcloud.ProtocolTCP, Port: w.port, TargetPort: ln.Addr().(*net.TCPAddr).Port, ProxyProtocol: version,
			}}
			lb.Targets = []dataplane.Target{{Instance: "i-1", Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}}
		})
		if want != "" {
			want = fmt.Sprintf("version %s from 127.0.0.9 to %s", want, netip.AddrPortFrom(w.vip, uint16(w.port)))
		}
		if got, said := headerOf(t, w, ln); got != want || said != "hello" {
			t.Errorf("version %d: got header %q and %q, want %q and hello", version, got, said, want)
		}
	}
}

// headerOf connects, says hello, and returns the header that the server gets, and what comes after it.
func headerOf(t *testing.T, w *world, ln net.Listener) (header, said string) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 9)}}
	client, err := d.DialContext(t.Context(), "tcp", netip.AddrPortFrom(w.vip, uint16(w.port)).String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	server, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	if _, err := io.WriteString(client, "hello"); err != nil {
		t.Fatal(err)
	}
	_ = server.SetReadDeadline(time.Now().Add(waittest.Patience()))
	r := bufio.NewReader(server)
	if h, err := proxyproto.Read(r); err == nil {
		from, to, _ := h.IPs()
		_, port, _ := h.Ports()
		header = fmt.Sprintf("version %d from %s to %s:%d", h.Version, from, to, port)
	}
	rest := make([]byte, len("hello"))
	if _, err := io.ReadFull(r, rest); err != nil {
		t.Fatal(err)
	}
	return header, string(rest)
}
