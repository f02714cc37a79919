package octavia

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/barbican"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// listenerRequest is a listener to create.
type listenerRequest struct {
	Listener listenerSpec `json:"listener"`
}

type listenerSpec struct {
	listenerChange
	LoadBalancerID string    `json:"loadbalancer_id"`
	Protocol       string    `json:"protocol"`
	ProtocolPort   int       `json:"protocol_port"`
	DefaultPool    *poolSpec `json:"default_pool"`
	ProjectID      string    `json:"project_id"`
}

// listenerChange is what can be changed of a listener: what is not there stays.
type listenerChange struct {
	Name                   *string            `json:"name"`
	Description            *string            `json:"description"`
	AdminStateUp           *bool              `json:"admin_state_up"`
	ConnectionLimit        *int               `json:"connection_limit"`
	DefaultPoolID          change[string]     `json:"default_pool_id"`
	DefaultTLSContainerRef change[string]     `json:"default_tls_container_ref"`
	SNIContainerRefs       change[[]string]   `json:"sni_container_refs"`
	InsertHeaders          *map[string]string `json:"insert_headers"`
	AllowedCIDRs           change[[]string]   `json:"allowed_cidrs"`
	Tags                   *[]string          `json:"tags"`
	ClientData             *int               `json:"timeout_client_data"`
	MemberConnect          *int               `json:"timeout_member_connect"`
	MemberData             *int               `json:"timeout_member_data"`
	TCPInspect             *int               `json:"timeout_tcp_inspect"`
}

// made is a listener of the cloud that is to be created.
type made struct{ simcloud.ListenerSpec }

// forward lets the listener forward to a pool, or without one to nothing: the load balancer has no targets of its own.
func (m *made) forward(pool simcloud.ID) {
	m.TargetGroup, m.TargetPort = pool, 0
	if pool == "" {
		m.TargetPort = m.Port
	}
}

// collides reports whether another listener takes the port.
func (m made) collides(other simcloud.ListenerSpec) bool {
	return m.Port == other.Port && m.Protocol.Shared(other.Protocol) != ""
}

// spec is the listener of the cloud that a request asks for, which forwards to nothing yet.
func (s listenerSpec) spec(provider string) (made, error) {
	i := protocolNamed(s.Protocol)
	if i < 0 {
		return made{}, bad("protocol '%.40s' is not supported: must be one of %v", s.Protocol, protocolNames())
	}
	if s.ProtocolPort < 1 || s.ProtocolPort > maxPort {
		return made{}, bad("protocol_port %d of a listener must be between 1 and %d", s.ProtocolPort, maxPort)
	}
	m := made{simcloud.ListenerSpec{Protocol: protocols[i].core, Port: s.ProtocolPort}}
	m.forward("")
	if err := s.check(provider, s.Protocol); err != nil {
		return m, err
	}
	return m, s.apply(&m.ListenerConfig, s.Protocol)
}

// checkCertificates wants the key manager to have all certificates that the listener refers to: Octavia reads them at once.
func (s listenerChange) checkCertificates(c service.Call) error {
	var missing []string
	for _, ref := range s.certificates() {
		there, err := barbican.IsCertificate(c, ref)
		if err != nil {
			return err
		}
		if !there {
			missing = append(missing, fmt.Sprintf("'%.200s'", ref))
		}
	}
	if len(missing) > 0 {
		return service.Refuse(simcloud.Invalid, service.Code{Status: http.StatusBadRequest}, "Could not retrieve certificate: [%s]", strings.Join(missing, ", "))
	}
	return nil
}

// certificates are what the change refers to.
func (s listenerChange) certificates() []string {
	refs := slices.Clone(s.SNIContainerRefs.or(nil))
	if ref := s.DefaultTLSContainerRef.or(""); ref != "" {
		refs = append(refs, ref)
	}
	return refs
}

// maxPort is the largest port.
const maxPort = 65535

func protocolNamed(name string) int {
	for i, p := range protocols {
		if p.name == name {
			return i
		}
	}
	return -1
}

func protocolNames() []string {
	var names []string
	for _, p := range protocols {
		names = append(names, p.name)
	}
	return names
}

