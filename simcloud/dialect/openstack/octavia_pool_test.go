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

// listenersOf are the ids of the listeners of a pool.
func listenersOf(p *pools.Pool) []string {
	var all []string
	for _, listener := range p.Listeners {
		all = append(all, listener.ID)
	}
	return all
}

func (l lab) pooled(opts pools.CreateOpts) *pools.Pool {
	l.Helper()
	return must[*pools.Pool](l)(pools.Create(l.Context(), l.lbaas, opts).Extract())
}

// TestPools: what is sent comes back, changes one by one, and what a change does not have stays.
func TestPools(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	lb := l.create(loadbalancers.CreateOpts{Name: "lb"}).ID
	port := 81
	made := l.pooled(pools.CreateOpts{
		LoadbalancerID: lb, Name: "two words", Description: "d", Protocol: pools.ProtocolPROXYV2, LBMethod: pools.LBMethodLeastConnections,
		Persistence: &pools.SessionPersistence{Type: "APP_COOKIE", CookieName: "c"}, Tags: []string{"t"},
		Members: []pools.CreateMemberOpts{{Address: l.addresses[0], ProtocolPort: 80, MonitorPort: &port}},
		Monitor: monitors.CreateOpts{Type: "TCP", Delay: 7, Timeout: 4, MaxRetries: 2},
	})
	want := *made
	if made.Name != "two words" || made.Description != "d" || made.Protocol != "PROXYV2" || made.LBMethod != "LEAST_CONNECTIONS" || made.Loadbalancers[0].ID != lb ||
		made.Persistence != (pools.SessionPersistence{Type: "APP_COOKIE", CookieName: "c"}) || !cmp.Equal(made.Tags, []string{"t"}) || len(made.Members) != 1 || made.MonitorID == "" {
		t.Errorf("the new pool is %+v", made)
	}
	if core, group := l.core(lb), l.group(made.ID); core.Algorithm != simcloud.LeastConnections || core.Affinity.ClientIP || !group.ProxyProtocol || group.HealthCheck.Port != 81 {
		t.Errorf("the cloud has %+v and %+v", core, group)
	}
	same := func(what string) {
		t.Helper()
		if diff := cmp.Diff(want, *l.pool(made.ID)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	same("after its creation")
	update := func(opts pools.UpdateOpts) {
		t.Helper()
		must[*pools.Pool](t)(pools.Update(t.Context(), l.lbaas, made.ID, opts).Extract())
	}
	text := "plain"
	update(pools.UpdateOpts{Name: &text})
	want.Name = text
	same("after a change of the name")
	update(pools.UpdateOpts{LBMethod: pools.LBMethodSourceIp})
	want.LBMethod = "SOURCE_IP"
	same("after a change of the algorithm")
	if core := l.core(lb); core.Algorithm != simcloud.RoundRobin {
		t.Errorf("the cloud has the algorithm %s", core.Algorithm)
	}
	update(pools.UpdateOpts{Persistence: &pools.SessionPersistence{Type: "SOURCE_IP"}})
	want.Persistence = pools.SessionPersistence{Type: "SOURCE_IP"}
	same("after a change of the persistence")
	if core := l.core(lb); core.Affinity != (simcloud.Affinity{ClientIP: true, TimeoutSeconds: 360}) {
		t.Errorf("the cloud has the affinity %+v", core.Affinity)
	}
	update(pools.UpdateOpts{Persistence: &pools.SessionPersistence{}})
	want.Persistence = pools.SessionPersistence{}
	same("after null persistence")
	if core := l.core(lb); core.Affinity.ClientIP {
		t.Errorf("the cloud has the affinity %+v", core.Affinity)
	}
	text, tags := "", []string{}
	update(pools.UpdateOpts{Description: &text, Tags: &tags})
	want.Description, want.Tags = "", tags
	same("after all that can be empty is")
}

// TestPoolsOfANewLoadBalancer: pools can be there before their listeners are.
func TestPoolsOfANewLoadBalancer(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	made := l.create(loadbalancers.CreateOpts{Name: "lb", Pools: []pools.CreateOpts{
		{Name: "a", Protocol: pools.ProtocolTCP, LBMethod: pools.LBMethodRoundRobin, Members: []pools.CreateMemberOpts{{Address: l.addresses[0], ProtocolPort: 80}}},
		{Name: "b", Protocol: pools.ProtocolUDP, LBMethod: pools.LBMethodSourceIpPort},
	}})
	if len(made.Pools) != 2 || made.Pools[0].Name != "a" || len(made.Pools[0].Members) != 1 || made.Pools[1].Protocol != "UDP" || len(made.Listeners) != 0 {
		t.Errorf("the load balancer has %+v", made.Pools)
	}
}

func TestPoolsRefused(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb, listener, pool := l.simple()
	err := pools.Create(t.Context(), l.lbaas, pools.CreateOpts{ListenerID: listener, Protocol: "TCP", LBMethod: "ROUND_ROBIN"}).Err
	refused(t, err, http.StatusConflict, "already has a default pool")
	create := func(attributes string) string {
		for name, usual := range map[string]string{"protocol": "TCP", "lb_algorithm": "ROUND_ROBIN"} {
			if !strings.Contains(attributes, `"`+name+`"`) {
				attributes += `, "` + name + `": "` + usual + `"`
			}
		}
		return `{"pool": {"loadbalancer_id": "` + lb + `", ` + attributes + `}}`
	}
	for attributes, want := range map[string]string{
		`"protocol": "TLS"`:                                                 "protocol 'TLS' of the pool is not supported",
		`"lb_algorithm": "RANDOM"`:                                          "lb_algorithm 'RANDOM' is not supported",
		`"lb_algorithm": null`:                                              "lb_algorithm is missing",
		`"session_persistence": {"type": "x"}`:                              "session_persistence type 'x' is not supported",
		`"session_persistence": {"type": "APP_COOKIE"}`:                     "must have a cookie_name",
		`"session_persistence": {"type": "SOURCE_IP", "cookie_name": "c"}`:  "none with other types",
		`"session_persistence": "SOURCE_IP"`:                                "session_persistence: string is not allowed",
		`"protocol": "UDP", "session_persistence": {"type": "HTTP_COOKIE"}`: "other protocols than UDP",
		`"tls_ciphers": "x"`:                                                "tls_ciphers",
		`"members": [{"address": "x", "protocol_port": 1}]`:                 "address 'x'",
	} {
		l.post("pools", create(attributes), http.StatusBadRequest, want)
	}
	l.post("pools", create(`"tls_enabled": true`), http.StatusNotImplemented, "tls_enabled")
	l.post("pools", `{"pool": {"protocol": "TCP", "lb_algorithm": "ROUND_ROBIN"}}`, http.StatusBadRequest, "Must provide at least one of: listener_id, loadbalancer_id.")
	l.post("pools", `{"pool": {"protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", "loadbalancer_id": "x"}}`, http.StatusNotFound, "Load Balancer x not found.")
	l.post("pools", `{"pool": {"protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", "listener_id": "x"}}`, http.StatusNotFound, "Listener x not found.")
	l.put("pools/"+pool, `{"pool": {"protocol": "UDP"}}`, http.StatusBadRequest, "protocol")
	for _, id := range []string{"x", lb, "00000000-0000-4008-8000-000000000009"} {
		refused(t, pools.Get(t.Context(), l.lbaas, id).Err, http.StatusNotFound, "Pool "+id+" not found.")
	}
	if groups := must[simcloud.Page[simcloud.TargetGroup]](t)(l.native.ListTargetGroups(t.Context(), simcloud.ListOptions{})); len(groups.Items) != 1 {
		t.Errorf("what was refused has left %d groups, want 1", len(groups.Items))
	}
}

// TestOVN: what the provider does not have is refused.
func TestOVN(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	lb := l.create(loadbalancers.CreateOpts{Name: "lb", Provider: "ovn"}).ID
	l.post("listeners", `{"listener": {"loadbalancer_id": "`+lb+`", "protocol": "TCP", "protocol_port": 80, "allowed_cidrs": ["10.0.0.0/8"]}}`, http.StatusNotImplemented, "Provider 'ovn'")
	l.post("listeners", `{"listener": {"loadbalancer_id": "`+lb+`", "protocol": "TCP", "protocol_port": 80, "timeout_client_data": 1}}`, http.StatusNotImplemented, "Provider 'ovn'")
	l.post("pools", `{"pool": {"loadbalancer_id": "`+lb+`", "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN"}}`, http.StatusNotImplemented, "ROUND_ROBIN")
	pool := l.pooled(pools.CreateOpts{LoadbalancerID: lb, Protocol: "TCP", LBMethod: "SOURCE_IP_PORT"})
	l.post("healthmonitors", `{"healthmonitor": {"pool_id": "`+pool.ID+`", "type": "HTTP", "delay": 5, "timeout": 3, "max_retries": 1}}`, http.StatusNotImplemented, "HTTP")
	l.post("healthmonitors", `{"healthmonitor": {"pool_id": "`+pool.ID+`", "type": "TCP", "delay": 5, "timeout": 3, "max_retries": 1}}`, http.StatusCreated, `"type":"TCP"`)
}
