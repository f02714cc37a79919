package openstack_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/common/extensions"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/apiversions"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// injected are the errors of fault rules, with the status that each service has for them: Keystone, Nova, Neutron, Octavia.
var injected = map[simcloud.Code][4]int{
	simcloud.Invalid: {400, 400, 400, 400}, simcloud.Forbidden: {403, 403, 403, 403},
	simcloud.NotFound: {404, 404, 404, 404}, simcloud.AlreadyExists: {409, 409, 409, 409}, simcloud.InUse: {409, 409, 409, 409}, simcloud.Protected: {409, 409, 409, 409},
	simcloud.Conflict: {409, 409, 409, 409}, simcloud.Locked: {409, 409, 409, 409}, simcloud.QuotaExceeded: {403, 403, 409, 403}, simcloud.Capacity: {503, 503, 409, 503},
	simcloud.RateLimited: {429, 429, 429, 429}, simcloud.Unavailable: {503, 503, 503, 503}, simcloud.Timeout: {504, 504, 504, 504},
	simcloud.Unimplemented: {501, 501, 501, 501}, simcloud.Internal: {500, 500, 500, 500},
}

// TestErrorsOfEachService: an injected error has the status and the envelope of the service, and its Retry-After.
func TestErrorsOfEachService(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	lb, _, _ := l.simple()
	network := l.clientOf(openstack.NewNetworkV2)
	auth := gophercloud.AuthOptions{ApplicationCredentialID: "simcloud", ApplicationCredentialSecret: l.cloud.Token()}
	calls := []struct {
		operation, envelope string
		call                func() error
	}{
		{"openstack:keystone:CreateToken", `"error"`, func() error { _, _, err := l.authenticate(auth); return err }},
		{"openstack:nova:GetServer", `"code"`, func() error { return servers.Get(t.Context(), l.nova(), service.Servers.UUID("i-1")).Err }},
		{"openstack:neutron:ListExtensions", `"NeutronError"`, func() error {
			_, err := extensions.List(network).AllPages(t.Context())
			return err
		}},
		{"openstack:octavia:GetLoadBalancer", `"faultstring"`, func() error { return loadbalancers.Get(t.Context(), l.lbaas, lb).Err }},
	}
	for code, statuses := range injected {
		for i, call := range calls {
			l.fails(call.operation, `{"error": {"code": "`+string(code)+`", "message": "because", "retryAfter": "2s"}}`)
			err := call.call()
			l.forgets()
			var e gophercloud.ErrUnexpectedResponseCode
			if !errors.As(err, &e) || e.Actual != statuses[i] || !strings.Contains(string(e.Body), call.envelope) || !strings.Contains(string(e.Body), "because") ||
				e.ResponseHeader.Get("Retry-After") != "2" {
				t.Errorf("%s in %s: got %v, want the status %d", code, call.operation, err, statuses[i])
			}
			if err := call.call(); err != nil {
				t.Errorf("%s after %s: %v", call.operation, code, err)
			}
		}
	}
}

// TestUnauthenticatedByFault: a client opens another session, and repeats the call once.
func TestUnauthenticatedByFault(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	must[fault.Rule](t)(l.native.AddFault(t.Context(), fault.Rule{
		Match: fault.Match{Operation: "openstack:nova:GetServer"}, When: fault.When{Times: 1}, Effect: fault.Effect{Error: &fault.Problem{Code: simcloud.Unauthenticated}},
	}))
	if s := l.server("i-1"); s.Status != "ACTIVE" || l.wire.count("POST /identity/v3/auth/tokens 201") != 2 {
		t.Errorf("the server is %+v, after %d sessions", s, l.wire.count("POST /identity/v3/auth/tokens 201"))
	}
}

