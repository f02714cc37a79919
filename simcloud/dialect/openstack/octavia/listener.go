package octavia

import (
	"maps"
	"net/url"
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
	{"TERMINATED_HTTPS", simcloud.ProtocolTLS, []string{"HTTP", "PROXY", "PROXYV2"}},
	{"SCTP", simcloud.ProtocolSCTP, []string{"SCTP"}},
}

// protocolAt is the place of a protocol of the cloud in the list: 0, TCP, for one that Octavia does not have.
func protocolAt(p simcloud.Protocol) int {
	for i, has := range protocols {
		if has.core == p {
			return i
		}
	}
	return 0
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
	for _, p := range t.pools {
		if p.ID == l.TargetGroup {
			pools = append(pools, p)
		}
	}
	shown := listener{
		common: t.commonOf(t.listenerUUID(l), operating(t.LoadBalancer, pools...), meta, l.Options), timeouts: *kept,
		LoadBalancers: []reference{{t.uuid()}}, Protocol: protocols[protocolAt(l.Protocol)].name, ProtocolPort: l.Port,
		ConnectionLimit: numberIn(l.Options, optionLimit, noLimit), DefaultTLSContainerRef: textOrNull(l.Options[optionTLS]),
		SNIContainerRefs: []string{}, InsertHeaders: map[string]string{}, L7Policies: []reference{}, ClientAuthentication: "NONE",
		AllowedCIDRs: slices.Clone(l.AllowedCIDRs),
	}
	maps.Copy(shown.InsertHeaders, valueIn[map[string]string](l.Options, optionHeaders))
	if l.TargetGroup != "" {
		id := service.Pools.UUID(l.TargetGroup)
		shown.DefaultPoolID = &id
	}
	return shown
}

var listenerFilters = []string{"id", "name", "description", "loadbalancer_id", "protocol", "protocol_port", "default_pool_id", "provisioning_status", "operating_status", "project_id"}

func listListeners(c service.Call) (any, error) {
	if err := known(c.Query(), listenerFilters...); err != nil {
		return nil, err
	}
	all, err := trees(c)
	if err != nil {
		return nil, err
	}
	var shown []listener
	for _, t := range all {
		if !service.Matches(c.Query(), "loadbalancer_id", t.uuid()) {
			continue
		}
		for _, l := range t.Listeners {
			if one := t.showListener(l); one.matches(c.Query()) {
				shown = append(shown, one)
			}
		}
	}
	return service.List(c, "listeners", shown, func(l listener) string { return l.ID }, pages)
}

func (l listener) matches(query url.Values) bool {
	pool := ""
	if l.DefaultPoolID != nil {
		pool = *l.DefaultPoolID
	}
	return l.common.matches(query) && matchAll(query, map[string]string{
		"protocol": l.Protocol, "protocol_port": numberText(l.ProtocolPort), "default_pool_id": pool,
	})
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
