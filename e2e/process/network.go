package process

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// FreePort returns a free TCP port of 127.0.0.1, from 10261 to 32767. Another
// process may take it before the caller does.
func FreePort() (int, error) {
	ports, err := FreePorts(1)
	if err != nil {
		return 0, err
	}
	return ports[0], nil
}

// Free ports come from below the range from which systems take the ports of
// outgoing connections (32768 and up on Linux, 49152 and up elsewhere): there
// any connection may take one before the caller listens. They come from above the
// default ports of Kubernetes' components, 10248 to 10260: 10260 is the default of a
// CCM's --webhook-secure-port, and a CCM ends at once when its --secure-port is the same.
const lowestPort, highestPort = 10261, 32767

// mostTaken is how many ports that are taken a search for free ones bears.
const mostTaken = 1000

// FreePorts returns n different free ports. No child is forked meanwhile: until
// it executes its program, it would hold on to the ports.
func FreePorts(n int) ([]int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	ports := make([]int, 0, n)
	for taken := 0; len(ports) < n; {
		port := randomPort(rand.IntN)
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)) //nolint:noctx // nothing to wait for
		if err != nil {
			if taken++; taken > mostTaken {
				return nil, fmt.Errorf("find a free port: %w", err)
			}
			continue
		}
		defer func() { _ = ln.Close() }() // all at the end, so that all differ
		ports = append(ports, port)
	}
	return ports, nil
}

// randomPort returns a port that may be taken. Draw(n) returns a number from 0 to n-1.
func randomPort(draw func(n int) int) int { return lowestPort + draw(highestPort-lowestPort+1) }

// LostPort reports whether a process did not start because another process had
// taken a port that was free before, as its last log lines report.
func LostPort(err error) bool {
	return err != nil && strings.Contains(err.Error(), "address already in use")
}

// HTTPReady returns a readiness check: a GET of url that answers 200.
func HTTPReady(url string, config *tls.Config) func(context.Context) error {
	return HTTPSays(url, "", config)
}

// The most that is read of an answer, and of that told in an error.
const mostRead, mostTold = 64 << 10, 1 << 10

// HTTPSays returns a readiness check: a GET of url that answers 200 with a text that has want in it.
func HTTPSays(url, want string, config *tls.Config) func(context.Context) error {
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
		body, _ := io.ReadAll(io.LimitReader(res.Body, mostRead))
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("GET %s: %s: %s", url, res.Status, strings.TrimSpace(string(body[:min(len(body), mostTold)])))
		}
		if !strings.Contains(string(body), want) {
			return fmt.Errorf("GET %s: the answer has no %q", url, want)
		}
		return nil
	}
}