// TestFaultsOfOpenStack: what Gophercloud makes of each effect.
func TestFaultsOfOpenStack(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	lb, _, _ := l.simple()
	balancer := func(ctx context.Context) (*loadbalancers.LoadBalancer, error) {
		return loadbalancers.Get(ctx, l.lbaas, lb).Extract()
	}
	server := func(ctx context.Context) (*servers.Server, error) {
		return servers.Get(ctx, l.nova(), service.Servers.UUID("i-1")).Extract()
	}
	is := gophercloud.ResponseCodeIs
	for effect, check := range map[string]func(b *loadbalancers.LoadBalancer, s *servers.Server, errB, errS error) bool{
		`{"garble": {"body": "html"}}`: func(_ *loadbalancers.LoadBalancer, _ *servers.Server, errB, errS error) bool {
			return is(errB, http.StatusBadGateway) && is(errS, http.StatusBadGateway)
		},
		`{"garble": {"body": "bare-404"}}`: func(_ *loadbalancers.LoadBalancer, _ *servers.Server, errB, errS error) bool {
			return is(errB, http.StatusNotFound) && is(errS, http.StatusNotFound)
		},
		`{"garble": {"body": "empty"}}`:     neither,
		`{"garble": {"body": "truncated"}}`: neither,
		`{"garble": {"body": "null"}}`: func(b *loadbalancers.LoadBalancer, s *servers.Server, errB, errS error) bool {
			return b == nil && errB == nil && errS == nil && (s == nil || s.ID == "")
		},
		`{"garble": {"body": "unknown-enum"}}`: func(b *loadbalancers.LoadBalancer, s *servers.Server, errB, errS error) bool {
			return errB == nil && errS == nil && b.ProvisioningStatus == "unheard-of" && b.OperatingStatus == "unheard-of" && s.Status == "unheard-of" && b.ID == lb
		},
		`{"delay": {"duration": "1ms"}}`: func(b *loadbalancers.LoadBalancer, s *servers.Server, errB, errS error) bool {
			return errB == nil && errS == nil && b.ID == lb && s.Name == "node"
		},
		`{"reset": {"when": "before"}}`: neither,
		`{"reset": {"when": "after"}}`:  neither,
	} {
		l.fails("GetLoadBalancer", effect) // of the cloud: the dialect's stands for it
		l.fails("openstack:nova:GetServer", effect)
		b, errB := balancer(t.Context())
		s, errS := server(t.Context())
		if !check(b, s, errB, errS) {
			t.Errorf("%s: got %+v and %v, %+v and %v", effect, b, errB, s, errS)
		}
		l.forgets()
	}
	l.fails("openstack:octavia:GetLoadBalancer", `{"hang": {}}`)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := balancer(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hang: got %v", err)
	}
}

// neither: both calls have failed, and not by an answer.
func neither(_ *loadbalancers.LoadBalancer, _ *servers.Server, errB, errS error) bool {
	var e gophercloud.ErrUnexpectedResponseCode
	return errB != nil && errS != nil && !errors.As(errB, &e) && !errors.As(errS, &e)
}

// TestFaultsOfCreation: a rule for an operation of Octavia leaves the cloud's own alone, one for the cloud's takes both.
func TestFaultsOfCreation(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	create := func() error {
		return loadbalancers.Create(t.Context(), l.lbaas, loadbalancers.CreateOpts{Name: "lb", VipSubnetID: subnet4}).Err
	}
	native := func() error {
		_, err := l.native.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "n"})
		return err
	}
	l.fails("openstack:octavia:CreateLoadBalancer", `{"error": {"code": "capacity"}}`)
	refused(t, create(), http.StatusServiceUnavailable, `"faultcode":"Server"`)
	if err := native(); err != nil {
		t.Errorf("the cloud's own: %v", err)
	}
	l.forgets()
	l.fails("CreateLoadBalancer", `{"error": {"code": "capacity"}}`)
	refused(t, create(), http.StatusServiceUnavailable, "faultstring")
	if err := native(); simcloud.CodeOf(err) != simcloud.Capacity {
		t.Errorf("the cloud's own: got %v", err)
	}
	l.forgets()
	// The answer is lost: the load balancer is there.
	l.fails("openstack:octavia:CreateLoadBalancer", `{"reset": {"when": "after"}}`)
	if err := create(); err == nil {
		t.Error("an answer that is lost has arrived")
	}
	l.forgets()
	if got := allOf(l, loadbalancers.ListOpts{Name: "lb"}); len(got) != 1 {
		t.Errorf("there are %d load balancers, want 1", len(got))
	}
	entries := must[[]simcloud.JournalEntry](t)(l.native.ListJournal(t.Context(), simcloud.JournalFilter{Operation: "openstack:octavia:CreateLoadBalancer"}))
	if len(entries) != 3 || entries[2].Operation != "CreateLoadBalancer" || !entries[2].Committed || entries[2].Resource != "load_balancer/lb-2" {
		t.Errorf("the journal has %+v", entries)
	}
}

// TestListsLie: pages of lists of each service.
func TestListsLie(t *testing.T) {
	t.Parallel()
	l := openLab(t, 6)
	for range 6 {
		l.create(loadbalancers.CreateOpts{Name: "lb"})
	}
	for effect, want := range map[string][2]int{
		`{"page": {"lie": "short"}}`: {3, 2}, `{"page": {"lie": "drop"}}`: {5, 4}, `{"page": {"lie": "duplicate"}}`: {7, 8},
		`{"page": {"lie": "size", "size": 5}}`: {6, 6}, `{"page": {"lie": "shift"}}`: {6, 5},
	} {
		l.fails("openstack:octavia:ListLoadBalancers", effect)
		l.fails("ListInstances", effect)
		whole, paged := len(allOf(l, loadbalancers.ListOpts{})), len(l.serversOf(servers.ListOpts{Limit: 4}))
		if whole != want[0] || paged != want[1] {
			t.Errorf("%s: got %d load balancers and %d servers in pages, want %v", effect, whole, paged, want)
		}
		l.forgets()
	}
	for _, effect := range []string{`{"stale": {"by": "1h"}}`, `{"hide": {"for": "1h"}}`} {
		l := openLab(t, 0)
		l.fails("ListLoadBalancers", effect)
		lb, listener, _ := l.simple()
		if got := allOf(l, loadbalancers.ListOpts{Name: "lb"}); len(got) != 0 {
			t.Errorf("%s: the list has %+v", effect, got)
		}
		if got := l.listedIDs("listeners?loadbalancer_id=" + lb); len(got) != 0 {
			t.Errorf("%s: the list of listeners has %+v", effect, got)
		}
		if l.balancer(lb).Name != "lb" || l.listener(listener).ProtocolPort != 80 {
			t.Errorf("%s: by id it is another one", effect)
		}
	}
}

