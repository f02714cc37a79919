package octavia

import (
	"cmp"
	"slices"

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
	TLSCiphers      *string      `json:"tls_ciphers"`
	TLSVersions     []string     `json:"tls_versions"`
	ALPNProtocols   []string     `json:"alpn_protocols"`
}

// persistence is how the connections of a client stay with one member.
type persistence struct {
	Type        string  `json:"type"`
	CookieName  *string `json:"cookie_name"`
	Timeout     *int    `json:"persistence_timeout"`
	Granularity *string `json:"persistence_granularity"`
}

// The types of persistence: by the client's address, and by a cookie of the application.
const (
	sourceIP  = "SOURCE_IP"
	appCookie = "APP_COOKIE"
)

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
	proxy: simcloud.ProtocolTCP, proxyV2: simcloud.ProtocolTCP, udp: simcloud.ProtocolUDP, sctp: simcloud.ProtocolSCTP,
}

const (
	proxy, proxyV2 = "PROXY", "PROXYV2"
	udp, sctp      = "UDP", "SCTP"
)

// protocolOf is the protocol of a pool. That of a group which another client has made is the one of its transport.
func protocolOf(g simcloud.TargetGroup) string {
	transport := g.Protocol.Transports()[0]
	switch kept := g.Options[optionProtocol]; {
	case kept != "":
		return kept
	case transport == simcloud.ProtocolUDP:
		return udp
	case transport == simcloud.ProtocolSCTP:
		return sctp
	case g.ProxyProtocol:
		return proxy
	default:
		return "TCP"
	}
}

// algorithmOf is how a pool chooses members: one that does not say, as its load balancer.
func (t tree) algorithmOf(g simcloud.TargetGroup) string {
	usual := "ROUND_ROBIN"
	if t.Algorithm == simcloud.LeastConnections {
		usual = leastConnections
	}
	return cmp.Or(g.Options[optionAlgorithm], usual)
}

const leastConnections = "LEAST_CONNECTIONS"

// fits refuses the protocol of a pool to which listeners with a protocol cannot forward.
func fits(listener, pool string) error {
	if i := protocolNamed(listener); i >= 0 && !slices.Contains(protocols[i].pools, pool) {
		return bad("The pool protocol '%s' is invalid while the listener protocol is '%s'.", pool, listener)
	}
	return nil
}

// showPool is a pool as Octavia shows it.
func (t tree) showPool(g simcloud.TargetGroup) pool {
	p := pool{
		common:   t.commonOf(service.Pools.UUID(g.ID), operating(t.LoadBalancer, g), g.Meta, g.Options),
		Protocol: protocolOf(g), Algorithm: t.algorithmOf(g), Persistence: valueIn[*persistence](g.Options, optionPersistence),
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

func listPools(c service.Call) (any, error) {
	all, err := trees(c, ofBalancer(c.Query()))
	if err != nil {
		return nil, err
	}
	var shown []pool
	for _, t := range all {
		for _, g := range t.pools {
			shown = append(shown, t.showPool(g))
		}
	}
	return listed(c, "pools", shown, func(p pool) string { return p.ID })
}

func getPool(c service.Call) (any, error) {
	t, g, err := poolOf(c, c.ID)
	return map[string]any{"pool": t.showPool(g)}, err
}
