package machine

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// The labels of an instance that say which machine it is: see [control.LabelMistakes].
const (
	LabelNode        = control.LabelNode
	LabelNodeName    = control.LabelNodeName
	LabelNodeIP      = control.LabelNodeIP
	LabelProviderID  = control.LabelProviderID
	LabelPodCIDRs    = control.LabelPodCIDRs
	LabelInitialized = control.LabelInitialized

	// NodeNone is a bare VM, with no Kubernetes on it.
	NodeNone = simcloud.NodeNone
	// NodeHollow is a hollow node: it does in this process what a kubelet would.
	NodeHollow = simcloud.NodeLight
)

// power is what a machine does.
type power string

const (
	powerOff    power = "off"
	powerOn     power = "on"
	powerPaused power = "paused" // suspended: in place, but not running
	powerCut    power = "cut"    // it runs, and cannot be reached
)

// want is what the cloud wants of the machine with one hostname.
type want struct {
	power    power
	instance simcloud.ID
	hollow   bool
	spec     HollowSpec
	// mistakes are what is wrong with the instance's labels: such a machine does not boot.
	mistakes []control.LabelMistake
}

// wantOf says what an instance wants of its machine; false when it has none.
func wantOf(inst simcloud.Instance) (want, bool) {
	kind := inst.Labels[LabelNode]
	if kind == NodeNone {
		return want{}, false
	}
	w := want{power: powerOf(inst), instance: inst.ID, hollow: kind == NodeHollow, mistakes: control.LabelMistakes(inst.Labels)}
	w.spec.Spec = Spec{Name: inst.Hostname, Instance: inst.ID, Addresses: PrivateAddresses(inst), Zone: string(inst.Zone)}
	if ips := inst.Labels[LabelNodeIP]; ips != "" {
		w.spec.NodeIPs = strings.Split(ips, ",")
	}
	if w.hollow {
		w.spec.Name = cmp.Or(inst.Labels[LabelNodeName], inst.Hostname)
		w.spec.ProviderID = inst.Labels[LabelProviderID]
		if cidrs := inst.Labels[LabelPodCIDRs]; cidrs != "" {
			w.spec.PodCIDRs = strings.Split(cidrs, ",")
		}
		w.spec.Initialized = inst.Labels[LabelInitialized] == "true"
	}
	return w, true
}

// PrivateAddresses returns those of an instance, of IPv4 first.
func PrivateAddresses(inst simcloud.Instance) []netip.Addr {
	var addresses []netip.Addr
	for _, a := range inst.Addresses {
		if addr, err := netip.ParseAddr(a.Address); err == nil && a.Scope == simcloud.ScopePrivate {
			addresses = append(addresses, addr)
		}
	}
	slices.SortStableFunc(addresses, func(a, b netip.Addr) int { return cmp.Compare(a.BitLen(), b.BitLen()) })
	return addresses
}

// powerOf says what the machine of an instance does. An instance on its way
// down is down; a migration is not felt. One that runs and cannot be reached,
// since its zone is down, has a machine that is cut off and loses nothing.
func powerOf(inst simcloud.Instance) power {
	switch inst.State {
	case simcloud.InstanceRunning, simcloud.InstanceMigrating:
		if inst.Unreachable {
			return powerCut
		}
		return powerOn
	case simcloud.InstanceSuspended:
		return powerPaused
	default:
		return powerOff
	}
}

// claim is an instance that wants a machine. Instances may share a hostname;
// the machine belongs to the oldest of those that do not want it off.
type claim struct {
	want
	version    uint64 // of the instance, when the claim was made
	rebuilding bool   // its disk is on its way out
}

// fleet is what the cloud wants of all machines, by hostname. It is pure: it
// follows the cloud's changes in their order and says what follows of each.
type fleet map[string][]claim

// order tells the machine with a hostname what to do.
type order struct {
	hostname string
	want     want
	reboot   bool // off and on again
	// discard is the instance whose disk goes, if it is the machine's.
	discard simcloud.ID
	// stays is whether what is wanted is no news.
	stays bool
}

