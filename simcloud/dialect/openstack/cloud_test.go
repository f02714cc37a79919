package openstack_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/pagination"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// world is a cloud with a native client and one of Gophercloud.
type world struct {
	*testing.T
	cloud    *sim.Cloud
	native   *client.Client
	provider *gophercloud.ProviderClient
	// wire is what the provider has sent, and judges the answers.
	wire *strictly
}

// anyHost lets a test call the cloud by any name.
func anyHost(c *sim.Config) { c.AllowedHosts = []string{sim.AnyHost} }

func open(t *testing.T, opts ...simtest.Option) world {
	t.Helper()
	cloud, native := simtest.Open(t, append(opts, anyHost)...)
	w := world{T: t, cloud: cloud, native: native}
	w.provider, w.wire = w.dial(gophercloud.AuthOptions{
		ApplicationCredentialID: "simcloud", ApplicationCredentialSecret: cloud.Token(), AllowReauth: true,
	})
	return w
}

// dial returns a client that has a session.
func (w world) dial(opts gophercloud.AuthOptions) (*gophercloud.ProviderClient, *strictly) {
	w.Helper()
	provider, wire, err := w.authenticate(opts)
	if err != nil {
		w.Fatalf("authenticate: %v", err)
	}
	return provider, wire
}

// authenticate does what openstack.AuthenticatedClient does, with a transport of the test.
func (w world) authenticate(opts gophercloud.AuthOptions) (*gophercloud.ProviderClient, *strictly, error) {
	w.Helper()
	opts.IdentityEndpoint = w.cloud.URL() + "/openstack/identity/v3"
	provider := must[*gophercloud.ProviderClient](w)(openstack.NewClient(opts.IdentityEndpoint))
	wire := &strictly{t: w.T}
	provider.HTTPClient = http.Client{Transport: wire}
	return provider, wire, openstack.Authenticate(w.Context(), provider, opts)
}

// clientOf returns a client of one service, such as openstack.NewNetworkV2 makes it.
func (w world) clientOf(newClient func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error)) *gophercloud.ServiceClient {
	w.Helper()
	return must[*gophercloud.ServiceClient](w)(newClient(w.provider, gophercloud.EndpointOpts{Region: "region-1"}))
}

// strictly fails a test when an answer is not as a service of OpenStack writes it, or does not fit the types of Gophercloud.
type strictly struct {
	t     *testing.T
	mu    sync.Mutex
	calls []string
}

// count returns how many calls were answered so, as in "GET /network/v2.0/ports 200".
func (s *strictly) count(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(s.calls), func(c string) bool { return c != call }))
}

func (s *strictly) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	path := strings.TrimPrefix(r.URL.Path, "/openstack")
	s.mu.Lock()
	s.calls = append(s.calls, r.Method+" "+path+" "+strconv.Itoa(res.StatusCode))
	s.mu.Unlock()
	if err == nil && res.Header.Get("Simcloud-Fault") == "" {
		s.judge(r.Method+" "+path, path, res, body)
	}
	return res, err
}

// judge checks the headers of an answer, and that its body is what its service answers.
func (s *strictly) judge(what, path string, res *http.Response, body []byte) {
	if !strings.HasPrefix(res.Header.Get("X-Openstack-Request-Id"), "req-") {
		s.t.Errorf("%s: X-Openstack-Request-Id is %q, want one that begins with req-", what, res.Header.Get("X-Openstack-Request-Id"))
	}
	if len(body) == 0 && slices.Contains([]int{http.StatusNoContent, http.StatusCreated, http.StatusAccepted}, res.StatusCode) {
		return
	}
	if media := res.Header.Get("Content-Type"); media != "application/json" {
		s.t.Errorf("%s: the media type is %q, want application/json", what, media)
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(body, &parts); err != nil {
		s.t.Errorf("%s: %v in %s", what, err, body)
		return
	}
	mount, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if res.StatusCode >= http.StatusBadRequest {
		s.judgeError(what, mount, res.StatusCode, parts)
		return
	}
	if mount == "key-manager" {
		whole, ok := barbicanShape(parts)
		if !ok {
			s.t.Errorf("%s: no shape of the tests is that of %s", what, body)
		}
		whole.judge(s.t, what, body)
		return
	}
	for name, raw := range parts {
		if known, ok := shapeOf(mount, name); !ok {
			s.t.Errorf("%s: the answer has %q, which no shape of the tests has", what, name)
		} else {
			known.judge(s.t, what+" "+name, raw)
		}
	}
}

// envelopes check the errors of the services, by their mounts.
var envelopes = map[string]func(parts map[string]json.RawMessage) error{
	"identity": keystoneError,
	"network":  neutronError,

	"compute":       novaError,
	"load-balancer": octaviaError,
	"key-manager":   barbicanError,
}

func (s *strictly) judgeError(what, mount string, status int, parts map[string]json.RawMessage) {
	envelope, ok := envelopes[mount]
	if status == http.StatusUnauthorized {
		envelope, ok = keystoneError, true
	}
	if !ok {
		s.t.Errorf("%s: no envelope of the tests is for errors of %q", what, mount)
		return
	}
	if err := envelope(parts); err != nil {
		s.t.Errorf("%s: the error is %s: %v", what, parts, err)
	}
}

// keystoneError checks an error of Keystone, and of what stands before the other services.
func keystoneError(parts map[string]json.RawMessage) error {
	var e map[string]any
	if err := json.Unmarshal(parts["error"], &e); err != nil {
		return err
	}
	if len(parts) != 1 || len(e) != 3 || e["code"] == 0.0 || e["title"] == "" || e["message"] == "" {
		return errors.New("must have error with code, title and message")
	}
	return nil
}

// must returns v, and ends the test when there is an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// all returns the items of all pages of a list.
func all[T any](w world, pager pagination.Pager, extract func(pagination.Page) ([]T, error)) []T {
	w.Helper()
	return must[[]T](w)(extract(must[pagination.Page](w)(pager.AllPages(w.Context()))))
}

// refused fails the test unless an error has a status, and a text in its body.
func refused(t testing.TB, err error, status int, text string) {
	t.Helper()
	var unexpected gophercloud.ErrUnexpectedResponseCode
	if !errors.As(err, &unexpected) || unexpected.Actual != status || !strings.Contains(string(unexpected.Body), text) {
		t.Errorf("got %v, want the status %d and %q", err, status, text)
	}
}

// instance makes an instance.
func (w world) instance(spec simcloud.InstanceSpec) simcloud.Instance {
	w.Helper()
	return must[simcloud.Result[simcloud.Instance]](w)(w.native.CreateInstance(w.Context(), spec)).Resource
}

// send sends a request as no library would. The path is below that of the dialect.
func (w world) send(method, path, body string, header ...string) sent {
	w.Helper()
	r := must[*http.Request](w)(http.NewRequestWithContext(w.Context(), method, w.cloud.URL()+"/openstack"+path, strings.NewReader(body)))
	r.Header.Set("X-Auth-Token", w.provider.Token())
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := w.wire.RoundTrip(r)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	return sent{res.StatusCode, res.Header, string(must[[]byte](w)(io.ReadAll(res.Body)))}
}

// sent is the answer to a request.
type sent struct {
	status int
	header http.Header
	body   string
}
