package octavia

import (
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// listener is a listener as Octavia shows it.
type listener struct {
	common
	timeouts
	LoadBalancers          []reference       `json:"loadbalancers"`
	Protocol               string            `json:"protocol"`
	ProtocolPort           int               `json:"protocol_port"`
	ConnectionLimit        int               `json:"connection_limit"`
	DefaultPoolID          *string           `json:"default_pool_id"`
	DefaultTLSContainerRef *string           `json:"default_tls_container_ref"`
	SNIContainerRefs       []string          `json:"sni_container_refs"`
	InsertHeaders          map[string]string `json:"insert_headers"`
	AllowedCIDRs           []string          `json:"allowed_cidrs"` // null: all
	L7Policies             []reference       `json:"l7policies"`
	ClientAuthentication   string            `json:"client_authentication"`
	ClientCAContainerRef   *string           `json:"client_ca_tls_container_ref"`
	ClientCRLContainerRef  *string           `json:"client_crl_container_ref"`
	TLSCiphers             *string           `json:"tls_ciphers"`
	TLSVersions            []string          `json:"tls_versions"`
	ALPNProtocols          []string          `json:"alpn_protocols"`
	HSTSMaxAge             *int              `json:"hsts_max_age"`
	HSTSIncludeSubdomains  bool              `json:"hsts_include_subdomains"`
	HSTSPreload            bool              `json:"hsts_preload"`
}

// timeouts are those of a listener, in milliseconds.
type timeouts struct {
	ClientData    int `json:"timeout_client_data"`
	MemberConnect int `json:"timeout_member_connect"`
	MemberData    int `json:"timeout_member_data"`
	TCPInspect    int `json:"timeout_tcp_inspect"`
}

// usual are the timeouts of a listener that does not say.
var usual = timeouts{50000, 5000, 50000, 0}

// terminated is the protocol of listeners that have a certificate.
const terminated = "TERMINATED_HTTPS"

// noLimit is the limit of connections of a listener that does not say.
const noLimit = -1

// protocols are those that a listener can have, in the order in which ids count them.
var protocols = []struct {
	name string
	core simcloud.Protocol
	// pools are the protocols of pools that it can forward to.
	pools []string
}{
	{"TCP", simcloud.ProtocolTCP, []string{"HTTP", "HTTPS", "PROXY", "PROXYV2", "TCP"}},
	{"UDP", simcloud.ProtocolUDP, []string{"UDP"}},
	{"HTTP", simcloud.ProtocolHTTP, []string{"HTTP", "PROXY", "PROXYV2"}},
	{"HTTPS", simcloud.ProtocolHTTPS, []string{"HTTPS", "PROXY", "PROXYV2", "TCP"}},
	{terminated, simcloud.ProtocolTLS, []string{"HTTP", "PROXY", "PROXYV2"}},
	{"SCTP", simcloud.ProtocolSCTP, []string{"SCTP"}},
}

// protocolAt is the place of a protocol of the cloud in the list; -1 for one that Octavia does not have.
func protocolAt(p simcloud.Protocol) int {
	for i, has := range protocols {
		if has.core == p {
			return i
		}
	}
	return -1
}

// listenerUUID is the id of a listener.
func (t tree) listenerUUID(l simcloud.Listener) string {
	return service.Listeners.UUIDOfPort(t.ID, l.Port, protocolAt(l.Protocol))
}

// listenerIn is the id in the cloud of a listener of a load balancer, by its id in Octavia.
func listenerIn(uuid string) (lb, listener simcloud.ID) {
	lb, port, protocol := service.Listeners.IDOfPort(uuid)
	if lb == "" || protocol >= len(protocols) {
		return "", ""
	}
	return lb, simcloud.ListenerID(protocols[protocol].core, port)
}

// showListener is a listener as Octavia shows it.
func (t tree) showListener(l simcloud.Listener) listener {
	kept := valueIn[*timeouts](l.Options, optionTimeouts)
	if kept == nil {
		kept = &usual
	}
	meta := simcloud.Meta{Created: t.Created, Updated: t.Created}
	var pools []simcloud.TargetGroup
	if p := t.pool(l.TargetGroup); p != nil {
		pools = append(pools, *p)
	}
	shown := listener{
		common: t.commonOf(t.listenerUUID(l), operating(t.LoadBalancer, pools...), meta, l.Options), timeouts: *kept,
		LoadBalancers: []reference{{t.uuid()}}, Protocol: protocols[protocolAt(l.Protocol)].name, ProtocolPort: l.Port,
		ConnectionLimit: numberIn(l.Options, optionLimit, noLimit), DefaultTLSContainerRef: textOrNull(l.Options[optionTLS]),
		SNIContainerRefs: listIn(l.Options, optionSNI), InsertHeaders: map[string]string{}, L7Policies: []reference{}, ClientAuthentication: "NONE",
		AllowedCIDRs: slices.Clone(l.AllowedCIDRs),
	}
	maps.Copy(shown.InsertHeaders, valueIn[map[string]string](l.Options, optionHeaders))
	for _, p := range pools { // not a group that another client has made: it is no pool
		id := service.Pools.UUID(p.ID)
		shown.DefaultPoolID = &id
	}
	return shown
}

func listListeners(c service.Call) (any, error) {
	all, err := trees(c, ofBalancer(c.Query()))
	if err != nil {
		return nil, err
	}
	var shown []listener
	for _, t := range all {
		for _, l := range t.Listeners {
			shown = append(shown, t.showListener(l))
		}
	}
	return listed(c, "listeners", shown, func(l listener) string { return l.ID })
}

// findListener reads the listener that a path names, and the tree that it is in.
func findListener(c service.Call, uuid string) (tree, simcloud.Listener, error) {
	missing := c.Service.Missing(simcloud.KindLoadBalancer, listenerWord, uuid)
	lb, id := listenerIn(uuid)
	if lb == "" {
		return tree{}, simcloud.Listener{}, missing
	}
	t, err := treeOf(c, lb)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		err = missing
	}
	if err != nil {
		return t, simcloud.Listener{}, err
	}
	l := t.listener(id)
	if l == nil {
		return t, simcloud.Listener{}, missing
	}
	return t, *l, nil
}

func getListener(c service.Call) (any, error) {
	t, l, err := findListener(c, c.UUID)
	if err != nil {
		return nil, err
	}
	return map[string]any{"listener": t.showListener(l)}, nil
}