// check judges a change by itself.
func (s listenerChange) check(provider, protocol string) error {
	timed := s.ClientData != nil || s.MemberConnect != nil || s.MemberData != nil || s.TCPInspect != nil
	switch {
	case s.AdminStateUp != nil && !*s.AdminStateUp:
		return unsupported("simcloud does not simulate admin_state_up false")
	case provider == ovn && (timed || len(s.AllowedCIDRs.or(nil)) > 0 || s.InsertHeaders != nil && len(*s.InsertHeaders) > 0):
		return beyondOVN("OVN provider does not support timeouts, allowed_cidrs and insert_headers")
	case s.InsertHeaders != nil && len(*s.InsertHeaders) > 0 && protocol != "HTTP" && protocol != terminated:
		return bad("insert_headers may be used only with the protocols HTTP and TERMINATED_HTTPS")
	case protocol != terminated && len(s.certificates()) > 0:
		return bad("Certificate container references are only allowed on TERMINATED_HTTPS protocol listeners.")
	case s.ConnectionLimit != nil && *s.ConnectionLimit < noLimit:
		return bad("connection_limit is %d: must be -1 or more", *s.ConnectionLimit)
	}
	return checkTexts(s.Name, s.Description, s.Tags)
}

// apply changes the configuration of a listener with a protocol.
func (s listenerChange) apply(config *simcloud.ListenerConfig, protocol string) error {
	kept := copyOptions(config.Options)
	setText(kept, service.OptionName, s.Name)
	setText(kept, optionDescription, s.Description)
	if s.DefaultTLSContainerRef.given {
		kept.text(optionTLS, s.DefaultTLSContainerRef.or(""))
	}
	if s.SNIContainerRefs.given {
		refs := s.SNIContainerRefs.or(nil)
		kept.json(optionSNI, refs, len(refs) == 0)
	}
	if protocol == terminated && kept[optionTLS]+kept[optionSNI] == "" {
		return bad("An SNI or default certificate container reference must be provided for TERMINATED_HTTPS listeners")
	}
	if s.ConnectionLimit != nil {
		kept.number(optionLimit, *s.ConnectionLimit, noLimit)
	}
	if s.InsertHeaders != nil {
		kept.json(optionHeaders, *s.InsertHeaders, len(*s.InsertHeaders) == 0)
	}
	if s.Tags != nil {
		kept.json(optionTags, *s.Tags, len(*s.Tags) == 0)
	}
	if s.AllowedCIDRs.given {
		config.AllowedCIDRs = s.AllowedCIDRs.or(nil)
	}
	limits := cmp.Or(valueIn[timeouts](kept, optionTimeouts), usual)
	set(&limits.ClientData, s.ClientData)
	set(&limits.MemberConnect, s.MemberConnect)
	set(&limits.MemberData, s.MemberData)
	set(&limits.TCPInspect, s.TCPInspect)
	if err := limits.check(); err != nil {
		return err
	}
	kept.json(optionTimeouts, limits, limits == usual)
	config.Options = kept
	return nil
}

