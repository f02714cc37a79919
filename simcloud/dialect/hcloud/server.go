package hcloud

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"net/netip"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// server is an instance of the cloud.
type server struct {
	ID              int64             `json:"id"`
	Name            string            `json:"name"`
	Status          string            `json:"status"`
	Created         time.Time         `json:"created"`
	PublicNet       serverPublicNet   `json:"public_net"`
	PrivateNet      []privateNet      `json:"private_net"`
	ServerType      serverType        `json:"server_type"`
	Location        location          `json:"location"`
	Image           *string           `json:"image"`
	ISO             *string           `json:"iso"`
	PlacementGroup  *string           `json:"placement_group"`
	BackupWindow    *string           `json:"backup_window"`
	IncludedTraffic int64             `json:"included_traffic"`
	OutgoingTraffic *int64            `json:"outgoing_traffic"`
	IngoingTraffic  *int64            `json:"ingoing_traffic"`
	RescueEnabled   bool              `json:"rescue_enabled"`
	Locked          bool              `json:"locked"`
	Protection      serverProtection  `json:"protection"`
	Labels          map[string]string `json:"labels"`
	Volumes         []int64           `json:"volumes"`
	PrimaryDiskSize int               `json:"primary_disk_size"`
	LoadBalancers   []int64           `json:"load_balancers"`
}

type serverProtection struct {
	Delete  bool `json:"delete"`
	Rebuild bool `json:"rebuild"`
}

type serverPublicNet struct {
	IPv4        *serverIPv4 `json:"ipv4"`
	IPv6        *serverIPv6 `json:"ipv6"`
	FloatingIPs []int64     `json:"floating_ips"`
	Firewalls   []any       `json:"firewalls"`
}

type serverIPv4 struct {
	ID      int64   `json:"id"`
	IP      string  `json:"ip"`
	Blocked bool    `json:"blocked"`
	DNSPtr  *string `json:"dns_ptr"`
}

type serverIPv6 struct {
	ID      int64  `json:"id"`
	IP      string `json:"ip"` // a network of 64 bits
	Blocked bool   `json:"blocked"`
	DNSPtr  []ptr  `json:"dns_ptr"`
}

type privateNet struct {
	Network    int64    `json:"network"`
	IP         string   `json:"ip"`
	AliasIPs   []string `json:"alias_ips"`
	MACAddress string   `json:"mac_address"`
}

// serverBits is the size of the IPv6 network of a server, whose first address is the server's.
const serverBits = 64

// includedTraffic is what traffic is free, in bytes: 20 TB.
const includedTraffic = 20 << 40

// statusOfInstance is what Hetzner calls the state of an instance. One that starts again
// has been updated since it was created.
func statusOfInstance(i simcloud.Instance) string {
	switch i.State {
	case simcloud.InstancePending:
		return "initializing"
	case simcloud.InstanceRunning, simcloud.InstanceRebooting:
		return "running"
	case simcloud.InstanceStopping:
		return "stopping"
	case simcloud.InstanceStopped:
		return "off"
	case simcloud.InstanceRebuilding:
		return "rebuilding"
	case simcloud.InstanceMigrating:
		return "migrating"
	case simcloud.InstanceTerminating:
		return "deleting"
	case simcloud.InstanceError:
		return "unknown"
	default:
		return "unknown"
	}
}

// around is what servers refer to.
type around struct {
	zones         map[simcloud.ID]simcloud.Zone
	types         map[simcloud.ID]simcloud.InstanceType
	loadBalancers map[simcloud.ID][]int64
	floatingIPs   map[simcloud.ID][]int64
	// starts are the instances that start again.
	starts map[simcloud.ID]bool
}

func newAround() around {
	return around{
		zones: map[simcloud.ID]simcloud.Zone{}, types: map[simcloud.ID]simcloud.InstanceType{},
		loadBalancers: map[simcloud.ID][]int64{}, floatingIPs: map[simcloud.ID][]int64{}, starts: map[simcloud.ID]bool{},
	}
}

