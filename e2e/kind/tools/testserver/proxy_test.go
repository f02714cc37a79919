package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// header2 is a header of version 2: the command (1: on behalf of a client), the family and what follows.
func header2(command, family byte, rest string) string {
	return signature2 + string([]byte{version2<<4 | command, family, byte(len(rest) >> 8), byte(len(rest))}) + rest
}

const (
	from4 = "\xc0\x00\x02\x01" + "\xc0\x00\x02\x02" + "\x12\x67" + "\x00\x50"
	from6 = "\xfd\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x09" +
		"\xfd\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0a" + "\x12\x67" + "\x00\x50"
)

var headers = []struct {
	name, header string
	want         string // the client; empty: the header is refused
}{
	{"v1", "PROXY TCP4 192.0.2.1 192.0.2.2 4711 80\r\n", "192.0.2.1"},
	{"v1 IPv6", "PROXY TCP6 fd00::9 fd00::a 4711 80\r\n", "fd00::9"},
	{"v1 without a client", "PROXY UNKNOWN\r\n", "127.0.0.5"},
	{"v2", header2(1, familyTCP4, from4), "192.0.2.1"},
	{"v2 IPv6", header2(1, familyTCP6, from6), "fd00::9"},
	{"v2 with more than we know", header2(1, familyTCP4, from4+"\x04\x00\x02ab"), "192.0.2.1"},
	{"v2 of the proxy itself", header2(0, 0, ""), "127.0.0.5"},
	{"v2 of the proxy itself, with addresses", header2(0, familyTCP4, from4), "127.0.0.5"},
	{"none", "not a header\r\n", ""},
	{"v1 without ports", "PROXY TCP4 192.0.2.1 192.0.2.2\r\n", ""},
	{"v1 without an address", "PROXY TCP4 unknown 192.0.2.2 4711 80\r\n", ""},
	{"v1 without an end", "PROXY TCP4 " + strings.Repeat("1", 200) + "\r\n", ""},
	{"v2 too short", header2(1, familyTCP4, from4[:8]), ""},
	{"v3", strings.Replace(header2(1, familyTCP4, from4), "\x21", "\x31", 1), ""},
}

// TestProxyHeader: over HTTP and by lines the client is who the header names.
func TestProxyHeader(t *testing.T) {
	t.Parallel()
	s := start(t, options{proxyProtocol: true})
	for _, c := range headers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := webClient(t, s, c.header); got != c.want {
				t.Errorf("HTTP says %q, want %q", got, c.want)
			}
			if got := lineClient(t, s, c.header); got != c.want {
				t.Errorf("the lines say %q, want %q", got, c.want)
			}
		})
	}
}

func webClient(t *testing.T, s *running, header string) string {
	t.Helper()
	conn := dialed(t, "127.0.0.5", s.web.Addr().String())
	if _, err := io.WriteString(conn, header+"GET /clientip HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusOK {
		return ""
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func lineClient(t *testing.T, s *running, header string) string {
	t.Helper()
	conn := dialed(t, "127.0.0.5", s.lines.Addr().String())
	if _, err := fmt.Fprint(conn, header+"clientip\n"); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSuffix(line, "\n")
}

// TestProxyHeaderLate: a client that sends no header delays no other.
func TestProxyHeaderLate(t *testing.T) {
	t.Parallel()
	s := start(t, options{proxyProtocol: true})
	began := time.Now()
	dialed(t, "127.0.0.1", s.web.Addr().String())
	dialed(t, "127.0.0.1", s.lines.Addr().String())
	if got := webClient(t, s, headers[0].header); got != headers[0].want {
		t.Errorf("HTTP says %q", got)
	}
	if got := lineClient(t, s, headers[0].header); got != headers[0].want {
		t.Errorf("the lines say %q", got)
	}
	if took := time.Since(began); took >= patience {
		t.Errorf("they waited %s for the others' headers", took)
	}
}