// set takes in an instance as it is now. An instance older than the one
// known is no news.
func (f fleet) set(inst simcloud.Instance) []order {
	claims := f[inst.Hostname]
	i := slices.IndexFunc(claims, func(c claim) bool { return c.instance == inst.ID })
	if i >= 0 && claims[i].version >= inst.Version {
		return nil
	}
	before := wanted(claims)
	w, isMachine := wantOf(inst)
	c := claim{w, inst.Version, inst.State == simcloud.InstanceRebuilding}
	wiped := c.rebuilding && i >= 0 && !claims[i].rebuilding
	switch {
	case i >= 0 && !isMachine:
		claims = slices.Delete(claims, i, i+1)
	case i >= 0:
		claims[i] = c
	case isMachine:
		claims = append(claims, c)
	}
	f[inst.Hostname] = claims
	if wiped {
		return f.discarding(inst.Hostname, before, inst.ID)
	}
	return f.orders(inst.Hostname, before)
}

// remove takes in that an instance is gone.
func (f fleet) remove(id simcloud.ID) []order {
	hostname, i := f.find(id)
	if i < 0 {
		return nil
	}
	before := wanted(f[hostname])
	f[hostname] = slices.Delete(f[hostname], i, i+1)
	return f.discarding(hostname, before, id)
}

// reboot takes in that an instance was rebooted within one change, so that
// its state never showed it.
func (f fleet) reboot(id simcloud.ID) []order {
	hostname, i := f.find(id)
	if i < 0 {
		return nil
	}
	w := wanted(f[hostname])
	if w.instance != id || w.power == powerOff {
		return nil
	}
	return []order{{hostname: hostname, want: w, reboot: true}}
}

// rebuild takes in that an instance was rebuilt within one change.
func (f fleet) rebuild(id simcloud.ID) []order {
	orders := f.reboot(id)
	if hostname, i := f.find(id); i >= 0 && len(orders) == 0 {
		orders = []order{{hostname: hostname, want: wanted(f[hostname]), stays: true}}
	}
	for i := range orders {
		orders[i].discard = id
	}
	return orders
}

// keep removes all instances but these: the rest was deleted unnoticed.
func (f fleet) keep(instances []simcloud.Instance) []order {
	alive := map[simcloud.ID]bool{}
	for _, inst := range instances {
		alive[inst.ID] = true
	}
	var orders []order
	for _, id := range f.instances() {
		if !alive[id] {
			orders = append(orders, f.remove(id)...)
		}
	}
	return orders
}

func (f fleet) instances() []simcloud.ID {
	var ids []simcloud.ID
	for _, claims := range f {
		for _, c := range claims {
			ids = append(ids, c.instance)
		}
	}
	slices.Sort(ids)
	return ids
}

func (f fleet) find(id simcloud.ID) (hostname string, index int) {
	for hostname, claims := range f {
		if i := slices.IndexFunc(claims, func(c claim) bool { return c.instance == id }); i >= 0 {
			return hostname, i
		}
	}
	return "", -1
}

// orders returns what to tell a machine after its claims changed: nothing
// when what is wanted stayed the same.
func (f fleet) orders(hostname string, before want) []order {
	after := wanted(f[hostname])
	if len(f[hostname]) == 0 {
		delete(f, hostname)
	}
	if before.power == after.power && before.instance == after.instance {
		return nil
	}
	return []order{{hostname: hostname, want: after}}
}

// discarding returns what to tell a machine after its claims changed and
// the disk of one of them is to go.
func (f fleet) discarding(hostname string, before want, id simcloud.ID) []order {
	after := wanted(f[hostname])
	orders := f.orders(hostname, before)
	if len(orders) == 0 {
		orders = []order{{hostname: hostname, want: after, stays: true}}
	}
	orders[0].discard = id
	return orders
}

// wanted returns what is wanted of the machine that these claims are for.
func wanted(claims []claim) want {
	for _, c := range claims {
		if c.power != powerOff {
			return c.want
		}
	}
	return want{power: powerOff}
}
