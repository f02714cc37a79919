package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long anything may take, and what is not to be waited for takes
// at least: PROXY headers that do not come.
const patience = time.Minute

// running is a server on free ports of this machine.
type running struct {
	*server
	signals chan os.Signal
	done    chan error // its end
}

func start(t *testing.T, o options) *running {
	t.Helper()
	o.http, o.tcp, o.udp = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	s := &running{server: &server{options: o, hostname: "web-1", headerTimeout: patience}, signals: make(chan os.Signal, 2), done: make(chan error, 1)}
	if err := s.listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { s.done <- s.run(ctx, s.signals) }()
	t.Cleanup(func() {
		cancel()
		if err := <-s.done; err != nil {
			t.Errorf("the server ended: %v", err)
		}
	})
	return s
}

// url is one of the server's.
func (s *running) url(path string) string { return "http://" + s.web.Addr().String() + path }

// end takes the end of the server, which has to come soon.
func (s *running) end(t *testing.T) {
	t.Helper()
	select {
	case err := <-s.done:
		s.done <- err
	case <-time.After(patience):
		t.Fatal("the server does not end")
	}
}

// command runs testserver itself, as a pod does, with patience unless args say otherwise.
func command(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	if len(args) > 0 && slices.Contains([]string{"get", "tcp", "udp"}, args[0]) && !slices.Contains(args, "--timeout") {
		args = slices.Insert(slices.Clone(args), 1, "--timeout", patience.String())
	}
	var out, errs strings.Builder
	code = run(t.Context(), args, nil, &out, &errs)
	return out.String(), errs.String(), code
}

