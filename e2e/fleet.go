package e2e

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The labels of an instance that say which machine it is.
const (
	// LabelNode says what runs on the instance: a kubelet when there is no
	// such label, NodeNone or NodeLight.
	LabelNode = "sim.simcloud.dev/node"
	// LabelNodeName names the Node of a light node, when it is not the hostname.
	LabelNodeName = "sim.simcloud.dev/node-name"
	// LabelNodeIP is the address, or two separated by a comma, that a light
	// node was told with --node-ip: it becomes the annotation alpha.kubernetes.io/provided-node-ip.
	LabelNodeIP = "sim.simcloud.dev/node-ip"
	// LabelProviderID is the providerID that a light node registers with.
	LabelProviderID = "sim.simcloud.dev/provider-id"

	// NodeNone is a bare VM, with no Kubernetes on it.
	NodeNone = "none"
	// NodeLight is a light node: it does in this process what a kubelet would.
	NodeLight = "light"
)

// power is what a machine does.
type power string

const (
	powerOff    power = "off"
	powerOn     power = "on"
	powerPaused power = "paused" // suspended or unreachable: in place, but not running
)

// want is what the cloud wants of the machine with one hostname.
type want struct {
	power    power
	instance simcloud.ID
	light    bool
	spec     LightSpec
}

// wantOf says what an instance wants of its machine; false when it has none.
func wantOf(inst simcloud.Instance) (want, bool) {
	kind := inst.Labels[LabelNode]
	if kind == NodeNone {
		return want{}, false
	}
	w := want{power: powerOf(inst), instance: inst.ID, light: kind == NodeLight}
	w.spec.Name = inst.Hostname
	if w.light {
		w.spec.Name = cmp.Or(inst.Labels[LabelNodeName], inst.Hostname)
		w.spec.ProviderID = inst.Labels[LabelProviderID]
		if ips := inst.Labels[LabelNodeIP]; ips != "" {
			w.spec.NodeIPs = strings.Split(ips, ",")
		}
	}
	return w, true
}

// powerOf says what the machine of an instance does. An instance on its way
// down is down; a migration is not felt. One that runs and cannot be reached,
// since its zone is down, has a machine that says nothing and loses nothing.
func powerOf(inst simcloud.Instance) power {
	switch inst.State {
	case simcloud.InstanceRunning, simcloud.InstanceMigrating:
		if inst.Unreachable {
			return powerPaused
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
	version uint64 // of the instance, when the claim was made
}

// fleet is what the cloud wants of all machines, by hostname. It is pure: it
// follows the cloud's changes in their order and says what follows of each.
type fleet map[string][]claim

// order tells the machine with a hostname what to do.
type order struct {
	hostname string
	want     want
	reboot   bool // off and on again
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
	switch {
	case i >= 0 && !isMachine:
		claims = slices.Delete(claims, i, i+1)
	case i >= 0:
		claims[i] = claim{w, inst.Version}
	case isMachine:
		claims = append(claims, claim{w, inst.Version})
	}
	f[inst.Hostname] = claims
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
	return f.orders(hostname, before)
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
	return []order{{hostname, w, true}}
}

// keep removes all instances but these: the rest went while nobody looked.
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

// wanted returns what is wanted of the machine that these claims are for.
func wanted(claims []claim) want {
	for _, c := range claims {
		if c.power != powerOff {
			return c.want
		}
	}
	return want{power: powerOff}
}
