package process

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// FreePort returns a TCP port of 127.0.0.1 that nobody listens on. Somebody
// else may take it before the caller does.
func FreePort() (int, error) {
	ports, err := FreePorts(1)
	if err != nil {
		return 0, err
	}
	return ports[0], nil
}

// FreePorts returns n different free ports. No child is forked meanwhile: until
// it executes its program, it would hold on to the ports.
func FreePorts(n int) ([]int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	ports := make([]int, 0, n)
	for range n {
		ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // nothing to wait for
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = ln.Close() }() // all at the end, so that all differ
		ports = append(ports, ln.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// HTTPReady returns a readiness check: a GET of url that answers 200.
func HTTPReady(url string, config *tls.Config) func(context.Context) error {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("GET %s: %s: %s", url, res.Status, strings.TrimSpace(string(body)))
		}
		return nil
	}
}
