package openstack_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/listeners"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
)

func (l lab) listen(opts listeners.CreateOpts) *listeners.Listener {
	l.Helper()
	return must[*listeners.Listener](l)(listeners.Create(l.Context(), l.lbaas, opts).Extract())
}

// TestListeners: what is sent comes back, changes one by one, and what a change does not have stays.
func TestListeners(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb, _, _ := l.simple()
	limit, client, connect, data, inspect := 100, 1, 2, 3, 4
	first, second := l.certificate("first"), strings.Replace(l.certificate("second"), "http://", "https://other.", 1) // Octavia goes by the id
	made := l.listen(listeners.CreateOpts{
		LoadbalancerID: lb, Name: "web_", Description: "of the web", Protocol: listeners.ProtocolTerminatedHTTPS, ProtocolPort: 443, ConnLimit: &limit,
		DefaultTlsContainerRef: first, SniContainerRefs: []string{second},
		TimeoutClientData: &client, TimeoutMemberConnect: &connect, TimeoutMemberData: &data, TimeoutTCPInspect: &inspect,
		InsertHeaders: map[string]string{"X-Forwarded-For": "true"}, AllowedCIDRs: []string{"::/0", "10.0.0.0/8"}, Tags: []string{"b", "a"},
	})
	want := *made
	if made.Name != "web_" || made.Description != "of the web" || made.Protocol != "TERMINATED_HTTPS" || made.ProtocolPort != 443 || made.ConnLimit != 100 ||
		made.DefaultTlsContainerRef != first || !cmp.Equal(made.SniContainerRefs, []string{second}) ||
		made.TimeoutClientData != 1 || made.TimeoutMemberConnect != 2 || made.TimeoutMemberData != 3 || made.TimeoutTCPInspect != 4 ||
		made.InsertHeaders["X-Forwarded-For"] != "true" || !cmp.Equal(made.AllowedCIDRs, []string{"::/0", "10.0.0.0/8"}) || !cmp.Equal(made.Tags, []string{"b", "a"}) {
		t.Errorf("the new listener is %+v", made)
	}
	same := func(what string) {
		t.Helper()
		if diff := cmp.Diff(want, *l.listener(made.ID)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	same("after its creation")
	update := func(opts listeners.UpdateOpts) {
		t.Helper()
		must[*listeners.Listener](t)(listeners.Update(t.Context(), l.lbaas, made.ID, opts).Extract())
	}
	text := "other"
	update(listeners.UpdateOpts{Name: &text})
	want.Name = text
	same("after a change of the name")
	limit = -1
	update(listeners.UpdateOpts{ConnLimit: &limit, TimeoutMemberData: &client})
	want.ConnLimit, want.TimeoutMemberData = -1, 1
	same("after a change of limits")
	text, cidrs, headers, tags, sni := "", []string{}, map[string]string{}, []string{}, []string{}
	update(listeners.UpdateOpts{Description: &text, AllowedCIDRs: &cidrs, InsertHeaders: &headers, Tags: &tags, SniContainerRefs: &sni})
	want.Description, want.AllowedCIDRs, want.InsertHeaders, want.Tags, want.SniContainerRefs = "", nil, headers, tags, sni
	same("after all that can be empty is")
	cidrs = []string{"192.0.2.0/24"}
	update(listeners.UpdateOpts{AllowedCIDRs: &cidrs})
	l.put("listeners/"+made.ID, `{"listener": {"allowed_cidrs": null}}`, http.StatusOK, `"allowed_cidrs":null`)
	same("after null sources")
	l.put("listeners/"+made.ID, `{"listener": {"default_tls_container_ref": null}}`, http.StatusBadRequest, "certificate container reference must be provided")
	same("after a change that was refused")
}

// TestDefaultPool: a listener forwards to one pool of its load balancer or to none, and several can share one.
func TestDefaultPool(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb, first, pool := l.simple()
	second := l.listen(listeners.CreateOpts{LoadbalancerID: lb, Protocol: listeners.ProtocolTCP, ProtocolPort: 81, DefaultPoolID: pool})
	if got := listenersOf(l.pool(pool)); second.DefaultPoolID != pool || !cmp.Equal(got, []string{first, second.ID}) {
		t.Errorf("the pool is of %q, the listener has %q", got, second.DefaultPoolID)
	}
	none := ""
	if now := must[*listeners.Listener](t)(listeners.Update(t.Context(), l.lbaas, second.ID, listeners.UpdateOpts{DefaultPoolID: &none}).Extract()); now.DefaultPoolID != "" {
		t.Errorf("after null the listener has the pool %q", now.DefaultPoolID)
	}
	name := "n"
	must[*listeners.Listener](t)(listeners.Update(t.Context(), l.lbaas, first, listeners.UpdateOpts{Name: &name}).Extract())
	if now := l.listener(first); now.DefaultPoolID != pool {
		t.Errorf("after another change the listener has the pool %q", now.DefaultPoolID)
	}
	must[*listeners.Listener](t)(listeners.Update(t.Context(), l.lbaas, second.ID, listeners.UpdateOpts{DefaultPoolID: &pool}).Extract())
	if err := listeners.Delete(t.Context(), l.lbaas, first).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if now := l.pool(pool); len(now.Listeners) != 1 || now.Listeners[0].ID != second.ID {
		t.Errorf("without its first listener the pool is %+v", now)
	}
	if err := pools.Delete(t.Context(), l.lbaas, pool).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if now, core := l.listener(second.ID), l.core(lb); now.DefaultPoolID != "" || core.Listeners[0].TargetGroup != "" {
		t.Errorf("without the pool the listener is %+v, in the cloud %+v", now, core.Listeners)
	}
	_, _, foreign := l.simple()
	for _, id := range []string{foreign, "x", pool} {
		refused(t, listeners.Update(t.Context(), l.lbaas, second.ID, listeners.UpdateOpts{DefaultPoolID: &id}).Err, http.StatusNotFound, "Pool "+id+" not found.")
	}
}

// TestDeleteListenerKeepsPool: the pool stays, without a listener.
func TestDeleteListenerKeepsPool(t *testing.T) {
	t.Parallel()
	l := slowLab(t, 0)
	lb, listener, pool := l.simple()
	l.settle()
	if err := listeners.Delete(t.Context(), l.lbaas, listener).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if now := l.balancer(lb); now.ProvisioningStatus != "PENDING_UPDATE" {
		t.Errorf("the load balancer is %s", now.ProvisioningStatus)
	}
	l.settle()
	if now := l.pool(pool); len(now.Listeners) != 0 || now.ProvisioningStatus != "ACTIVE" || now.Loadbalancers[0].ID != lb {
		t.Errorf("the pool is %+v", now)
	}
	refused(t, loadbalancers.Delete(t.Context(), l.lbaas, lb, nil).Err, http.StatusBadRequest, "it has children")
	if err := pools.Delete(t.Context(), l.lbaas, pool).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	l.settle()
	if err := loadbalancers.Delete(t.Context(), l.lbaas, lb, nil).ExtractErr(); err != nil {
		t.Errorf("without children: %v", err)
	}
}

// TestListenerPorts: one port for each transport.
func TestListenerPorts(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb := l.create(loadbalancers.CreateOpts{Name: "lb"}).ID
	create := func(protocol string, port int) error {
		return listeners.Create(t.Context(), l.lbaas, listeners.CreateOpts{LoadbalancerID: lb, Protocol: listeners.Protocol(protocol), ProtocolPort: port}).Err
	}
	for _, protocol := range []string{"TCP", "UDP", "SCTP"} {
		if err := create(protocol, 80); err != nil {
			t.Errorf("%s: %v", protocol, err)
		}
	}
	for _, protocol := range []string{"TCP", "UDP", "SCTP", "HTTP", "HTTPS"} {
		refused(t, create(protocol, 80), http.StatusConflict, "Another Listener on this Load Balancer is already using protocol_port 80")
	}
	twice := `{"loadbalancer": {"vip_subnet_id": "` + subnet4 + `", "listeners": [{"protocol": "HTTP", "protocol_port": 8080}, {"protocol": "TCP", "protocol_port": 8080}]}}`
	l.post("loadbalancers", twice, http.StatusConflict, "already using protocol_port 8080")
	for _, port := range []int{0, -1, 65536} {
		l.post("listeners", `{"listener": {"loadbalancer_id": "`+lb+`", "protocol": "TCP", "protocol_port": `+strconv.Itoa(port)+`}}`, http.StatusBadRequest, "protocol_port "+strconv.Itoa(port))
	}
}

func TestListenersRefused(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb, listener, _ := l.simple()
	create := func(attributes string) string {
		if !strings.Contains(attributes, `"protocol"`) {
			attributes += `, "protocol": "TCP"`
		}
		return `{"listener": {"loadbalancer_id": "` + lb + `", "protocol_port": 90, ` + attributes + `}}`
	}
	for attributes, want := range map[string]string{
		`"protocol": "PROMETHEUS"`:                      "protocol 'PROMETHEUS' is not supported",
		`"connection_limit": -2`:                        "connection_limit is -2",
		`"timeout_client_data": 86400001`:               "timeout_client_data is 86400001",
		`"insert_headers": {"X-Forwarded-For": "true"}`: "insert_headers",
		`"allowed_cidrs": ["x"]`:                        "allowed_cidrs",
		`"allowed_cidrs": "x"`:                          "allowed_cidrs: string is not allowed",
		`"hsts_preload": true`:                          "hsts_preload",
		`"protocol": "TERMINATED_HTTPS"`:                "certificate container reference",
		`"protocol": "TERMINATED_HTTPS", "default_tls_container_ref": "https://b/v1/containers/00000000-0000-4011-8000-000000000001"`: "Could not retrieve certificate: ['https://b/v1/containers/00000000-0000-4011-8000-000000000001']",
		`"protocol": "TERMINATED_HTTPS", "sni_container_refs": ["x"]`:                                                                 "Could not retrieve certificate: ['x']",
	} {
		l.post("listeners", create(attributes), http.StatusBadRequest, want)
	}
	l.post("listeners", create(`"admin_state_up": false`), http.StatusNotImplemented, "admin_state_up")
	l.post("listeners", create(`"protocol": "TCP", "default_pool": {"protocol": "TCP", "lb_algorithm": "ROUND_ROBIN"}`), http.StatusNotImplemented, "default_pool")
	l.post("listeners", `{"listener": {"protocol": "TCP", "protocol_port": 90}}`, http.StatusBadRequest, "loadbalancer_id is missing")
	for _, id := range []string{"x", "00000000-0000-4004-8000-000000000009", listener} {
		l.post("listeners", `{"listener": {"loadbalancer_id": "`+id+`", "protocol": "TCP", "protocol_port": 90}}`, http.StatusNotFound, "Load Balancer "+id+" not found.")
	}
	l.put("listeners/"+listener, `{"listener": {"protocol_port": 81}}`, http.StatusBadRequest, "protocol_port")
	for _, id := range []string{"x", lb, "00000081-0000-400e-8000-000000000001", "00000080-0009-400e-8000-000000000001", "00000080-0000-400e-8000-000000000009"} {
		refused(t, listeners.Get(t.Context(), l.lbaas, id).Err, http.StatusNotFound, "Listener "+id+" not found.")
		refused(t, listeners.Delete(t.Context(), l.lbaas, id).Err, http.StatusNotFound, "Listener "+id+" not found.")
	}
}

// TestProtocols: to which pools listeners can forward.
func TestProtocols(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb := l.create(loadbalancers.CreateOpts{Name: "lb"}).ID
	certificate := l.certificate("web")
	kinds := []string{"TCP", "HTTP", "HTTPS", "PROXY", "PROXYV2", "UDP", "SCTP"}
	unbound := map[string]string{}
	for _, kind := range kinds {
		unbound[kind] = must[*pools.Pool](t)(pools.Create(t.Context(), l.lbaas, pools.CreateOpts{LoadbalancerID: lb, Protocol: pools.Protocol(kind), LBMethod: "ROUND_ROBIN"}).Extract()).ID
	}
	port := 1000
	for protocol, takes := range map[string][]string{
		"TCP": {"TCP", "HTTP", "HTTPS", "PROXY", "PROXYV2"}, "HTTP": {"HTTP", "PROXY", "PROXYV2"}, "TERMINATED_HTTPS": {"HTTP", "PROXY", "PROXYV2"},
		"HTTPS": {"TCP", "HTTPS", "PROXY", "PROXYV2"}, "UDP": {"UDP"}, "SCTP": {"SCTP"},
	} {
		for _, kind := range kinds {
			port++
			opts := listeners.CreateOpts{LoadbalancerID: lb, Protocol: listeners.Protocol(protocol), ProtocolPort: port}
			if protocol == "TERMINATED_HTTPS" {
				opts.DefaultTlsContainerRef = certificate
			}
			listener := l.listen(opts).ID
			pool := unbound[kind]
			update := listeners.Update(t.Context(), l.lbaas, listener, listeners.UpdateOpts{DefaultPoolID: &pool}).Err
			none := ""
			if update == nil {
				must[*listeners.Listener](t)(listeners.Update(t.Context(), l.lbaas, listener, listeners.UpdateOpts{DefaultPoolID: &none}).Extract())
			}
			create := pools.Create(t.Context(), l.lbaas, pools.CreateOpts{ListenerID: listener, Protocol: pools.Protocol(kind), LBMethod: "ROUND_ROBIN"}).Err
			fits := false
			for _, take := range takes {
				fits = fits || take == kind
			}
			for what, err := range map[string]error{"update": update, "create": create} {
				switch {
				case fits && err != nil:
					t.Errorf("%s: %s to %s: %v", what, protocol, kind, err)
				case !fits:
					refused(t, err, http.StatusBadRequest, "The pool protocol '"+kind+"' is invalid while the listener protocol is '"+protocol+"'.")
				}
			}
		}
	}
}