// dialed is a connection from a certain address of this machine.
func dialed(t *testing.T, from, to string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.DialContext(t.Context(), "tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, options{})
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"get", s.url("/hostname")}, "web-1", exitOK},
		{[]string{"get", s.url("/clientip")}, "127.0.0.1", exitOK},
		{[]string{"get", s.url("/echo?text=a+b")}, "a b", exitOK},
		{[]string{"get", s.url("/header?name=Accept-Encoding")}, "gzip", exitOK},
		{[]string{"get", s.url("/delay?d=1ms")}, "web-1", exitOK},
		{[]string{"get", s.url("/healthz")}, "ok", exitOK},
		{[]string{"get", s.url("/delay?d=long")}, "d: ", exitFailed},
		{[]string{"get", s.url("/nothing")}, "404", exitFailed},
		{[]string{"get", "--timeout", "20ms", s.url("/delay?d=1m")}, "", exitFailed},
		{[]string{"tcp", s.lines.Addr().String(), "hostname"}, "web-1", exitOK},
		{[]string{"tcp", s.lines.Addr().String(), "clientip"}, "127.0.0.1", exitOK},
		{[]string{"tcp", s.lines.Addr().String(), "any text"}, "any text", exitOK},
		{[]string{"udp", s.datagram.LocalAddr().String(), "hostname"}, "web-1", exitOK},
		{[]string{"udp", s.datagram.LocalAddr().String(), "clientip"}, "127.0.0.1", exitOK},
		{[]string{"udp", s.datagram.LocalAddr().String(), "any text"}, "any text", exitOK},
	} {
		stdout, stderr, code := command(t, c.args...)
		if code != c.code || !strings.HasPrefix(stdout, c.want) || code == exitOK && stdout != c.want {
			t.Errorf("%v: exit code %d, %q, %q; want %d, %q", c.args, code, stdout, stderr, c.code, c.want)
		}
		if code != exitOK && stderr == "" {
			t.Errorf("%v says nothing of what failed", c.args)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	s := start(t, options{})
	// Clients accept packets only of the server they are connected to, and no other process gets their ports meanwhile.
	stream := dialed(t, "127.0.0.1", s.lines.Addr().String()).LocalAddr().String()
	var dialer net.Dialer
	client, err := dialer.DialContext(t.Context(), "udp", s.datagram.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	for _, args := range [][]string{
		{"get", "http://" + stream + "/hostname"},
		{"tcp", stream, "hostname"},
		{"udp", "--timeout", "200ms", client.LocalAddr().String(), "hostname"},
	} {
		if stdout, _, code := command(t, args...); code != exitFailed || stdout != "" {
			t.Errorf("%v: exit code %d, %q", args, code, stdout)
		}
	}
}

func TestEcho(t *testing.T) {
	t.Parallel()
	s := start(t, options{})
	text := strings.Repeat("a long text ", 100_000)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url("/echo"), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != text {
		t.Errorf("%d of %d bytes came back, %v", len(body), len(text), err)
	}
}

// TestDrain: after SIGTERM the server says that it is leaving, serves who
// comes all the same, and ends after the time that it was given.
func TestDrain(t *testing.T) {
	t.Parallel()
	s := start(t, options{drain: time.Minute})
	s.signals <- syscall.SIGTERM
	eventually(t, func() bool {
		_, _, code := command(t, "get", s.url("/healthz"))
		return code == exitFailed
	})
	for _, args := range [][]string{
		{"get", s.url("/hostname")},
		{"tcp", s.lines.Addr().String(), "hostname"},
		{"udp", s.datagram.LocalAddr().String(), "hostname"},
	} {
		if stdout, stderr, code := command(t, args...); code != exitOK || stdout != "web-1" {
			t.Errorf("%v while it drains: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
	s.signals <- syscall.SIGTERM // a second one ends the draining
	s.end(t)
}

// TestEndAnswersWhatBegan: no request that the server has taken is lost, also without a drain.
func TestEndAnswersWhatBegan(t *testing.T) {
	t.Parallel()
	s := start(t, options{})
	conn := dialed(t, "127.0.0.1", s.web.Addr().String())
	answers := bufio.NewReader(conn)
	if _, err := io.WriteString(conn, "POST /echo HTTP/1.1\r\nHost: web\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	// The server asks for the body, and has the request by then.
	first, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Body.Close() }()
	if first.StatusCode != http.StatusContinue {
		t.Fatalf("%v", first)
	}
	s.signals <- syscall.SIGTERM
	eventually(t, func() bool {
		_, _, code := command(t, "get", s.url("/hostname"))
		return code == exitFailed
	})
	if _, err := io.WriteString(conn, "text"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatalf("the request that was under way is lost: %v", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "text" {
		t.Errorf("the answer is %q, %v", body, err)
	}
	s.end(t)
}

func TestDrainTime(t *testing.T) {
	t.Parallel()
	s := start(t, options{drain: 300 * time.Millisecond})
	began := time.Now()
	s.signals <- syscall.SIGTERM
	s.end(t)
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("it drained for %s", took)
	}
}

func TestServeCommand(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 1)
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(context.Background(), []string{"serve", "--http", "127.0.0.1:0", "--tcp", "", "--udp", ""}, signals, io.Discard, write)
		_ = write.Close()
	}()
	lines := bufio.NewScanner(read)
	if !lines.Scan() {
		t.Fatal("it says nothing")
	}
	address := lines.Text()[strings.LastIndexByte(lines.Text(), ' ')+1:]
	hostname, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := command(t, "get", "http://"+address+"/hostname"); code != exitOK || stdout != hostname {
		t.Errorf("exit code %d, %q, %q; want %q", code, stdout, stderr, hostname)
	}
	signals <- syscall.SIGTERM
	for lines.Scan() {
		t.Errorf("it says %q", lines.Text())
	}
	if got := <-code; got != exitOK {
		t.Errorf("exit code %d", got)
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	taken := start(t, options{}).web.Addr().String()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "testserver serve"},
		{[]string{"bogus"}, exitUsage, "there is no such command"},
		{[]string{"serve", "--bogus"}, exitUsage, "bogus"},
		{[]string{"serve", "stray"}, exitUsage, "1 arguments after the flags, want 0"},
		{[]string{"get"}, exitUsage, "want 1"},
		{[]string{"udp", "127.0.0.1:1"}, exitUsage, "want 2"},
		{[]string{"serve", "--help"}, exitOK, "-drain"},
		{[]string{"serve", "--http", taken, "--tcp", "", "--udp", ""}, exitFailed, "address already in use"},
	} {
		if _, stderr, code := command(t, c.args...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, %q; want %d, %q", c.args, code, stderr, c.code, c.want)
		}
	}
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) {
			t.Fatal("it did not come about")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