// TestLockOfALoadBalancer: it holds for what is a part of it, also for what is not there yet.
func TestLockOfALoadBalancer(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb, listener, pool := l.simple()
	l.fails("openstack:octavia:GetLoadBalancer", `{"lock": {"for": "1h"}}`)
	l.balancer(lb)
	name := "n"
	for what, err := range map[string]error{
		"update":          loadbalancers.Update(t.Context(), l.lbaas, lb, loadbalancers.UpdateOpts{Name: &name}).Err,
		"delete":          loadbalancers.Delete(t.Context(), l.lbaas, lb, loadbalancers.DeleteOpts{Cascade: true}).Err,
		"create listener": listeners.Create(t.Context(), l.lbaas, listeners.CreateOpts{LoadbalancerID: lb, Protocol: "TCP", ProtocolPort: 81}).Err,
		"update listener": listeners.Update(t.Context(), l.lbaas, listener, listeners.UpdateOpts{Name: &name}).Err,
		"delete listener": listeners.Delete(t.Context(), l.lbaas, listener).Err,
	} {
		if !gophercloud.ResponseCodeIs(err, http.StatusConflict) {
			t.Errorf("%s: got %v, want the status 409", what, err)
		}
	}
	l.fails("openstack:octavia:GetPool", `{"lock": {"for": "1h"}}`)
	l.pool(pool)
	for what, err := range map[string]error{
		"update members": l.batch(pool), "delete pool": pools.Delete(t.Context(), l.lbaas, pool).ExtractErr(),
	} {
		if !gophercloud.ResponseCodeIs(err, http.StatusConflict) {
			t.Errorf("%s: got %v, want the status 409", what, err)
		}
	}
	l.post("healthmonitors", `{"healthmonitor": {"pool_id": "`+pool+`", "type": "TCP", "delay": 5, "timeout": 3, "max_retries": 1}}`, http.StatusConflict, "faultstring")
}

// TestStatesByFault: an operation that fails leaves the load balancer in ERROR.
func TestStatesByFault(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	l.fails("CreateLoadBalancer", `{"state": {"to": "error"}}`)
	lb := l.create(loadbalancers.CreateOpts{Name: "lb"}).ID
	if now := l.balancer(lb); now.ProvisioningStatus != "ERROR" {
		t.Errorf("the load balancer is %s", now.ProvisioningStatus)
	}
	if err := loadbalancers.Delete(t.Context(), l.lbaas, lb, nil).ExtractErr(); err != nil {
		t.Errorf("delete in ERROR: %v", err)
	}
	_, listener, _ := l.okSimple()
	l.fails("openstack:octavia:UpdateListener", `{"state": {"to": "error"}}`)
	name := "n"
	if err := listeners.Update(t.Context(), l.lbaas, listener, listeners.UpdateOpts{Name: &name}).Err; err != nil {
		t.Fatal(err)
	}
	if now := l.listener(listener); now.ProvisioningStatus != "ERROR" {
		t.Errorf("the listener is %s", now.ProvisioningStatus)
	}
}

// okSimple is simple without fault rules.
func (l lab) okSimple() (lb, listener, pool string) {
	l.Helper()
	l.forgets()
	return l.simple()
}

// TestFaultsWithoutASession: discovery needs no session, and rules apply to it nevertheless; also those by the
// name of an operation that the cloud does not have.
func TestFaultsWithoutASession(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	for operation, path := range map[string]string{
		"openstack:octavia:ListVersions": "/load-balancer/", "openstack:neutron:ListVersions": "/network/", "openstack:keystone:ListVersions": "/identity/",
		"openstack:keystone:GetVersion": "/identity/v3", "openstack:nova:ListVersions": "/compute/", "openstack:nova:GetVersion": "/compute/v2.1",
	} {
		l.fails(operation, `{"error": {"code": "unavailable", "message": "because"}}`)
		got := l.send(http.MethodGet, path, "", "X-Auth-Token", "")
		if got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, "because") || !json.Valid([]byte(got.body)) {
			t.Errorf("%s: got %d %s", operation, got.status, got.body)
		}
		l.forgets()
		if got := l.send(http.MethodGet, path, "", "X-Auth-Token", ""); got.status >= http.StatusBadRequest {
			t.Errorf("%s without the rule: got %d %s", operation, got.status, got.body)
		}
	}
	l.fails("openstack:octavia:ListVersions", `{"garble": {"body": "html"}}`)
	if _, err := apiversions.List(l.lbaas).AllPages(t.Context()); err == nil {
		t.Error("a page of a proxy is a list of versions")
	}
}
