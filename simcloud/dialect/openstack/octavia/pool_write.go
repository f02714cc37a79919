package octavia

import (
	"net/http"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// poolRequest is a pool to create.
type poolRequest struct {
	Pool poolSpec `json:"pool"`
}

type poolSpec struct {
	poolChange
	Protocol       string        `json:"protocol"`
	ListenerID     string        `json:"listener_id"`
	LoadBalancerID string        `json:"loadbalancer_id"`
	ProjectID      string        `json:"project_id"`
	Members        []memberSpec  `json:"members"`
	HealthMonitor  *monitorAttrs `json:"healthmonitor"`
}

// poolChange is what can be changed of a pool: what is not there stays.
type poolChange struct {
	Name         *string             `json:"name"`
	Description  *string             `json:"description"`
	AdminStateUp *bool               `json:"admin_state_up"`
	Algorithm    *string             `json:"lb_algorithm"`
	Persistence  change[persistence] `json:"session_persistence"`
	TLSEnabled   *bool               `json:"tls_enabled"`
	Tags         *[]string           `json:"tags"`
}

var algorithms = []string{"ROUND_ROBIN", leastConnections, "SOURCE_IP", "SOURCE_IP_PORT"}

// check judges a change of a pool with a protocol by itself.
func (s poolChange) check(provider, protocol string) error {
	switch {
	case s.AdminStateUp != nil && !*s.AdminStateUp || s.TLSEnabled != nil && *s.TLSEnabled:
		return unsupported("simcloud does not simulate admin_state_up false and tls_enabled true of pools")
	case s.Algorithm != nil && !slices.Contains(algorithms, *s.Algorithm):
		return bad("lb_algorithm '%.40s' is not supported: must be one of %v", *s.Algorithm, algorithms)
	case s.Algorithm != nil && provider == ovn && *s.Algorithm != "SOURCE_IP_PORT":
		return beyondOVN("OVN provider does not support %s algorithm", *s.Algorithm)
	}
	if err := s.Persistence.or(persistence{}).check(protocol); err != nil {
		return err
	}
	return checkTexts(s.Name, s.Description, s.Tags)
}

// check judges the persistence of a pool with a protocol. The empty one stands for no persistence.
func (p persistence) check(protocol string) error {
	named := p.CookieName != nil && *p.CookieName != ""
	switch {
	case p == persistence{}:
		return nil
	case p.Type != sourceIP && p.Type != "HTTP_COOKIE" && p.Type != appCookie:
		return bad("session_persistence type '%.40s' is not supported: must be SOURCE_IP, HTTP_COOKIE or APP_COOKIE", p.Type)
	case p.Type != sourceIP && (protocol == udp || protocol == sctp):
		return bad("session_persistence of type %s can only be used with pools of other protocols than UDP and SCTP", p.Type)
	case named != (p.Type == appCookie):
		return bad("session_persistence must have a cookie_name with type APP_COOKIE, and none with other types")
	}
	return nil
}

// apply changes the options of a pool, and returns its name in the cloud.
func (s poolChange) apply(kept options, name string) string {
	if s.Name != nil {
		name = service.KeepName(*s.Name, "pool", kept)
	}
	setText(kept, optionDescription, s.Description)
	setText(kept, optionAlgorithm, s.Algorithm)
	if s.Persistence.given {
		kept.json(optionPersistence, s.Persistence.value, s.Persistence.or(persistence{}).Type == "")
	}
	if s.Tags != nil {
		kept.json(optionTags, *s.Tags, len(*s.Tags) == 0)
	}
	return name
}

// create makes the pool of a listener with a protocol, in a network; of is the load balancer, if there is one.
func (s poolSpec) create(c service.Call, network simcloud.ID, provider, listener string, of simcloud.ID) (simcloud.TargetGroup, error) {
	protocol, ok := poolProtocols[s.Protocol]
	if !ok {
		return simcloud.TargetGroup{}, bad("protocol '%.40s' of the pool is not supported: must be TCP, UDP, HTTP, HTTPS, PROXY, PROXYV2 or SCTP", s.Protocol)
	}
	if err := fits(listener, s.Protocol); err != nil {
		return simcloud.TargetGroup{}, err
	}
	if s.Algorithm == nil {
		return simcloud.TargetGroup{}, bad("lb_algorithm is missing: must be one of %v", algorithms)
	}
	if err := s.check(provider, s.Protocol); err != nil {
		return simcloud.TargetGroup{}, err
	}
	kept := options{optionProtocol: s.Protocol}
	spec := simcloud.TargetGroupSpec{
		Name: s.apply(kept, "pool"), Network: network, Protocol: protocol, Port: anyPort,
		ProxyProtocol: s.Protocol == proxy || s.Protocol == proxyV2, PartOf: of, Options: kept,
	}
	targets, err := targetsOf(c, simcloud.TargetGroup{Network: network}, s.Members)
	if err != nil {
		return simcloud.TargetGroup{}, err
	}
	spec.Targets = targets
	if s.HealthMonitor != nil {
		if err := s.HealthMonitor.put(kept, keptMonitor{}, provider, s.Protocol); err != nil {
			return simcloud.TargetGroup{}, err
		}
		spec.HealthCheck = checkOf(kept, targets)
	}
	result, err := c.Cloud.CreateTargetGroup(c.Ctx(), spec)
	return result.Resource, err
}

// anyPort is the port of all groups: each member has its own.
const anyPort = 1

func createPool(c service.Call, in poolRequest) (any, *simcloud.Meta, error) {
	spec := in.Pool
	t, l, err := spec.place(c)
	if err != nil {
		return nil, nil, err
	}
	if l != nil && l.TargetGroup != "" {
		return nil, nil, service.Refuse(simcloud.AlreadyExists, service.Code{Status: http.StatusConflict}, "Listener %s already has a default pool", t.listenerUUID(*l))
	}
	listener := ""
	if l != nil {
		listener = protocols[protocolAt(l.Protocol)].name
	}
	made, err := spec.create(c, t.Network, t.Options[optionProvider], listener, t.ID)
	if err != nil {
		return nil, nil, err
	}
	if err := t.join(c, l, made.ID); err != nil {
		return nil, nil, err
	}
	return changedPool(c, made.ID)
}

// place is the load balancer of a new pool, and the listener that is to forward to it; nil for none.
func (s poolSpec) place(c service.Call) (tree, *simcloud.Listener, error) {
	switch {
	case s.ListenerID == "" && s.LoadBalancerID == "":
		return tree{}, nil, bad("Must provide at least one of: listener_id, loadbalancer_id.")
	case s.ListenerID == "":
		t, err := found(c, service.LoadBalancers.ID(s.LoadBalancerID), s.LoadBalancerID)
		return t, nil, err
	}
	t, l, err := findListener(c, s.ListenerID)
	if err != nil {
		return t, nil, err
	}
	return t, &l, t.mutable()
}

// join lets a listener, if there is one, forward to a pool. It makes the load balancer busy in any case.
func (t tree) join(c service.Call, l *simcloud.Listener, pool simcloud.ID) error {
	t, err := treeOf(c, t.ID) // with the pool
	if err != nil {
		return err
	}
	if l != nil {
		m := made{simcloud.ListenerSpec{Port: l.Port, ListenerConfig: l.ListenerConfig}}
		m.forward(pool)
		if _, err := c.Cloud.UpdateListener(c.Ctx(), t.ID, l.ID, m.ListenerConfig); err != nil {
			return err
		}
	}
	return t.touched(c)
}

func changedPool(c service.Call, id simcloud.ID) (any, *simcloud.Meta, error) {
	t, g, err := poolOf(c, id)
	return map[string]any{"pool": t.showPool(g)}, &g.Meta, err
}

// poolUpdate is the change of a pool.
type poolUpdate struct {
	Pool poolChange `json:"pool"`
}

func updatePool(c service.Call, in poolUpdate) (any, *simcloud.Meta, error) {
	t, g, err := mutablePool(c, c.ID)
	if err != nil {
		return nil, nil, err
	}
	if err := in.Pool.check(t.Options[optionProvider], protocolOf(g)); err != nil {
		return nil, nil, err
	}
	kept := copyOptions(g.Options)
	name := in.Pool.apply(kept, g.Name)
	plain := map[string]string(kept)
	if err := changePool(c, t, simcloud.TargetGroupUpdate{Name: &name, Options: &plain}, g.ID); err != nil {
		return nil, nil, err
	}
	return changedPool(c, g.ID)
}

// mutablePool is poolOf for a pool whose load balancer can be changed.
func mutablePool(c service.Call, id simcloud.ID) (tree, simcloud.TargetGroup, error) {
	t, g, err := poolOf(c, id)
	if err != nil {
		return t, g, err
	}
	return t, g, t.mutable()
}

// changePool changes a pool, and makes its load balancer busy.
func changePool(c service.Call, t tree, update simcloud.TargetGroupUpdate, id simcloud.ID) error {
	if _, err := c.Cloud.UpdateTargetGroup(c.Ctx(), id, update); err != nil {
		return err
	}
	t, err := treeOf(c, t.ID) // with the change
	if err != nil {
		return err
	}
	return t.touched(c)
}

func deletePool(c service.Call) (any, *simcloud.Meta, error) {
	t, g, err := mutablePool(c, c.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range t.listenersOf(g.ID) {
		m := made{simcloud.ListenerSpec{Port: l.Port, ListenerConfig: l.ListenerConfig}}
		m.forward("")
		if _, err := c.Cloud.UpdateListener(c.Ctx(), t.ID, l.ID, m.ListenerConfig); err != nil {
			return nil, nil, err
		}
	}
	if _, err := c.Cloud.DeleteTargetGroup(c.Ctx(), g.ID); err != nil {
		return nil, nil, err
	}
	left, err := treeOf(c, t.ID)
	if err != nil {
		return nil, nil, err
	}
	return nil, &g.Meta, left.touched(c)
}
