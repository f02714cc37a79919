package dataplane

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// checker asks targets for their health.
type checker struct {
	ctx     context.Context // ends with the balancer
	running *sync.WaitGroup
	dialer  net.Dialer
	http    *http.Client
}

func newChecker(ctx context.Context, running *sync.WaitGroup) *checker {
	c := &checker{ctx: ctx, running: running}
	c.http = &http.Client{
		// Never a proxy of the environment: it is the target that is asked.
		Transport: &http.Transport{DialContext: c.dialer.DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10},
		// A redirect is an answer, and good.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// probe asks once, and returns nil for a good answer.
func (c *checker) probe(ctx context.Context, spec simcloud.HealthCheck, addr netip.Addr) error {
	ctx, cancel := context.WithTimeout(ctx, seconds(spec.TimeoutSeconds))
	defer cancel()
	at := net.JoinHostPort(addr.String(), strconv.Itoa(spec.Port))
	if spec.Protocol == simcloud.HealthCheckHTTP {
		return c.get(ctx, "http://"+at+spec.Path)
	}
	conn, err := c.dialer.DialContext(ctx, "tcp", at)
	if err != nil {
		return err
	}
	return conn.Close()
}

// get is good when the answer is a success or a redirect.
func (c *checker) get(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "simcloud-health-check")
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	if res.StatusCode < 200 || res.StatusCode > 399 {
		return fmt.Errorf("GET %s: %s: want 2xx or 3xx", url, res.Status)
	}
	return nil
}
