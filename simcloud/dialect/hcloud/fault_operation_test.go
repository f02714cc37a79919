package hcloud_test

import (
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// TestFaultOfOneOperation: a rule for an operation of the dialect leaves alone what stands
// for the same operation of the cloud.
func TestFaultOfOneOperation(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	server := &hcloud.Server{ID: 1}
	w.fault("hcloud:shutdown", `{"error": {"code": "unavailable"}}`)
	w.does("stop_server")(w.hetz.Server.Poweroff(t.Context(), server))
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StartInstance(t.Context(), "i-1"))
	_, _, err := w.hetz.Server.Shutdown(t.Context(), server)
	refused(t, err, "unavailable")
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StopInstance(t.Context(), "i-1"))
	entries := must[[]simcloud.JournalEntry](t)(w.native.ListJournal(t.Context(), simcloud.JournalFilter{Fault: "*"}))
	if len(entries) != 1 || entries[0].DialectOperation != "shutdown" || entries[0].Operation != "StopInstance" {
		t.Errorf("the rule has changed %+v", entries)
	}
	only := must[[]simcloud.JournalEntry](t)(w.native.ListJournal(t.Context(), simcloud.JournalFilter{Operation: "hcloud:shutdown"}))
	if len(only) != 1 || only[0].Seq != entries[0].Seq {
		t.Errorf("the journal of the operation is %+v", only)
	}
}

// TestFaultsOfOperations: rules by operations of the dialect have the effects that those of the cloud can have.
func TestFaultsOfOperations(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	lb := w.balancer("a")
	w.fault("hcloud:list_servers", `{"page": {"lie": "short"}}`)
	if all := must[[]*hcloud.Server](t)(w.hetz.Server.All(t.Context())); len(all) != 1 {
		t.Errorf("the short list has %d servers", len(all))
	}
	w.fault("hcloud:add_*", `{"state": {"code": "unavailable"}}`)
	action := got[*hcloud.Action](t)(w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(1, false)))
	var failed hcloud.ActionError
	if err := w.hetz.Action.WaitFor(t.Context(), action); !asActionError(err, &failed) || failed.Code != "unavailable" {
		t.Errorf("the action ended in %v", err)
	}
	w.fault("hcloud:list_load_balancer_types", `{"error": {"code": "timeout"}}`) // the cloud has no operation for it
	_, err := w.hetz.LoadBalancerType.All(t.Context())
	refused(t, err, hcloud.ErrorCodeTimeout)
	w.fault("hcloud:list_volumes", `{"error": {"code": "internal"}}`) // nor does the dialect simulate this
	w.refuses("GET", "volumes", "", 500, "server_error")
}

// TestFaultOfAllOperations: a rule for all operations of the cloud fires once at a call of the dialect.
func TestFaultOfAllOperations(t *testing.T) {
	t.Parallel()
	w := open(t)
	rule := must[fault.Rule](t)(w.native.AddFault(t.Context(), fault.Rule{
		Match: fault.Match{Operation: "ListZones"}, Effect: fault.Effect{OK: &fault.OK{}},
	}))
	must[[]*hcloud.Location](t)(w.hetz.Location.All(t.Context()))
	if now := must[fault.Rule](t)(w.native.GetFault(t.Context(), rule.ID)); now.Calls != 1 || now.Hits != 1 {
		t.Errorf("it has %d calls and %d hits, want one of each", now.Calls, now.Hits)
	}
}
