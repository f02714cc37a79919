package sim_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// short is a time-out that ends soon, and long one that a test does not see the end of.
const (
	short = time.Second
	long  = time.Hour
)

// connect opens a bare connection to the cloud. It lasts as long as the test at most.
func connect(t *testing.T, cloud *sim.Cloud) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(cloud.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(simtest.Patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// request is the head of a request of an admin.
func request(cloud *sim.Cloud, line, rest string) string {
	return fmt.Sprintf("%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s", line, cloud.Token(), rest)
}

// TestSlowClients are disconnected; each here hits one limit, while the others are far away.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits sim.Limits
		sends  func(*sim.Cloud) string
	}{
		"silent from the start": {sim.Limits{Header: short, Body: long, Answer: long, Idle: long}, func(*sim.Cloud) string { return "" }},
		"half a head": {sim.Limits{Header: short, Body: long, Answer: long, Idle: long}, func(cloud *sim.Cloud) string {
			return request(cloud, "GET /v1/instances", "X-Slow: ")
		}},
		"half a body": {sim.Limits{Header: long, Body: short, Answer: long, Idle: long}, func(cloud *sim.Cloud) string {
			return request(cloud, "POST /v1/instances", "Content-Length: 100\r\n\r\n{\"name\":")
		}},
		"idle after an answer": {sim.Limits{Header: long, Body: long, Answer: long, Idle: short}, func(cloud *sim.Cloud) string {
			return request(cloud, "GET /v1/instances", "\r\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud := open(t, sim.Config{Ephemeral: true, Limits: c.limits})
			conn := connect(t, cloud)
			if _, err := io.WriteString(conn, c.sends(cloud)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "i/o timeout") {
				t.Errorf("the connection stays open: %v", err)
			}
			healthy := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token(), Retries: 50})
			if page, err := healthy.ListInstances(t.Context(), simcloud.ListOptions{}); err != nil || len(page.Items) != 0 {
				t.Errorf("the cloud has %v, %v", page.Items, err)
			}
		})
	}
}

// TestHalfABodyIsTold: a body that does not come is a problem, while the client may still listen.
func TestHalfABodyIsTold(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true, Limits: sim.Limits{Body: short}})
	conn := connect(t, cloud)
	if _, err := io.WriteString(conn, request(cloud, "POST /v1/instances", "Content-Length: 100\r\n\r\n{")); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusRequestTimeout || res.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%d %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
}

// TestUnreadStream: a client that does not read its stream is disconnected, and the cloud works on.
func TestUnreadStream(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true, Limits: sim.Limits{Event: short, Answer: long}})
	conn := connect(t, cloud)
	if tcp, ok := conn.(*net.TCPConn); ok {
		if err := tcp.SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(conn, request(cloud, "GET /v1/events", "\r\n")); err != nil {
		t.Fatal(err)
	}
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token()})
	big := strings.Repeat("x", 60<<10)
	for ended := false; !ended; {
		if _, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a", UserData: big}); err != nil {
			t.Fatal(err)
		}
		entries, err := cloud.Journal().ListJournal(t.Context(), simcloud.JournalFilter{Operation: "WatchEvents"})
		if err != nil {
			t.Fatal(err)
		}
		ended = len(entries) > 0
	}
}

// TestTooMuch: what is too long or too much is refused before it is read.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true})
	send := func(method, path, body string, header http.Header) (status int, media string) {
		req, err := http.NewRequestWithContext(t.Context(), method, cloud.URL()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = header
		req.Header.Set("Authorization", "Bearer "+cloud.Token())
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res.StatusCode, res.Header.Get("Content-Type")
	}
	many := http.Header{}
	for i := range 200 {
		many.Set(fmt.Sprintf("X-Header-%d", i), "x")
	}
	for name, c := range map[string]struct {
		method, path, body string
		header             http.Header
		status             int
		media              string
	}{
		"a long head":             {"GET", "/v1/instances", "", http.Header{"X-Long": {strings.Repeat("x", 128<<10)}}, 431, "text/plain; charset=utf-8"},
		"a long path":             {"GET", "/v1/instances/" + strings.Repeat("x", 128<<10), "", http.Header{}, 431, "text/plain; charset=utf-8"},
		"many headers":            {"GET", "/v1/instances", "", many, 431, "application/problem+json"},
		"many headers, hcloud":    {"GET", "/hcloud/v1/servers", "", many, 431, "application/json"},
		"many headers, openstack": {"GET", "/openstack/compute/v2.1/servers", "", many, 431, "application/json"},
		"many headers, aws":       {"POST", "/aws", "Action=DescribeInstances&Version=2016-11-15", many, 431, "text/xml;charset=UTF-8"},
		"a long body":             {"POST", "/v1/instances", `{"name":"` + strings.Repeat("x", 2<<20) + `"}`, http.Header{}, 413, "application/problem+json"},
		"a body for get":          {"GET", "/v1/instances", `{}`, http.Header{}, 200, "application/json"},
	} {
		if status, media := send(c.method, c.path, c.body, c.header); status != c.status || media != c.media {
			t.Errorf("%s: %d %s, want %d %s", name, status, media, c.status, c.media)
		}
	}
}
