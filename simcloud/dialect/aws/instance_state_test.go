package aws_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// run asks for so many instances of an image, with more parameters.
func run(least, most int, fields ...string) []string {
	return append([]string{"ImageId", "ami-1", "MinCount", fmt.Sprint(least), "MaxCount", fmt.Sprint(most)}, fields...)
}

// TestRunInstances: instances of one request are one reservation, with what was asked for.
func TestRunInstances(t *testing.T) {
	t.Parallel()
	w := open(t)
	const in = "instancesSet/item/"
	answer := w.does(ec2, "RunInstances", run(2, 2, "InstanceType", "medium", "SubnetId", "subnet-zone-b", "ClientToken", "tok",
		"TagSpecification.1.ResourceType", "instance", "TagSpecification.1.Tag.1.Key", "Name", "TagSpecification.1.Tag.1.Value", "web",
		"TagSpecification.1.Tag.2.Key", "team", "TagSpecification.1.Tag.2.Value", "x")...)
	answer.has("reservationId", "r-1", in+"instanceId", "i-1 i-2", in+"imageId", "ami-1 ami-1", in+"instanceType", "medium medium",
		in+"placement/availabilityZone", "zone-b zone-b", in+"subnetId", "subnet-zone-b subnet-zone-b", in+"clientToken", "tok tok",
		in+"instanceState/name", "running running", in+"tagSet/item/key", strings.Repeat("Name kubernetes.io/cluster/simcloud team ", 2)[:2*len("Name kubernetes.io/cluster/simcloud team ")-1])
	w.does(ec2, "DescribeInstances").has("reservationSet/item/reservationId", "r-1", inReservation+"instanceId", "i-1 i-2")
	first := must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), "i-1"))
	second := must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), "i-2"))
	if first.Name != "web" || second.Name != "web-2" || second.Labels["Name"] != "web" || first.Zone != "zone-b" || first.Type != "medium" || first.Hostname == second.Hostname {
		t.Errorf("they are %+v and %+v", first, second)
	}
	w.does(ec2, "RunInstances", run(1, 1, "Placement.AvailabilityZone", "zone-c")...).has(in+"placement/availabilityZone", "zone-c", "reservationId", "r-3")
	w.remove("i-2")
	w.does(ec2, "DescribeInstances").has("reservationSet/item/reservationId", "r-1 r-3", inReservation+"instanceState/name", "running terminated running")
}

// TestRunInstancesAgain: a request that is repeated with its token makes nothing, and one with other parameters is refused.
func TestRunInstancesAgain(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 2 {
		w.does(ec2, "RunInstances", run(1, 2, "ClientToken", "tok")...).has("instancesSet/item/instanceId", "i-1 i-2", "reservationId", "r-1")
	}
	w.does(ec2, "StopInstances", "InstanceId.1", "i-1")
	w.does(ec2, "RunInstances", run(1, 2, "ClientToken", "tok")...).has("instancesSet/item/instanceState/name", "stopped running")
	for _, other := range [][]string{run(1, 3, "ClientToken", "tok"), run(1, 2, "ClientToken", "tok", "InstanceType", "medium"), {"ImageId", "ami-2", "MinCount", "1", "MaxCount", "2", "ClientToken", "tok"}} {
		w.refused("IdempotentParameterMismatch", 400, ec2, "RunInstances", other...)
	}
	w.wantStates("i-1 stopped, i-2 running")
	for range 2 {
		w.does(ec2, "RunInstances", run(1, 1)...)
	}
	w.wantStates("i-1 stopped, i-2 running, i-3 running, i-4 running")
}

// TestRunInstancesRefused: what cannot be run, and nothing is made.
func TestRunInstancesRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, c := range []struct {
		code   string
		fields []string
	}{
		{"MissingParameter", []string{"MinCount", "1", "MaxCount", "1"}},
		{"MissingParameter", []string{"ImageId", "ami-1", "MinCount", "1"}},
		{"InvalidParameterValue", run(0, 1)},
		{"InvalidParameterValue", run(2, 1)},
		{"InvalidParameterValue", run(1, 501)},
		{"InvalidParameterValue", run(1, 1, "InstanceType", "t9.huge")},
		{"InvalidParameterValue", run(1, 1, "Placement.AvailabilityZone", "zone-x")},
		{"InvalidParameterValue", run(1, 1, "Placement.AvailabilityZone", "zone-a", "SubnetId", "subnet-zone-b")},
		{"InvalidParameterValue", run(1, 1, "ClientToken", strings.Repeat("x", 65))},
		{"InvalidParameterValue", run(1, 1, "TagSpecification.1.ResourceType", "volume", "TagSpecification.1.Tag.1.Key", "a")},
		{"InvalidSubnetID.NotFound", run(1, 1, "SubnetId", "subnet-9")},
		{"InvalidGroup.NotFound", run(1, 1, "SecurityGroupId.1", "sg-9")},
		{"InvalidParameterValue", run(1, 1, "PrivateIpAddress", "fd00::9")},
		{"InvalidParameterValue", run(1, 1, "PrivateIpAddress", "10.0.0")},
		{"InvalidParameterValue", run(1, 1, "PrivateIpAddress", "10.1.0.9")}, // outside
		{"InvalidParameterValue", run(1, 1, "PrivateIpAddress", "10.0.0.1")}, // reserved
		{"InvalidParameterCombination", run(1, 2, "PrivateIpAddress", "10.0.0.9")},
		{"UnknownParameter", run(1, 1, "KeyName", "k")},
	} {
		w.refused(c.code, 400, ec2, "RunInstances", c.fields...)
	}
	w.refused("DryRunOperation", 412, ec2, "RunInstances", run(1, 1, "DryRun", "true")...)
	w.wantStates("")
}

