package node

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestMatchName(t *testing.T) {
	t.Parallel()
	inst := func(id, name, hostname string) simcloud.Instance {
		return simcloud.Instance{Meta: simcloud.Meta{ID: simcloud.ID(id), Name: name}, Hostname: hostname, State: simcloud.InstanceRunning}
	}
	dying := func(i simcloud.Instance) simcloud.Instance {
		i.State = simcloud.InstanceTerminating
		return i
	}
	for _, c := range []struct {
		name, node string
		all        []simcloud.Instance
		want       string // an id, or "gone", or "error"
	}{
		{"hostname", "web", []simcloud.Instance{inst("i-1", "x", "db"), inst("i-2", "y", "web")}, "i-2"},
		{"hostname before name", "web", []simcloud.Instance{inst("i-1", "web", "db"), inst("i-2", "db", "web")}, "i-2"},
		{"name", "web", []simcloud.Instance{inst("i-1", "web", "ip-10-0-0-1")}, "i-1"},
		{"case", "web", []simcloud.Instance{inst("i-1", "x", "Web")}, "i-1"},
		{"exact before case", "web", []simcloud.Instance{inst("i-1", "x", "WEB"), inst("i-2", "y", "web")}, "i-2"},
		{"two with one hostname", "web", []simcloud.Instance{inst("i-1", "x", "web"), inst("i-2", "y", "web")}, "error"},
		{"two that differ in case", "web", []simcloud.Instance{inst("i-1", "x", "Web"), inst("i-2", "y", "WEB")}, "error"},
		{"full name of the instance", "web", []simcloud.Instance{inst("i-1", "x", "web.example.org")}, "i-1"},
		{"full name of the node", "web.example.org", []simcloud.Instance{inst("i-1", "x", "web")}, "i-1"},
		{"another domain", "web.example.org", []simcloud.Instance{inst("i-1", "x", "web.example.com")}, "gone"},
		{"two domains", "web", []simcloud.Instance{inst("i-1", "x", "web.a"), inst("i-2", "y", "web.b")}, "error"},
		{"none", "web", []simcloud.Instance{inst("i-1", "x", "web-2")}, "gone"},
		{"the successor of one that goes", "web", []simcloud.Instance{dying(inst("i-1", "x", "web")), inst("i-2", "y", "web")}, "i-2"},
		{"one that goes is still there", "web", []simcloud.Instance{dying(inst("i-1", "x", "web"))}, "i-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found, err := matchName(c.node, c.all)
			got := string(found.ID)
			switch {
			case call.IsGone(err):
				got = "gone"
			case err != nil:
				got = "error"
			}
			if got != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

// oneInstance answers every question with the same instance.
type oneInstance struct {
	InstanceAPI
	inst simcloud.Instance
}

func (o oneInstance) GetInstance(context.Context, simcloud.ID) (simcloud.Instance, error) {
	return o.inst, nil
}

// The controller unties the taint with whatever it gets, and does not come back for more.
func TestIncompleteAnswersAreErrors(t *testing.T) {
	t.Parallel()
	node := &v1.Node{}
	node.Name = "node-1"
	node.Spec.ProviderID = "simcloud://region-1/i-1"
	whole := simcloud.Instance{
		Meta: simcloud.Meta{ID: "i-1"}, Type: "small", Zone: "zone-a", Region: "region-1",
		Addresses: []simcloud.Address{{Scope: simcloud.ScopePrivate, Address: "10.0.0.2"}},
	}
	for name, breakIt := range map[string]func(*simcloud.Instance){
		"no addresses":     func(inst *simcloud.Instance) { inst.Addresses = nil },
		"no type":          func(inst *simcloud.Instance) { inst.Type = "" },
		"no zone":          func(inst *simcloud.Instance) { inst.Zone = "" },
		"another instance": func(inst *simcloud.Instance) { inst.ID = "i-2" },
		"another region":   func(inst *simcloud.Instance) { inst.Region = "region-2" },
		"nothing at all":   func(inst *simcloud.Instance) { *inst = simcloud.Instance{} },
	} {
		inst := whole
		breakIt(&inst)
		i := &Instances{lookups: newLookups(oneInstance{inst: inst}, 0, SystemClock(time.Now), &Cache{}), regions: &providerid.Regions{}, now: time.Now}
		metadata, err := i.InstanceMetadata(t.Context(), node)
		if err == nil || metadata != nil || errors.Is(err, cloudprovider.InstanceNotFound) {
			t.Errorf("%s: got %v, %v; want an error that is not InstanceNotFound", name, metadata, err)
		}
	}
}

func TestAdditionalLabels(t *testing.T) {
	t.Parallel()
	inst := simcloud.Instance{Meta: simcloud.Meta{Labels: map[string]string{
		"node.simcloud.dev/tier": "gold", "node.simcloud.dev/owner": "not a value/", "team": "x", "mine.kubernetes.io/a": "b",
	}}}
	for prefix, want := range map[string]map[string]string{
		config.NodeLabelPrefix: {"node.simcloud.dev/tier": "gold"},
		"mine.kubernetes.io/":  {"mine.kubernetes.io/a": "b"}, // which upstream drops
		"none/":                nil,
		"":                     nil,
	} {
		if diff := cmp.Diff(want, additionalLabels(inst, prefix)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", prefix, diff)
		}
	}
}
