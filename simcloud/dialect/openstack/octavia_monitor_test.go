package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/monitors"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (l lab) monitored(opts monitors.CreateOpts) *monitors.Monitor {
	l.Helper()
	return must[*monitors.Monitor](l)(monitors.Create(l.Context(), l.lbaas, opts).Extract())
}

// TestMonitors: what is sent comes back, changes one by one, and is what the cloud checks.
func TestMonitors(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	_, _, pool := l.simple()
	made := l.monitored(monitors.CreateOpts{
		PoolID: pool, Name: "m_", Type: monitors.TypeHTTP, Delay: 5, Timeout: 3, MaxRetries: 1, URLPath: "/healthz", HTTPMethod: "HEAD",
		ExpectedCodes: "200-299", HTTPVersion: "1.1", DomainName: "www.example.com", Tags: []string{"t"},
	})
	want := *made
	if made.Name != "m_" || made.MaxRetriesDown != 3 || made.HTTPMethod != "HEAD" || made.ExpectedCodes != "200-299" || made.HTTPVersion != "1.1" ||
		made.DomainName != "www.example.com" || !cmp.Equal(made.Tags, []string{"t"}) || l.pool(pool).MonitorID != made.ID {
		t.Errorf("the new monitor is %+v", made)
	}
	same := func(what string, check simcloud.HealthCheck) {
		t.Helper()
		if diff := cmp.Diff(want, *l.monitor(made.ID)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		if diff := cmp.Diff(&check, l.group(pool).HealthCheck); diff != "" {
			t.Errorf("%s, the cloud (-want +got):\n%s", what, diff)
		}
	}
	check := simcloud.HealthCheck{
		Protocol: simcloud.HealthCheckHTTP, Path: "/healthz", Domain: "www.example.com", StatusCodes: []string{"2??"}, IntervalSeconds: 5, TimeoutSeconds: 3, Threshold: 1,
	}
	same("after its creation", check)
	name, domain := "n", ""
	must[*monitors.Monitor](t)(monitors.Update(t.Context(), l.lbaas, made.ID, monitors.UpdateOpts{Name: &name, Delay: 9, MaxRetriesDown: 4}).Extract())
	want.Name, want.Delay, want.MaxRetriesDown, check.IntervalSeconds = "n", 9, 4, 9
	same("after a change", check)
	must[*monitors.Monitor](t)(monitors.Update(t.Context(), l.lbaas, made.ID, monitors.UpdateOpts{DomainName: &domain, ExpectedCodes: "200,404"}).Extract())
	want.DomainName, want.ExpectedCodes, check.Domain, check.StatusCodes = "", "200,404", "", []string{"200", "404"}
	same("after another", check)
	other := simcloud.HealthCheck{Protocol: simcloud.HealthCheckHTTP, Path: "/other", IntervalSeconds: 11, TimeoutSeconds: 7, Threshold: 2}
	must[simcloud.Result[simcloud.TargetGroup]](t)(l.native.UpdateTargetGroup(t.Context(), l.group(pool).ID, simcloud.TargetGroupUpdate{HealthCheck: &other}))
	want.URLPath, want.Delay, want.Timeout, want.MaxRetries = "/other", 11, 7, 2
	same("after a change in the cloud", other)
	if err := monitors.Delete(t.Context(), l.lbaas, made.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	refused(t, monitors.Get(t.Context(), l.lbaas, made.ID).Err, http.StatusNotFound, "Health Monitor "+made.ID+" not found.")
	if group := l.group(pool); group.HealthCheck != nil || l.pool(pool).MonitorID != "" {
		t.Errorf("without the monitor the cloud has %+v", group)
	}
	if again := l.monitored(monitors.CreateOpts{PoolID: pool, Type: "TCP", Delay: 5, Timeout: 3, MaxRetries: 1}); again.URLPath != "" || again.Name != "" || again.MaxRetriesDown != 3 {
		t.Errorf("another monitor has of the first: %+v", again)
	}
}

// TestLongMonitor: its texts are longer than one option of the cloud.
func TestLongMonitor(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	_, _, pool := l.simple()
	path, name := "/"+strings.Repeat("p", 700), strings.Repeat("語", 255)
	made := l.monitored(monitors.CreateOpts{PoolID: pool, Name: name, Type: "HTTP", Delay: 5, Timeout: 3, MaxRetries: 1, URLPath: path})
	if got := l.monitor(made.ID); got.Name != name || got.URLPath != path {
		t.Errorf("the monitor is %+v", got)
	}
	if err := monitors.Delete(t.Context(), l.lbaas, made.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if left := l.group(pool).Options; len(left) != 2 { // of the pool: its protocol and algorithm
		t.Errorf("the options that are left are %v", left)
	}
}

// TestMonitorTypes: which monitors pools take.
func TestMonitorTypes(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	lb := l.create(loadbalancers.CreateOpts{Name: "lb"}).ID
	for protocol, takes := range map[string]string{
		"TCP": "TCP HTTP HTTPS PING TLS-HELLO SCTP", "UDP": "TCP HTTP UDP-CONNECT SCTP",
	} {
		for _, typ := range []string{"TCP", "HTTP", "HTTPS", "PING", "TLS-HELLO", "UDP-CONNECT", "SCTP"} {
			pool := l.pooled(pools.CreateOpts{LoadbalancerID: lb, Protocol: pools.Protocol(protocol), LBMethod: "ROUND_ROBIN"}).ID
			result := monitors.Create(t.Context(), l.lbaas, monitors.CreateOpts{PoolID: pool, Type: typ, Delay: 5, Timeout: 3, MaxRetries: 1})
			if !strings.Contains(" "+takes+" ", " "+typ+" ") {
				refused(t, result.Err, http.StatusBadRequest, "does not fit the pool protocol '"+protocol+"'")
				continue
			}
			if m := must[*monitors.Monitor](t)(result.Extract()); m.Type != typ || l.monitor(m.ID).Delay != 5 {
				t.Errorf("%s: the monitor is %+v", protocol, m)
			}
		}
	}
}

func TestMonitorsRefused(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb, _, pool := l.simple()
	udp := l.pooled(pools.CreateOpts{LoadbalancerID: lb, Protocol: "UDP", LBMethod: "ROUND_ROBIN"}).ID
	l.post("healthmonitors", `{"healthmonitor": {"pool_id": "`+udp+`", "type": "UDP-CONNECT", "delay": 2, "timeout": 1, "max_retries": 1}}`, http.StatusBadRequest, "should be larger than 3")
	create := func(attributes string) string {
		for name, usual := range map[string]string{"type": `"HTTP"`, "delay": "5", "timeout": "3", "max_retries": "1", "pool_id": `"` + pool + `"`} {
			if !strings.Contains(attributes, `"`+name+`"`) {
				attributes += `, "` + name + `": ` + usual
			}
		}
		return `{"healthmonitor": {` + attributes + `}}`
	}
	for attributes, want := range map[string]string{
		`"type": "ICMP"`: "type 'ICMP' of a health monitor is not supported", `"delay": 0`: "delay", `"timeout": 0`: "timeout", `"max_retries": 11`: "max_retries",
		`"max_retries_down": 0`: "max_retries_down", `"http_method": "BREW"`: "http_method 'BREW'", `"url_path": "x"`: "url_path 'x' must begin with /",
		`"expected_codes": "0-999999999"`: "expected_codes", `"expected_codes": "2xx"`: "expected_codes '2xx'", `"pool_id": ""`: "pool_id is missing", `"colour": 1`: "colour",
		`"delay": "5"`: "healthmonitor.delay: string is not allowed", `"domain_name": "not a name"`: "omain",
	} {
		l.post("healthmonitors", create(attributes), http.StatusBadRequest, want)
	}
	l.post("healthmonitors", create(`"admin_state_up": false`), http.StatusNotImplemented, "admin_state_up")
	l.post("healthmonitors", create(`"pool_id": "x"`), http.StatusNotFound, "Pool x not found.")
	made := l.monitored(monitors.CreateOpts{PoolID: pool, Type: "TCP", Delay: 5, Timeout: 3, MaxRetries: 1})
	l.post("healthmonitors", create(`"type": "TCP"`), http.StatusConflict, "This pool already has a health monitor: "+pool)
	l.put("healthmonitors/"+made.ID, `{"healthmonitor": {"type": "HTTP"}}`, http.StatusBadRequest, "type of a health monitor cannot be changed")
	for _, id := range []string{"x", pool, "00000000-0000-4009-8000-000000000002"} {
		refused(t, monitors.Get(t.Context(), l.lbaas, id).Err, http.StatusNotFound, "Health Monitor "+id+" not found.")
	}
}
