package dataplane

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// checker asks targets for their health.
type checker struct {
	ctx     context.Context // ends with the balancer
	running *sync.WaitGroup
	dialer  net.Dialer
	roots   *x509.CertPool // of the certificates that are verified; nil: the machine's
}

func newChecker(ctx context.Context, running *sync.WaitGroup, roots *x509.CertPool) *checker {
	return &checker{ctx: ctx, running: running, roots: roots}
}

// probe asks once, and returns nil for a good answer.
func (c *checker) probe(ctx context.Context, spec question, addr netip.Addr) error {
	ctx, cancel := context.WithTimeout(ctx, spec.timeout)
	defer cancel()
	at := net.JoinHostPort(addr.String(), strconv.Itoa(spec.port))
	if spec.protocol == simcloud.HealthCheckHTTP || spec.protocol == simcloud.HealthCheckHTTPS {
		return c.get(ctx, spec, at)
	}
	conn, err := c.dialer.DialContext(ctx, "tcp", at)
	if err != nil {
		return err
	}
	return conn.Close()
}

// get is good when the answer has a good status code and the text that it must have.
func (c *checker) get(ctx context.Context, spec question, at string) error {
	host := at
	if spec.domain != "" {
		host = spec.domain
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, string(spec.protocol)+"://"+host+spec.path, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "simcloud-health-check")
	res, err := c.client(spec, at).Do(req)
	if err != nil {
		return err
	}
	err = spec.judge(res)
	if closed := res.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("GET %s://%s%s: %w", spec.protocol, at, spec.path, err)
	}
	return nil
}

// client asks the target, whatever host a URL names.
func (c *checker) client(spec question, at string) *http.Client {
	return &http.Client{
		// Never a proxy of the environment: it is the target that is asked.
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return c.dialer.DialContext(ctx, network, at)
			},
			TLSClientConfig:   &tls.Config{RootCAs: c.roots, InsecureSkipVerify: !spec.verify},
			DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10,
		},
		// A redirect is an answer, and good unless the check names other codes.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// maxAnswer is how much of an answer is searched.
const maxAnswer = 64 << 10

// judge reports why an answer is bad.
func (q question) judge(res *http.Response) error {
	if !q.good(res.StatusCode) {
		return fmt.Errorf("%s: want %s", res.Status, q.wanted())
	}
	if q.response == "" {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return err
	}
	if !bytes.Contains(body, []byte(q.response)) {
		return fmt.Errorf("the answer does not contain %q", q.response)
	}
	return nil
}

// good reports whether a status code matches a pattern.
func (q question) good(code int) bool {
	if q.codes == "" {
		return code >= 200 && code <= 399
	}
	for pattern := range strings.SplitSeq(q.codes, ",") {
		if matches, err := path.Match(pattern, strconv.Itoa(code)); matches && err == nil { // the cloud takes no bad patterns
			return true
		}
	}
	return false
}

func (q question) wanted() string {
	if q.codes == "" {
		return "2xx or 3xx"
	}
	return strings.ReplaceAll(q.codes, ",", " or ")
}
