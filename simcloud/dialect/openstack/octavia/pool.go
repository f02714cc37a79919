package octavia

import (
	"net/url"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// pool is a target group that is a part of a load balancer, as Octavia shows it.
type pool struct {
	common
	Protocol        string       `json:"protocol"`
	Algorithm       string       `json:"lb_algorithm"`
	Persistence     *persistence `json:"session_persistence"`
	LoadBalancers   []reference  `json:"loadbalancers"`
	Listeners       []reference  `json:"listeners"`
	HealthMonitorID *string      `json:"healthmonitor_id"`
	Members         []reference  `json:"members"`
	TLSEnabled      bool         `json:"tls_enabled"`
	TLSContainerRef *string      `json:"tls_container_ref"`
	CAContainerRef  *string      `json:"ca_tls_container_ref"`
	CRLContainerRef *string      `json:"crl_container_ref"`
}

// persistence is how the connections of a client stay with one member.
type persistence struct {
	Type        string  `json:"type"`
	CookieName  *string `json:"cookie_name"`
	Timeout     *int    `json:"persistence_timeout"`
	Granularity *string `json:"persistence_granularity"`
}

// sourceIP is the persistence by the client's address.
const sourceIP = "SOURCE_IP"

// timeout is how long it lasts, in seconds; where it does not say, as Octavia's proxy has it.
func (p persistence) timeout() int {
	const usual = 360
	if p.Timeout == nil || *p.Timeout == 0 {
		return usual
	}
	return *p.Timeout
}

// poolProtocols are those of pools, with the protocol of the target group.
var poolProtocols = map[string]simcloud.Protocol{
	"TCP": simcloud.ProtocolTCP, "HTTP": simcloud.ProtocolTCP, "HTTPS": simcloud.ProtocolTCP,
	proxy: simcloud.ProtocolTCP, proxyV2: simcloud.ProtocolTCP, udp: simcloud.ProtocolUDP, "SCTP": simcloud.ProtocolSCTP,
}

const (
	proxy, proxyV2 = "PROXY", "PROXYV2"
	udp            = "UDP"
)

// showPool is a pool as Octavia shows it.
func (t tree) showPool(g simcloud.TargetGroup) pool {
	p := pool{
		common:   t.commonOf(service.Pools.UUID(g.ID), operating(t.LoadBalancer, g), g.Meta, g.Options),
		Protocol: g.Options[optionProtocol], Algorithm: g.Options[optionAlgorithm], Persistence: valueIn[*persistence](g.Options, optionPersistence),
		LoadBalancers: []reference{{t.uuid()}}, Listeners: []reference{}, Members: []reference{},
	}
	for _, l := range t.listenersOf(g.ID) {
		p.Listeners = append(p.Listeners, reference{t.listenerUUID(l)})
	}
	if hasMonitor(g) {
		id := service.Monitors.UUID(g.ID)
		p.HealthMonitorID = &id
	}
	for _, m := range g.Targets {
		p.Members = append(p.Members, reference{memberUUID(g, m.GroupTargetSpec)})
	}
	return p
}

var poolFilters = []string{"id", "name", "description", "loadbalancer_id", "listener_id", "protocol", "lb_algorithm", "healthmonitor_id", "provisioning_status", "operating_status", "project_id"}

func listPools(c service.Call) (any, error) {
	if err := known(c.Query(), poolFilters...); err != nil {
		return nil, err
	}
	all, err := trees(c)
	if err != nil {
		return nil, err
	}
	var shown []pool
	for _, t := range all {
		if !service.Matches(c.Query(), "loadbalancer_id", t.uuid()) {
			continue
		}
		for _, g := range t.pools {
			if one := t.showPool(g); one.matches(c.Query()) {
				shown = append(shown, one)
			}
		}
	}
	return service.List(c, "pools", shown, func(p pool) string { return p.ID }, pages)
}

func (p pool) matches(query url.Values) bool {
	monitor := ""
	if p.HealthMonitorID != nil {
		monitor = *p.HealthMonitorID
	}
	return p.common.matches(query) && p.servesListener(query) && matchAll(query, map[string]string{
		"protocol": p.Protocol, "lb_algorithm": p.Algorithm, "healthmonitor_id": monitor,
	})
}

func (p pool) servesListener(query url.Values) bool {
	if !query.Has("listener_id") {
		return true
	}
	for _, l := range p.Listeners {
		if service.Matches(query, "listener_id", l.ID) {
			return true
		}
	}
	return false
}

func getPool(c service.Call) (any, error) {
	t, g, err := poolOf(c, c.ID)
	return map[string]any{"pool": t.showPool(g)}, err
}