// TestRunInstancesAddress: an instance has the private address that was asked for, and a second one cannot have it.
func TestRunInstancesAddress(t *testing.T) {
	t.Parallel()
	w := open(t)
	asked := run(1, 1, "SubnetId", "subnet-zone-b", "PrivateIpAddress", "10.0.0.9", "ClientToken", "tok")
	for range 2 {
		w.does(ec2, "RunInstances", asked...).has("instancesSet/item/instanceId", "i-1", "instancesSet/item/privateIpAddress", "10.0.0.9")
	}
	w.refused("InvalidIPAddress.InUse", 400, ec2, "RunInstances", run(1, 1, "PrivateIpAddress", "10.0.0.9")...)
	w.refused("IdempotentParameterMismatch", 400, ec2, "RunInstances", run(1, 1, "SubnetId", "subnet-zone-b", "PrivateIpAddress", "10.0.0.10", "ClientToken", "tok")...)
	w.wantStates("i-1 running")
	part := must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "s", CIDR: "10.0.9.0/24", Zone: "zone-c"})).Resource
	w.refused("InvalidParameterValue", 400, ec2, "RunInstances", run(1, 1, "SubnetId", string(part.ID), "PrivateIpAddress", "10.0.0.11")...)
	w.does(ec2, "RunInstances", run(1, 1, "PrivateIpAddress", "10.0.9.9")...).has("instancesSet/item/subnetId", string(part.ID), "instancesSet/item/placement/availabilityZone", "zone-c")
	w.does(ec2, "TerminateInstances", "InstanceId.1", "i-1")
	w.does(ec2, "RunInstances", run(1, 1, "PrivateIpAddress", "10.0.0.9")...) // the address of what is gone
}

// TestRunInstancesLimits: a quota and the room of a zone take as many as there is room for, if that is enough.
func TestRunInstancesLimits(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Quota]](t)(w.native.SetQuota(t.Context(), simcloud.QuotaID("default", simcloud.QuotaInstances), simcloud.QuotaSpec{Limit: 3}))
	w.refused("InstanceLimitExceeded", 400, ec2, "RunInstances", run(4, 5)...)
	w.wantStates("")
	w.does(ec2, "RunInstances", run(1, 2)...).has("instancesSet/item/instanceId", "i-1 i-2")
	w.does(ec2, "RunInstances", run(1, 5)...).has("instancesSet/item/instanceId", "i-3")
	w.refused("InstanceLimitExceeded", 400, ec2, "RunInstances", run(1, 5)...)
	w.does(ec2, "TerminateInstances", "InstanceId.1", "i-1")
	w.does(ec2, "RunInstances", run(1, 1)...) // what is terminated does not count
	must[simcloud.Result[simcloud.Quota]](t)(w.native.SetQuota(t.Context(), simcloud.QuotaID("default", simcloud.QuotaInstances), simcloud.QuotaSpec{Limit: simcloud.Unlimited}))
	must[simcloud.Result[simcloud.Zone]](t)(w.native.UpdateZone(t.Context(), "zone-b", simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{"large": 2}}))
	large := []string{"InstanceType", "large", "Placement.AvailabilityZone", "zone-b"}
	w.refused("InsufficientInstanceCapacity", 500, ec2, "RunInstances", run(3, 3, large...)...)
	w.does(ec2, "RunInstances", run(1, 3, large...)...).has("instancesSet/item/placement/availabilityZone", "zone-b zone-b")
	must[simcloud.Result[simcloud.Zone]](t)(w.native.SetZoneState(t.Context(), "zone-a", simcloud.ZoneStateSpec{State: simcloud.ZoneDown}))
	w.refused("InsufficientInstanceCapacity", 500, ec2, "RunInstances", run(1, 1, "Placement.AvailabilityZone", "zone-a")...)
}

// TestRunInstancesFault: a rule tells instances apart by what the request says of them.
func TestRunInstancesFault(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, match := range []fault.Match{{Resource: "web"}, {Labels: "team=x"}, {Zone: "zone-c"}} {
		match.Operation = "aws:ec2:RunInstances"
		must[fault.Rule](t)(w.native.AddFault(t.Context(), fault.Rule{Match: match, Effect: fault.Effect{Error: &fault.Problem{Code: simcloud.Capacity}}}))
		tagged := func(key, value string) []string {
			return []string{"TagSpecification.1.ResourceType", "instance", "TagSpecification.1.Tag.1.Key", key, "TagSpecification.1.Tag.1.Value", value}
		}
		fits, others := 0, 0
		for _, fields := range [][]string{tagged("Name", "web"), tagged("team", "x"), {"Placement.AvailabilityZone", "zone-c"}} {
			if w.ask(ec2, "RunInstances", run(1, 1, fields...)...).code() == "InsufficientInstanceCapacity" {
				fits++
			} else {
				others++
			}
		}
		if fits != 1 || others != 2 {
			t.Errorf("%+v fits %d of 3 requests", match, fits)
		}
		w.clearFaults()
	}
}