// aroundOne reads what one server refers to, and no more.
func (c call) aroundOne(ctx context.Context, i simcloud.Instance) (around, error) {
	a := newAround()
	var err error
	if a.zones[i.Zone], err = c.cloud.GetZone(ctx, i.Zone); err != nil {
		return a, err
	}
	if a.types[i.Type], err = c.cloud.GetInstanceType(ctx, i.Type); err != nil {
		return a, err
	}
	if err := c.leadingToOne(ctx, i.ID, a); err != nil {
		return a, err
	}
	return a, c.starting(ctx, []simcloud.Instance{i}, a)
}

// around reads what servers refer to.
func (c call) around(ctx context.Context, instances []simcloud.Instance) (around, error) {
	a := newAround()
	zones, err := all(ctx, c.cloud.ListZones)
	if err != nil {
		return a, err
	}
	for _, zone := range zones {
		a.zones[zone.ID] = zone
	}
	types, err := all(ctx, c.cloud.ListInstanceTypes)
	if err != nil {
		return a, err
	}
	for _, t := range types {
		a.types[t.ID] = t
	}
	if err := c.leadingTo(ctx, "", a); err != nil {
		return a, err
	}
	return a, c.starting(ctx, instances, a)
}

// leadingToOne finds what leads to one server. It needs no more than the ids, where the cloud has those alone.
func (c call) leadingToOne(ctx context.Context, server simcloud.ID, a around) error {
	to := simcloud.Ref(simcloud.KindInstance, server)
	t, ok := c.cloud.(simcloud.Transactor)
	if !ok {
		return c.leadingTo(ctx, to, a)
	}
	lbs, ok, err := t.Referring(ctx, simcloud.KindLoadBalancer, to)
	if err != nil {
		return err
	}
	if !ok {
		return c.leadingTo(ctx, to, a)
	}
	fips, ok, err := t.Referring(ctx, simcloud.KindFloatingIP, to)
	if err != nil {
		return err
	}
	if !ok {
		return c.leadingTo(ctx, to, a)
	}
	a.loadBalancers[server], a.floatingIPs[server] = each(lbs, numberOf), each(fips, numberOf)
	return nil
}

// leadingTo reads what leads to servers, or to the one that is named.
func (c call) leadingTo(ctx context.Context, one string, a around) error {
	opts := simcloud.ListOptions{PageSize: simcloud.MaxPageSize, RefersTo: one}
	lbs, err := simcloud.ListAll(ctx, c.cloud.ListLoadBalancers, opts)
	if err != nil {
		return err
	}
	for _, lb := range lbs {
		for _, target := range lb.Targets { // those that are addresses lead to no server
			a.loadBalancers[target.Instance] = append(a.loadBalancers[target.Instance], numberOf(lb.ID))
		}
	}
	fips, err := simcloud.ListAll(ctx, c.cloud.ListFloatingIPs, opts)
	if err != nil {
		return err
	}
	for _, fip := range fips {
		if to := fip.AttachedTo; to.Kind == simcloud.KindInstance {
			a.floatingIPs[to.ID] = append(a.floatingIPs[to.ID], numberOf(fip.ID))
		}
	}
	return nil
}

// starting finds the pending instances that start, and are not made.
func (c call) starting(ctx context.Context, instances []simcloud.Instance, a around) error {
	for _, i := range instances {
		if i.State != simcloud.InstancePending || i.Operation == "" {
			continue
		}
		op, err := c.cloud.GetOperation(ctx, i.Operation)
		if err != nil && simcloud.CodeOf(err) != simcloud.NotFound {
			return err
		}
		a.starts[i.ID] = op.Verb == "StartInstance"
	}
	return nil
}

