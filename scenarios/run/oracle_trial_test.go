package run

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/oracle"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// The parts of the cloud that are in every trial from the beginning.
const (
	ownVM    simcloud.ID = "i-1"   // the Node a
	table    simcloud.ID = "rt-1"  // with the route to the office
	office   simcloud.ID = "r-1"   // leads to a router that is no VM
	reserved simcloud.ID = "fip-1" // the address of another client
	nodes    simcloud.ID = "sg-1"  // the security group of the VMs, with a rule of the operator's
	ssh      simcloud.ID = "sgr-1" // that rule
	firstLB  simcloud.ID = "lb-1"  // when a trial makes one

	reservedAddress = "127.77.0.9"
)

// trial is a world on a real cloud in which a test acts as the CCM and as
// the harness, to see what an oracle makes of it.
type trial struct {
	t     *testing.T
	cloud *steptest.Cloud
	st    *step.Stage
	// ccm and harness act on the cloud. The harness is all clients but the CCM.
	ccm, harness actor
	process      *steptest.CCM // the CCM's
	deaf         bool          // the store hears of nothing
	// meanwhile happens while the oracle watches the world at rest.
	meanwhile func()
}

// try is judged for a world in which the VM i-1 is the Node a.
func try(t *testing.T, make func() oracle.Oracle, f func(r *trial)) string {
	t.Helper()
	return judged(t, make, func(r *trial) {
		r.node("a", map[string]any{"spec": map[string]any{"providerID": "any://r/i-1", "podCIDR": "10.244.0.0/24"}})
		f(r)
	})
}

// judged runs f in fake time, and returns what the oracle says of it.
func judged(t *testing.T, make func() oracle.Oracle, f func(r *trial)) string {
	t.Helper()
	said := ""
	synctest.Test(t, func(t *testing.T) {
		r, o := newTrial(t, make)
		f(r)
		said = r.judge(o)
	})
	return said
}

// named makes an oracle that knows nothing of the scenario.
func named(name string) func() oracle.Oracle {
	return func() oracle.Oracle { return oracle.New(name, givenOf(step.World{}, &scenarios.Scenario{})) }
}

// speaking makes an oracle for a CCM that speaks a dialect.
func speaking(name, dialect string) func() oracle.Oracle {
	for _, d := range sim.Dialects() {
		if d.Name == dialect {
			return func() oracle.Oracle {
				return oracle.New(name, givenOf(step.World{Naming: observe.Naming{IDs: d.IDs}}, &scenarios.Scenario{}))
			}
		}
	}
	panic("there is no dialect " + dialect)
}

// newTrial opens a cloud that has what is there before a scenario, and begins one.
func newTrial(t *testing.T, make func() oracle.Oracle) (*trial, oracle.Oracle) {
	t.Helper()
	cloud := steptest.NewCloud(t)
	cloud.Instance(t, "a")
	cloud.Must(t)(cloud.CreateRoute(t.Context(), table, simcloud.RouteSpec{Destination: "192.168.0.0/24", NextHop: simcloud.NextHop{Address: "192.0.2.1"}}))
	cloud.Must(t)(cloud.CreateFloatingIP(t.Context(), simcloud.FloatingIPSpec{Name: "reserved", Address: reservedAddress}))
	cloud.Must(t)(cloud.CreateSecurityGroup(t.Context(), simcloud.SecurityGroupSpec{
		Name: "nodes", Rules: []simcloud.SecurityGroupRuleSpec{{Protocol: simcloud.RuleTCP, FromPort: 22, ToPort: 22, CIDR: "192.168.0.0/24"}},
	}))
	cloud.Must(t)(cloud.UpdateInstance(t.Context(), ownVM, simcloud.InstanceUpdate{SecurityGroups: &[]simcloud.ID{nodes}}))
	r := &trial{t: t, cloud: cloud, process: &steptest.CCM{Runs: true}}
	r.ccm, r.harness = actor{r, cloud.CCM}, actor{r, cloud.Client}
	w := step.World{Cloud: cloud, CCM: r.process, Harness: steptest.IsHarness}
	o := make()
	r.st = &step.Stage{World: w, Store: observe.NewStore("default", o)}
	r.st.Store.Harness = steptest.IsHarness
	r.st.Feed = &observe.CloudFeed{Cloud: cloud, Store: r.st.Store, Harness: steptest.IsHarness}
	if err := r.st.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.Begin(r.st.Store.Snapshot())
	return r, o
}