// changes are the ids, former and new states of an answer.
func changes(answer sent) string {
	var all []string
	ids, former, now := answer.texts("instancesSet/item/instanceId"), answer.texts("instancesSet/item/previousState/name"), answer.texts("instancesSet/item/currentState/name")
	for i, id := range ids {
		all = append(all, id+" "+former[i]+" "+now[i])
	}
	return strings.Join(all, ", ")
}

// TestStateChanges: instances are stopped, started and terminated, over the states that EC2 has on the way.
func TestStateChanges(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.Slow(time.Minute), simtest.ManualClock())
	w.does(ec2, "RunInstances", run(2, 2)...).has("instancesSet/item/instanceState/name", "pending pending")
	both := []string{"InstanceId.1", "i-1", "InstanceId.2", "i-2"}
	change := func(action, want string, fields ...string) {
		t.Helper()
		if got := changes(w.does(ec2, action, fields...)); got != want {
			t.Errorf("%s: got %q, want %q", action, got, want)
		}
	}
	w.refused("IncorrectInstanceState", 400, ec2, "StopInstances", both...)
	change("StartInstances", "i-1 pending pending", both[:2]...)
	w.advance(time.Minute)
	change("StartInstances", "i-1 running running, i-2 running running", both...)
	change("StopInstances", "i-1 running stopping", append(both[:2:2], "Force", "true")...)
	change("StopInstances", "i-1 stopping stopping, i-2 running stopping", both...)
	w.refused("IncorrectInstanceState", 400, ec2, "StartInstances", both[:2]...)
	w.refused("IncorrectInstanceState", 400, ec2, "RebootInstances", both[:2]...)
	w.advance(time.Minute)
	change("StopInstances", "i-1 stopped stopped", both[:2]...)
	change("StartInstances", "i-1 stopped pending", both[:2]...)
	w.advance(time.Minute)
	w.does(ec2, "RebootInstances", both[:2]...).has("return", "true")
	w.wantStates("i-1 running, i-2 stopped")
	w.refused("IncorrectInstanceState", 400, ec2, "RebootInstances", both...) // of all, or of none
	w.advance(time.Minute)
	change("TerminateInstances", "i-1 running shutting-down, i-2 stopped shutting-down", both...)
	change("TerminateInstances", "i-1 shutting-down shutting-down", both[:2]...)
	w.refused("IncorrectInstanceState", 400, ec2, "StopInstances", both[:2]...)
	w.advance(time.Minute)
	change("TerminateInstances", "i-1 terminated terminated, i-2 terminated terminated", both...)
	for _, action := range []string{"StartInstances", "StopInstances", "RebootInstances"} {
		w.refused("IncorrectInstanceState", 400, ec2, action, both[:2]...)
	}
	w.advance(time.Hour)
	for _, action := range []string{"StartInstances", "StopInstances", "RebootInstances", "TerminateInstances"} {
		w.refused("InvalidInstanceID.NotFound", 400, ec2, action, both[:2]...)
		w.refused("InvalidInstanceID.Malformed", 400, ec2, action, "InstanceId.1", "node-1")
		w.refused("MissingParameter", 400, ec2, action)
		w.refused("DryRunOperation", 412, ec2, action, "InstanceId.1", "i-1", "DryRun", "true")
	}
}

// TestStateChangesTogether: an action changes all of its instances or none, and is one entry of the journal.
func TestStateChangesTogether(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 2 {
		w.does(ec2, "RunInstances", run(1, 1)...)
	}
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "StopInstances", "InstanceId.1", "i-1", "InstanceId.2", "i-9")
	must[simcloud.Result[simcloud.Instance]](t)(w.native.UpdateInstance(t.Context(), "i-2", simcloud.InstanceUpdate{Protected: new(true)}))
	w.refused("OperationNotPermitted", 400, ec2, "TerminateInstances", "InstanceId.1", "i-1", "InstanceId.2", "i-2")
	w.wantStates("i-1 running, i-2 running")
	if got := changes(w.does(ec2, "TerminateInstances", "InstanceId.1", "i-1")); got != "i-1 running terminated" {
		t.Errorf("without a delay: %s", got)
	}
	entries := w.journal("DeleteInstance")
	if len(entries) != 2 || entries[1].DialectOperation != "ec2:TerminateInstances" || entries[1].Resource != "instance/i-1" {
		t.Errorf("the journal has %+v", entries)
	}
	w.fault("StartInstance", `{"error": {"code": "locked"}}`)
	w.refused("IncorrectInstanceState", 400, ec2, "StartInstances", "InstanceId.1", "i-2")
}
