package aws_test

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestInstanceIsRemembered: what was shown of an instance is shown again as long as it is the same, and to its own project alone.
func TestInstanceIsRemembered(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	const in = "reservationSet/item/instancesSet/item/"
	show := func(id string) sent { return w.does(ec2, "DescribeInstances", "InstanceId.1", id) }
	for range 2 {
		show("i-1").has(in+"instanceId", "i-1", in+"instanceState/name", "running")
		show("i-2").has(in+"instanceId", "i-2")
	}
	if first, second := show("i-1").text("requestId"), show("i-1").text("requestId"); first == second || first == "" {
		t.Errorf("two requests have the ids %q and %q", first, second)
	}
	other := must[simcloud.Result[simcloud.Project]](t)(w.native.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "other"})).Resource
	foreign := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "f", Role: simcloud.RoleAdmin, Project: other.ID})).Resource
	if res := w.post(form(ec2, "DescribeInstances", "InstanceId.1", "i-1"), "X-Amz-Security-Token", foreign.Secret); res.code() != "InvalidInstanceID.NotFound" {
		t.Errorf("another project sees %s", res.body)
	}
	w.does(ec2, "ModifyInstanceAttribute", "InstanceId", "i-1", "SourceDestCheck.Value", "false")
	show("i-1").has(in+"sourceDestCheck", "false")
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StopInstance(t.Context(), "i-1"))
	show("i-1").has(in+"instanceState/name", "stopped")
	// A filter, also one of a request for one instance, is not forgotten.
	w.does(ec2, "DescribeInstances", "InstanceId.1", "i-1", "Filter.1.Name", "instance-state-name", "Filter.1.Value.1", "running").has(in+"instanceId", "")
	w.remove("i-1")
	show("i-1").has(in+"instanceState/name", "terminated")
	w.advance(time.Hour) // of what is gone time alone makes another answer
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "DescribeInstances", "InstanceId.1", "i-1")
}
