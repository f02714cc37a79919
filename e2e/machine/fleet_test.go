package machine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func instance(id simcloud.ID, hostname string, version uint64, state simcloud.InstanceState, labels ...string) simcloud.Instance {
	inst := simcloud.Instance{Hostname: hostname, State: state}
	inst.ID, inst.Name, inst.Version = id, hostname, version
	for i := 0; i < len(labels); i += 2 {
		if inst.Labels == nil {
			inst.Labels = map[string]string{}
		}
		inst.Labels[labels[i]] = labels[i+1]
	}
	return inst
}

// said returns orders as people would say them.
func said(orders []order) []string {
	var lines []string
	for _, o := range orders {
		line := o.hostname + " " + string(o.want.power)
		if o.want.instance != "" {
			line += " " + string(o.want.instance)
		}
		if o.want.hollow {
			line += " light"
		}
		if o.stays {
			line += " stays"
		}
		if o.reboot {
			line += " reboot"
		}
		if o.discard != "" {
			line += " discard " + string(o.discard)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestFleetOrders(t *testing.T) {
	t.Parallel()
	const (
		running    = simcloud.InstanceRunning
		stopped    = simcloud.InstanceStopped
		pending    = simcloud.InstancePending
		suspended  = simcloud.InstanceSuspended
		migrating  = simcloud.InstanceMigrating
		rebuilding = simcloud.InstanceRebuilding
		terminated = simcloud.InstanceTerminating
	)
	for _, c := range []struct {
		name  string
		steps func(fleet) []order
		want  []string
	}{
		{"a new instance that is not up yet asks for nothing", func(f fleet) []order {
			return f.set(instance("i-1", "a", 1, pending))
		}, nil},
		{"an instance that comes up boots", func(f fleet) []order {
			return append(f.set(instance("i-1", "a", 1, pending)), f.set(instance("i-1", "a", 2, running))...)
		}, []string{"a on i-1"}},
		{"a stop and a start are both orders", func(f fleet) []order {
			orders := f.set(instance("i-1", "a", 1, running))
			orders = append(orders, f.set(instance("i-1", "a", 2, stopped))...)
			return append(orders, f.set(instance("i-1", "a", 3, running))...)
		}, []string{"a on i-1", "a off", "a on i-1"}},
		{"an older version of an instance is no news", func(f fleet) []order {
			return append(f.set(instance("i-1", "a", 5, stopped)), f.set(instance("i-1", "a", 4, running))...)
		}, nil},
		{"a change of labels alone changes nothing", func(f fleet) []order {
			return append(f.set(instance("i-1", "a", 1, running)), f.set(instance("i-1", "a", 2, running, "x", "y"))...)
		}, []string{"a on i-1"}},
		{"an instance that is deleted goes down", func(f fleet) []order {
			return append(f.set(instance("i-1", "a", 1, running)), f.remove("i-1")...)
		}, []string{"a on i-1", "a off discard i-1"}},
		{"a stopped one that is deleted leaves no disk", func(f fleet) []order {
			orders := f.set(instance("i-1", "a", 1, running))
			orders = append(orders, f.set(instance("i-1", "a", 2, stopped))...)
			return append(orders, f.remove("i-1")...)
		}, []string{"a on i-1", "a off", "a off stays discard i-1"}},
		{"a rebuild takes the disk", func(f fleet) []order {
			orders := f.set(instance("i-1", "a", 1, running))
			orders = append(orders, f.set(instance("i-1", "a", 2, rebuilding))...)
			orders = append(orders, f.set(instance("i-1", "a", 3, rebuilding, "x", "y"))...)
			return append(orders, f.set(instance("i-1", "a", 4, running))...)
		}, []string{"a on i-1", "a off discard i-1", "a on i-1"}},
		{"a rebuild within one change", func(f fleet) []order {
			return append(f.set(instance("i-1", "a", 1, running)), f.rebuild("i-1")...)
		}, []string{"a on i-1", "a on i-1 reboot discard i-1"}},
		{"a rebuild of what does not run", func(f fleet) []order {
			return append(f.set(instance("i-1", "a", 1, stopped)), f.rebuild("i-1")...)
		}, []string{"a off stays discard i-1"}},
		{"one that is going down is down", func(f fleet) []order {
			return append(f.set(instance("i-1", "a", 1, running)), f.set(instance("i-1", "a", 2, terminated))...)
		}, []string{"a on i-1", "a off"}},
		{"recreated: the new one takes the place when the old one is gone", func(f fleet) []order {
			orders := f.set(instance("i-1", "a", 1, running))
			orders = append(orders, f.set(instance("i-2", "a", 2, running))...)
			return append(orders, f.remove("i-1")...)
		}, []string{"a on i-1", "a on i-2 discard i-1"}},
		{"of two with one hostname the older has the machine, and the other when that one stops", func(f fleet) []order {
			orders := f.set(instance("i-1", "a", 1, running))
			orders = append(orders, f.set(instance("i-2", "a", 2, running))...)
			orders = append(orders, f.set(instance("i-1", "a", 3, stopped))...)
			return append(orders, f.set(instance("i-1", "a", 4, running))...)
		}, []string{"a on i-1", "a on i-2", "a on i-1"}},
		{"a suspended one is paused, a migration is not felt", func(f fleet) []order {
			orders := f.set(instance("i-1", "a", 1, running))
			orders = append(orders, f.set(instance("i-1", "a", 2, suspended))...)
			orders = append(orders, f.set(instance("i-1", "a", 3, migrating))...)
			return append(orders, f.set(instance("i-1", "a", 4, running))...)
		}, []string{"a on i-1", "a paused i-1", "a on i-1"}},
		{"one whose zone is down is cut off, unless it is off", func(f fleet) []order {
			orders := f.set(instance("i-1", "a", 1, running))
			orders = append(orders, f.set(unreachable(instance("i-1", "a", 2, running)))...)
			orders = append(orders, f.set(instance("i-1", "a", 3, running))...)
			orders = append(orders, f.set(unreachable(instance("i-1", "a", 4, running)))...)
			orders = append(orders, f.set(unreachable(instance("i-1", "a", 5, terminated)))...)
			return orders
		}, []string{"a on i-1", "a cut i-1", "a on i-1", "a cut i-1", "a off"}},
		{"a bare VM has no machine", func(f fleet) []order {
			return f.set(instance("i-1", "a", 1, running, LabelNode, NodeNone))
		}, nil},
		{"a hollow node is one", func(f fleet) []order {
			return f.set(instance("i-1", "a", 1, running, LabelNode, NodeHollow))
		}, []string{"a on i-1 light"}},
		{"a reboot within one change", func(f fleet) []order {
			return append(f.set(instance("i-1", "a", 1, running)), f.reboot("i-1")...)
		}, []string{"a on i-1", "a on i-1 reboot"}},
		{"a reboot of what does not run", func(f fleet) []order {
			return append(f.set(instance("i-1", "a", 1, stopped)), f.reboot("i-1")...)
		}, nil},
		{"what a new list does not show is gone", func(f fleet) []order {
			orders := f.set(instance("i-1", "a", 1, running))
			f.set(instance("i-2", "b", 2, running))
			return append(orders, f.keep([]simcloud.Instance{instance("i-2", "b", 2, running)})...)
		}, []string{"a on i-1", "a off discard i-1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, said(c.steps(fleet{}))); diff != "" {
				t.Errorf("orders (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFleetForgetsWhatIsGone(t *testing.T) {
	t.Parallel()
	f := fleet{}
	f.set(instance("i-1", "a", 1, simcloud.InstanceRunning))
	f.remove("i-1")
	if len(f) != 0 {
		t.Errorf("the fleet still has %v", f)
	}
}

func TestHollowNodeShapesComeFromLabels(t *testing.T) {
	t.Parallel()
	w, ok := wantOf(instance("i-1", "node-1", 1, simcloud.InstanceRunning, LabelNode, NodeHollow,
		LabelNodeName, "Node-1.example", LabelNodeIP, "10.0.0.1,fd00::1", LabelProviderID, "kubemark://node-1",
		LabelPodCIDRs, "10.244.9.0/24,fd00:10:244:9::/64", LabelInitialized, "true"))
	want := HollowSpec{
		Spec: Spec{Name: "Node-1.example", Instance: "i-1", NodeIPs: []string{"10.0.0.1", "fd00::1"}}, ProviderID: "kubemark://node-1",
		PodCIDRs: []string{"10.244.9.0/24", "fd00:10:244:9::/64"}, Initialized: true,
	}
	if diff := cmp.Diff(want, w.spec); !ok || diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

// TestKubeletsObeyNodeIPs: a real kubelet is told the addresses of the label too, and heeds none of the others.
func TestKubeletsObeyNodeIPs(t *testing.T) {
	t.Parallel()
	w, ok := wantOf(instance("i-1", "node-1", 1, simcloud.InstanceRunning, LabelNodeIP, "10.0.0.1,fd00::1"))
	want := HollowSpec{Spec: Spec{Name: "node-1", Instance: "i-1", NodeIPs: []string{"10.0.0.1", "fd00::1"}}}
	if diff := cmp.Diff(want, w.spec); !ok || w.hollow || len(w.mistakes) > 0 || diff != "" {
		t.Errorf("mistakes %v, spec (-want +got):\n%s", w.mistakes, diff)
	}
	w, _ = wantOf(instance("i-1", "node-1", 1, simcloud.InstanceRunning, LabelProviderID, "kubemark://node-1"))
	if len(w.mistakes) != 1 || !strings.Contains(w.mistakes[0].Error(), LabelProviderID+": the label has no effect on a real kubelet") {
		t.Errorf("mistakes %v, want that the providerID has no effect", w.mistakes)
	}
}

func TestApplyReadsEvents(t *testing.T) {
	t.Parallel()
	event := func(revision uint64, kind simcloud.Kind, what simcloud.EventType, id simcloud.ID, object any) simcloud.Event {
		raw, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		return simcloud.Event{Revision: revision, Type: what, Kind: kind, ID: id, Object: raw}
	}
	reboot := simcloud.Operation{Verb: "RebootInstance", State: simcloud.OperationDone, Resource: simcloud.Attachment{Kind: simcloud.KindInstance, ID: "i-1"}}
	f := fleet{}
	var got []string
	for _, ev := range []simcloud.Event{
		event(1, simcloud.KindInstance, simcloud.Created, "i-1", instance("i-1", "a", 1, simcloud.InstanceRunning)),
		event(2, simcloud.KindNetwork, simcloud.Created, "net-2", simcloud.Network{}),
		event(3, simcloud.KindOperation, simcloud.Created, "op-3", reboot),
		event(4, simcloud.KindInstance, simcloud.Deleted, "i-1", instance("i-1", "a", 3, simcloud.InstanceTerminating)),
	} {
		orders, err := f.apply(ev)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, said(orders)...)
	}
	if diff := cmp.Diff([]string{"a on i-1", "a on i-1 reboot", "a off discard i-1"}, got); diff != "" {
		t.Errorf("orders (-want +got):\n%s", diff)
	}
}