// check judges the timeouts of a listener.
func (t timeouts) check() error {
	const day = 86_400_000
	for _, limit := range []struct {
		name string
		n    int
	}{
		{"timeout_client_data", t.ClientData}, {"timeout_member_connect", t.MemberConnect}, {"timeout_member_data", t.MemberData}, {"timeout_tcp_inspect", t.TCPInspect},
	} {
		if limit.n < 0 || limit.n > day {
			return bad("%s is %d: must be between 0 and %d milliseconds", limit.name, limit.n, day)
		}
	}
	return nil
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func setText(kept options, key string, text *string) {
	if text != nil {
		kept.text(key, *text)
	}
}

func createListener(c service.Call, in listenerRequest) (any, *simcloud.Meta, error) {
	spec := in.Listener
	if spec.LoadBalancerID == "" {
		return nil, nil, bad("loadbalancer_id is missing")
	}
	lb := service.LoadBalancers.ID(spec.LoadBalancerID)
	t, err := found(c, lb, spec.LoadBalancerID)
	if err != nil {
		return nil, nil, err
	}
	m, err := spec.spec(t.Options[optionProvider])
	if err != nil {
		return nil, nil, err
	}
	if err := spec.checkCertificates(c); err != nil {
		return nil, nil, err
	}
	if spec.DefaultPool != nil {
		return nil, nil, unsupported("simcloud does not simulate default_pool of a listener that is created by itself: create the pool with its listener_id")
	}
	if err := t.forward(c, &m, spec.DefaultPoolID); err != nil {
		return nil, nil, err
	}
	if _, err := c.Cloud.CreateListener(c.Ctx(), lb, m.ListenerSpec); err != nil {
		return nil, nil, taken(err, spec.ProtocolPort)
	}
	return changedListener(c, lb, simcloud.ListenerID(m.Protocol, m.Port))
}

// taken is the error for a port that has a listener, and every other error itself.
func taken(err error, port int) error {
	if simcloud.CodeOf(err) != simcloud.AlreadyExists {
		return err
	}
	return portTaken(port)
}

func portTaken(port int) error {
	return service.Refuse(simcloud.AlreadyExists, service.Code{Status: http.StatusConflict}, "Another Listener on this Load Balancer is already using protocol_port %d", port)
}

// found is the tree of a load balancer that a body names, which can be changed.
func found(c service.Call, lb simcloud.ID, uuid string) (tree, error) {
	missing := c.Service.Missing(simcloud.KindLoadBalancer, balancerWord, uuid)
	if lb == "" {
		return tree{}, missing
	}
	t, err := treeOf(c, lb)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return t, missing
	}
	if err != nil {
		return t, err
	}
	return t, t.mutable()
}

// forward lets a listener forward to the pool that a request names; null and the empty id are no pool.
func (t tree) forward(c service.Call, m *made, to change[string]) error {
	uuid := to.or("")
	switch pool := t.pool(service.Pools.ID(uuid)); {
	case !to.given:
		return nil
	case uuid == "":
		m.forward("")
		return nil
	case pool == nil:
		return c.Service.Missing(simcloud.KindTargetGroup, poolWord, uuid)
	default:
		m.forward(pool.ID)
		return fits(protocols[protocolAt(m.Protocol)].name, protocolOf(*pool))
	}
}

func changedListener(c service.Call, lb, id simcloud.ID) (any, *simcloud.Meta, error) {
	t, err := treeOf(c, lb)
	if err != nil {
		return nil, nil, err
	}
	l := t.listener(id)
	if l == nil {
		return nil, nil, simcloud.Errorf(simcloud.Internal, simcloud.Ref(simcloud.KindLoadBalancer, lb), "the listener %s is not there", id)
	}
	return map[string]any{"listener": t.showListener(*l)}, &t.Meta, nil
}

// listenerUpdate is the change of a listener.
type listenerUpdate struct {
	Listener listenerChange `json:"listener"`
}

func updateListener(c service.Call, in listenerUpdate) (any, *simcloud.Meta, error) {
	t, l, err := findListener(c, c.UUID)
	if err != nil {
		return nil, nil, err
	}
	if err := t.mutable(); err != nil {
		return nil, nil, err
	}
	change := in.Listener
	protocol := protocols[protocolAt(l.Protocol)].name
	if err := change.check(t.Options[optionProvider], protocol); err != nil {
		return nil, nil, err
	}
	if err := change.checkCertificates(c); err != nil {
		return nil, nil, err
	}
	m := made{simcloud.ListenerSpec{Protocol: l.Protocol, Port: l.Port, ListenerConfig: l.ListenerConfig}}
	if err := t.forward(c, &m, change.DefaultPoolID); err != nil {
		return nil, nil, err
	}
	if err := change.apply(&m.ListenerConfig, protocol); err != nil {
		return nil, nil, err
	}
	if _, err := c.Cloud.UpdateListener(c.Ctx(), t.ID, l.ID, m.ListenerConfig); err != nil {
		return nil, nil, err
	}
	return changedListener(c, t.ID, l.ID)
}

func deleteListener(c service.Call) (any, *simcloud.Meta, error) {
	t, l, err := findListener(c, c.UUID)
	if err != nil {
		return nil, nil, err
	}
	if err := t.mutable(); err != nil {
		return nil, nil, err
	}
	_, err = c.Cloud.DeleteListener(c.Ctx(), t.ID, l.ID)
	return nil, &t.Meta, err
}