// judge ends the scenario, and returns what the oracle says of it.
func (r *trial) judge(o oracle.Oracle) string {
	r.t.Helper()
	r.flush()
	var doing sync.WaitGroup
	if r.meanwhile != nil {
		doing.Go(r.meanwhile)
	}
	if resting, ok := o.(oracle.Rester); ok {
		if err := resting.Rest(r.t.Context(), seen{r.st}); err != nil {
			r.t.Fatal(err)
		}
	}
	said := ""
	for _, failure := range oracle.Judge(r.t.Context(), seen{r.st}, o, false) {
		said += failure.String()
	}
	doing.Wait()
	return said
}

// flush brings into the store what the cloud has to tell. It reads the
// events before the calls each time, which two streams leave to chance.
func (r *trial) flush() {
	r.t.Helper()
	if r.deaf {
		return
	}
	r.cloud.Tell(r.t, r.st.Store)
	_, seq := r.st.Store.CloudRevision()
	calls, err := r.cloud.Sim.Journal().ListJournal(r.t.Context(), simcloud.JournalFilter{After: seq})
	if err != nil {
		r.t.Error(err)
	}
	r.st.Store.AddCalls(calls, steptest.IsHarness)
}

// service makes or changes a Service; its UID is u-<name>-0123456789abcdef0123456789abcdef.
func (r *trial) service(name string, change map[string]any) {
	r.object("services", name, change, map[string]any{"spec": map[string]any{"type": "LoadBalancer", "ports": []any{map[string]any{"port": int64(80)}}}})
}

// defaultGroup makes the default group of the network, sg-2, by a VM that goes.
func (r *trial) defaultGroup() {
	r.t.Helper()
	r.harness.did(r.cloud.UpdateConfig(r.t.Context(), simcloud.ConfigUpdate{DefaultSecurityGroups: new(true)}))
	r.harness.deleteInstance(r.harness.createInstance("b").ID)
}

// elsewhere makes a Service like service, in another namespace.
func (r *trial) elsewhere(name string) {
	r.object(observe.ServicesElsewhere, name, nil, map[string]any{"spec": map[string]any{"type": "LoadBalancer", "ports": []any{map[string]any{"port": int64(80)}}}})
}

func uidIn(name string) string { return "u-" + name + "-0123456789abcdef0123456789abcdef" }

func (r *trial) node(name string, change map[string]any) {
	r.object("nodes", name, change, map[string]any{"spec": map[string]any{}})
}

func (r *trial) object(variable, name string, change, object map[string]any) {
	metadata := map[string]any{"name": name, "uid": uidIn(name)}
	for key, value := range change {
		if key == "metadata" {
			for k, v := range value.(map[string]any) {
				metadata[k] = v
			}
			continue
		}
		object[key] = value
	}
	object["metadata"] = metadata
	r.st.Store.SetObject(variable, name, object)
}

func (r *trial) gone(variable, name string) { r.st.Store.SetObject(variable, name, nil) }

// step lets a step of the scenario do something.
func (r *trial) step(verb string) { r.st.Acting(scenarios.Step{Verb: verb})() }

func (r *trial) wait(d time.Duration) { time.Sleep(d) }

func tells(ips ...string) map[string]any {
	var ingress []any
	for _, ip := range ips {
		ingress = append(ingress, map[string]any{"ip": ip})
	}
	return map[string]any{"status": map[string]any{"loadBalancer": map[string]any{"ingress": ingress}}}
}

// trials runs a table of worlds with one oracle.
func trials(t *testing.T, make func() oracle.Oracle, table []trialCase) {
	t.Helper()
	for _, test := range table {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			says(t, try(t, make, test.do), test.says)
		})
	}
}

type trialCase struct {
	name string
	do   func(r *trial)
	says string // "" for nothing
}
