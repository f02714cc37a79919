package aws_test

import (
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// remove deletes an instance.
func (w world) remove(id simcloud.ID) {
	w.Helper()
	must[simcloud.Operation](w)(w.native.DeleteInstance(w.Context(), id))
}

func (w world) advance(d time.Duration) {
	w.Helper()
	must[simcloud.ClockAdvance](w)(w.native.AdvanceClock(w.Context(), simcloud.Duration(d)))
}

// states are the ids and states of the instances that a request is answered with.
func (w world) states(fields ...string) string {
	w.Helper()
	answer := w.does(ec2, "DescribeInstances", fields...)
	var all []string
	names := answer.texts(inReservation + "instanceState/name")
	for i, id := range answer.texts(inReservation + "instanceId") {
		all = append(all, id+" "+names[i])
	}
	return strings.Join(all, ", ")
}

// wantStates fails the test unless a request is answered with these ids and states.
func (w world) wantStates(want string, fields ...string) {
	w.Helper()
	if got := w.states(fields...); got != want {
		w.Errorf("%v: got %q, want %q", fields, got, want)
	}
}

// TestTerminated: an instance that was deleted is terminated for an hour, with its tags and without all that it had of the network.
func TestTerminated(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	w.instance(simcloud.InstanceSpec{Name: "node-1", Zone: "zone-b", Labels: map[string]string{"role": "cp"}})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	live := w.does(ec2, "DescribeInstances", "InstanceId.1", "i-1")
	w.remove("i-1")
	answer := w.does(ec2, "DescribeInstances", "InstanceId.1", "i-1")
	for _, path := range []string{"instanceId", "imageId", "instanceType", "launchTime", "placement/availabilityZone", "tagSet/item/key", "tagSet/item/value"} {
		answer.has(inReservation+path, live.text(inReservation+path))
	}
	answer.has(inReservation+"instanceState/code", "48", inReservation+"instanceState/name", "terminated",
		inReservation+"stateReason/code", "Client.UserInitiatedShutdown", "reservationSet/item/ownerId", live.text("reservationSet/item/ownerId"))
	for _, path := range []string{
		"privateDnsName", "dnsName", "privateIpAddress", "ipAddress", "ipv6Address", "vpcId", "subnetId", "sourceDestCheck", "groupSet/item", "networkInterfaceSet/item",
	} {
		if found := answer.elements(inReservation + path); len(found) > 0 {
			t.Errorf("it has %s: %+v", path, found)
		}
	}
	const all = "i-1 terminated, i-2 running"
	w.wantStates(all)
	w.wantStates(all, "InstanceId.1", "i-2", "InstanceId.2", "i-1")
	w.wantStates("i-1 terminated", "Filter.1.Name", "instance-state-name", "Filter.1.Value.1", "terminated")
	w.wantStates("i-1 terminated", "Filter.1.Name", "instance-state-code", "Filter.1.Value.1", "48")
	w.wantStates(all, "Filter.1.Name", "instance-state-name", "Filter.1.Value.1", "*n*")
	w.wantStates("i-2 running", "Filter.1.Name", "instance-state-name", "Filter.1.Value.1", "running")
	w.wantStates("i-1 terminated", "Filter.1.Name", "tag:role", "Filter.1.Value.1", "cp")
	w.wantStates("i-2 running", "Filter.1.Name", "vpc-id", "Filter.1.Value.1", "*")
	w.wantStates("i-2 running", "Filter.1.Name", "subnet-id", "Filter.1.Value.1", "*")
	w.advance(time.Hour - time.Nanosecond)
	w.wantStates(all)
	w.advance(time.Nanosecond)
	w.wantStates("i-2 running")
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "DescribeInstances", "InstanceId.1", "i-1")
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "DescribeInstances", "InstanceId.1", "i-2", "InstanceId.2", "i-1")
}

// TestTerminatedTwin: a new instance of the same name is found by it, and the one that is gone is not.
func TestTerminatedTwin(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 2 {
		w.instance(simcloud.InstanceSpec{Name: "node-1"})
	}
	w.remove("i-1")
	w.wantStates("i-2 running", "Filter.1.Name", "private-dns-name", "Filter.1.Value.1", "node-1", "Filter.2.Name", "instance-state-name",
		"Filter.2.Value.1", "pending", "Filter.2.Value.2", "running", "Filter.2.Value.3", "shutting-down", "Filter.2.Value.4", "stopping", "Filter.2.Value.5", "stopped")
	w.wantStates("i-2 running", "Filter.1.Name", "private-dns-name", "Filter.1.Value.1", "node-1")
}

// TestTerminatedElsewhere: no other action takes an instance that is gone for one that is there.
func TestTerminatedElsewhere(t *testing.T) {
	t.Parallel()
	w := open(t)
	table := w.table(simcloud.RouteTableSpec{Name: "routes"})
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.remove("i-1")
	rtb := strings.Replace(string(table.ID), "rt-", "rtb-", 1)
	w.refused("InvalidInstanceID", 400, ec2, "CreateRoute", "RouteTableId", rtb, "DestinationCidrBlock", "10.96.1.0/24", "InstanceId", "i-1")
	w.refused("InvalidInstanceID", 400, ec2, "ModifyInstanceAttribute", "InstanceId", "i-1", "SourceDestCheck.Value", "false")
	w.does(ec2, "AllocateAddress")
	w.refused("InvalidInstanceID", 400, ec2, "AssociateAddress", "AllocationId", "eipalloc-1", "InstanceId", "i-1")
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "CreateTags", "ResourceId.1", "i-1", "Tag.1.Key", "a", "Tag.1.Value", "b")
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "DescribeInstanceTopology", "InstanceId.1", "i-1")
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "ModifyInstanceAttribute", "InstanceId", "i-9", "SourceDestCheck.Value", "false")
	w.does(ec2, "DescribeNetworkInterfaces").has("networkInterfaceSet/item/networkInterfaceId", "")
	w.does(elb, "CreateLoadBalancer", "LoadBalancerName", "web", "Subnets.member.1", "subnet-zone-a", "Listeners.member.1.Protocol", "tcp",
		"Listeners.member.1.LoadBalancerPort", "80", "Listeners.member.1.InstancePort", "30080")
	w.refused("InvalidInstance", 400, elb, "RegisterInstancesWithLoadBalancer", "LoadBalancerName", "web", "Instances.member.1.InstanceId", "i-1")
}

// TestTerminatedOfOthers: a project does not see what another one had.
func TestTerminatedOfOthers(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.remove("i-1")
	other := must[simcloud.Result[simcloud.Project]](t)(w.native.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "other"})).Resource
	foreign := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "f", Role: simcloud.RoleAdmin, Project: other.ID})).Resource
	if res := w.post(form(ec2, "DescribeInstances", "InstanceId.1", "i-1"), "X-Amz-Security-Token", foreign.Secret); res.code() != "InvalidInstanceID.NotFound" {
		t.Errorf("another project sees %s", res.body)
	}
	if res := w.post(form(ec2, "DescribeInstances"), "X-Amz-Security-Token", foreign.Secret); res.status != 200 || res.text(inReservation+"instanceId") != "" {
		t.Errorf("another project sees %s", res.body)
	}
}

// TestTerminatedReset: ids return after a reset, and what they were before does not.
func TestTerminatedReset(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.remove("i-1")
	w.wantStates("i-1 terminated")
	if err := w.native.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.wantStates("")
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.wantStates("i-1 running")
}