// server is an instance as Hetzner shows it.
func (a around) server(i simcloud.Instance) server {
	s := server{
		ID: numberOf(i.ID), Name: i.Name, Status: statusOfInstance(i), Created: i.Created,
		PublicNet: serverPublicNet{FloatingIPs: numbers(a.floatingIPs[i.ID]), Firewalls: []any{}}, PrivateNet: []privateNet{},
		ServerType: serverTypeOf(a.types[i.Type]), Location: locationOf(a.zones[i.Zone]), IncludedTraffic: includedTraffic,
		Locked: i.Operation != "", Protection: serverProtection{i.Protected, i.Protected}, Labels: shown(i.Labels),
		Volumes: each(i.Volumes, numberOf), PrimaryDiskSize: diskGB, LoadBalancers: numbers(a.loadBalancers[i.ID]),
	}
	if a.starts[i.ID] {
		s.Status = "starting"
	}
	for _, address := range i.Addresses {
		s.addAddress(i, address)
	}
	return s
}

func numbers(of []int64) []int64 { return append([]int64{}, of...) }

// addAddress adds an address of the instance. The first IPv4 address of a network is the server's there, the
// others are aliases.
func (s *server) addAddress(i simcloud.Instance, a simcloud.Address) {
	addr, err := netip.ParseAddr(a.Address)
	if err != nil {
		return
	}
	id := numberOfName(a.Address)
	switch {
	case a.Scope == simcloud.ScopePublic && addr.Is4() && s.PublicNet.IPv4 == nil:
		s.PublicNet.IPv4 = &serverIPv4{ID: id, IP: a.Address, DNSPtr: ptrOf(a.PTR)}
	case a.Scope == simcloud.ScopePublic && addr.Is6() && s.PublicNet.IPv6 == nil:
		s.PublicNet.IPv6 = &serverIPv6{ID: id, IP: netip.PrefixFrom(addr, serverBits).Masked().String(), DNSPtr: []ptr{}}
		if a.PTR != "" {
			s.PublicNet.IPv6.DNSPtr = append(s.PublicNet.IPv6.DNSPtr, ptr{a.Address, &a.PTR})
		}
	case a.Scope == simcloud.ScopePublic || addr.Is6(): // no network of Hetzner has IPv6
	default:
		s.addPrivateAddress(numberOf(cmp.Or(a.Network, i.Network)), a.Address)
	}
}

func (s *server) addPrivateAddress(network int64, address string) {
	at := slices.IndexFunc(s.PrivateNet, func(p privateNet) bool { return p.Network == network })
	if at < 0 {
		s.PrivateNet = append(s.PrivateNet, privateNet{Network: network, IP: address, AliasIPs: []string{}, MACAddress: macOf(address)})
		return
	}
	s.PrivateNet[at].AliasIPs = append(s.PrivateNet[at].AliasIPs, address)
}

// macOf derives the address of a network card from that of the network.
func macOf(address string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(address)) // never fails
	n := h.Sum32()
	return fmt.Sprintf("86:00:%02x:%02x:%02x:%02x", byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

func (c call) listServers() (edge.Reply, error) {
	var keep func(simcloud.Instance) bool
	if wanted := c.r.URL.Query()["status"]; len(wanted) > 0 {
		keep = func(i simcloud.Instance) bool { return slices.Contains(wanted, statusOfInstance(i)) }
	}
	return list(c, "servers", c.cloud.ListInstances, func(part []simcloud.Instance) (any, error) {
		a, err := c.around(c.ctx(), part)
		return each(part, a.server), err
	}, keep)
}

func (c call) getServer() (edge.Reply, error) {
	instance, err := c.cloud.GetInstance(c.ctx(), c.id)
	if err != nil {
		return edge.Reply{}, err
	}
	return c.serverReply(200, instance)
}

// serverReply answers one server.
func (c call) serverReply(status int, instance simcloud.Instance) (edge.Reply, error) {
	a, err := c.aroundOne(c.ctx(), instance)
	reply := answered(status, "server", a.server(instance))
	reply.Meta = &instance.Meta
	return reply, err
}
