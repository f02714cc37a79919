package sdktest

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// runInput asks for so many instances, with a token and a name.
func runInput(least, most int32, token string) *ec2.RunInstancesInput {
	return &ec2.RunInstancesInput{
		ImageId: aws.String("ami-12345678"), MinCount: &least, MaxCount: &most, InstanceType: "medium", SubnetId: aws.String("subnet-zone-b"),
		Placement: &types.Placement{AvailabilityZone: aws.String("zone-b")}, ClientToken: &token,
		TagSpecifications: []types.TagSpecification{{ResourceType: types.ResourceTypeInstance, Tags: tagsOf("Name", "web", "team", "x")}},
	}
}

func (w world) run(in *ec2.RunInstancesInput) error { return last(w.ec2.RunInstances(w.Context(), in)) }

func (w world) start(ids ...string) error {
	return last(w.ec2.StartInstances(w.Context(), &ec2.StartInstancesInput{InstanceIds: ids}))
}

func (w world) stop(ids ...string) error {
	return last(w.ec2.StopInstances(w.Context(), &ec2.StopInstancesInput{InstanceIds: ids, Force: aws.Bool(true)}))
}

func (w world) reboot(ids ...string) error {
	return last(w.ec2.RebootInstances(w.Context(), &ec2.RebootInstancesInput{InstanceIds: ids}))
}

func (w world) terminate(ids ...string) error {
	return last(w.ec2.TerminateInstances(w.Context(), &ec2.TerminateInstancesInput{InstanceIds: ids}))
}

// tourOfPower has the actions of the states of instances.
func tourOfPower() []stop {
	return []stop{
		{"run", func(w world) error { return w.run(runInput(1, 2, "token-1")) }, ""},
		{"run-again", func(w world) error { return w.run(runInput(1, 2, "token-1")) }, ""},
		{"run-other", func(w world) error { return w.run(runInput(1, 1, "token-1")) }, "IdempotentParameterMismatch"},
		{"run-none", func(w world) error { return w.run(runInput(2, 1, "token-2")) }, "InvalidParameterValue"},
		{"run-dry", func(w world) error {
			in := runInput(1, 1, "token-3")
			in.DryRun = aws.Bool(true)
			return w.run(in)
		}, "DryRunOperation"},
		{"stopped", func(w world) error { return w.stop("i-3", "i-4") }, ""},
		{"rebooted-stopped", func(w world) error { return w.reboot("i-3") }, "IncorrectInstanceState"},
		{"started", func(w world) error { return w.start("i-3") }, ""},
		{"rebooted", func(w world) error { return w.reboot("i-3") }, ""},
		{"terminated", func(w world) error { return w.terminate("i-3", "i-4") }, ""},
		{"terminated-again", func(w world) error { return w.terminate("i-3") }, ""},
		{"terminated-unknown", func(w world) error { return w.terminate("i-3", "i-9") }, "InvalidInstanceID.NotFound"},
		{"started-terminated", func(w world) error { return w.start("i-3") }, "IncorrectInstanceState"},
		{"instances-terminated", func(w world) error {
			return last(w.ec2.DescribeInstances(w.Context(), &ec2.DescribeInstancesInput{Filters: []types.Filter{filter("instance-state-name", "terminated")}}))
		}, ""},
	}
}

// TestPower: AWS' client runs instances, and waits for each of their states.
func TestPower(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.Slow(time.Minute), simtest.ManualClock())
	made := must[*ec2.RunInstancesOutput](t)(w.ec2.RunInstances(t.Context(), runInput(2, 2, "token-1")))
	if len(made.Instances) != 2 || aws.ToString(made.ReservationId) != "r-1" || aws.ToString(made.OwnerId) == "" {
		t.Fatalf("made are %+v", made)
	}
	for n, i := range made.Instances {
		if aws.ToString(i.InstanceId) != []string{"i-1", "i-2"}[n] || i.State.Name != types.InstanceStateNamePending || aws.ToString(i.ImageId) != "ami-12345678" ||
			i.InstanceType != "medium" || aws.ToString(i.SubnetId) != "subnet-zone-b" || aws.ToString(i.ClientToken) != "token-1" || aws.ToString(i.PrivateIpAddress) == "" {
			t.Errorf("it is %+v", i)
		}
	}
	if tags := w.shown("i-2"); tags["Name"] != "web" || tags["team"] != "x" || len(tags) != 3 {
		t.Errorf("the tags are %v", tags)
	}
	forward := func() {
		t.Helper()
		must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Minute)))
	}
	both := &ec2.DescribeInstancesInput{InstanceIds: []string{"i-1", "i-2"}}
	forward()
	if err := ec2.NewInstanceRunningWaiter(w.ec2).Wait(t.Context(), both, time.Minute); err != nil {
		t.Error(err)
	}
	stopping := must[*ec2.StopInstancesOutput](t)(w.ec2.StopInstances(t.Context(), &ec2.StopInstancesInput{InstanceIds: both.InstanceIds})).StoppingInstances
	wantChange(t, stopping, 16, 64)
	forward()
	if err := ec2.NewInstanceStoppedWaiter(w.ec2).Wait(t.Context(), both, time.Minute); err != nil {
		t.Error(err)
	}
	wantChange(t, must[*ec2.StartInstancesOutput](t)(w.ec2.StartInstances(t.Context(), &ec2.StartInstancesInput{InstanceIds: both.InstanceIds})).StartingInstances, 80, 0)
	forward()
	if err := w.reboot("i-1"); err != nil {
		t.Error(err)
	}
	forward()
	wantChange(t, must[*ec2.TerminateInstancesOutput](t)(w.ec2.TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: both.InstanceIds})).TerminatingInstances, 16, 32)
	forward()
	if err := ec2.NewInstanceTerminatedWaiter(w.ec2).Wait(t.Context(), both, time.Minute); err != nil {
		t.Error(err)
	}
}

// wantChange fails the test unless two instances have gone from one state to another.
func wantChange(t *testing.T, changes []types.InstanceStateChange, from, to int32) {
	t.Helper()
	if len(changes) != 2 {
		t.Fatalf("changed are %+v", changes)
	}
	for _, c := range changes {
		if aws.ToInt32(c.PreviousState.Code) != from || aws.ToInt32(c.CurrentState.Code) != to {
			t.Errorf("%s is %+v and was %+v, want %d and %d", aws.ToString(c.InstanceId), c.CurrentState, c.PreviousState, to, from)
		}
	}
}

// TestPowerErrors: the errors that AWS' client is to tell apart.
func TestPowerErrors(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Quota]](t)(w.native.SetQuota(t.Context(), simcloud.QuotaID("default", simcloud.QuotaInstances), simcloud.QuotaSpec{Limit: 1}))
	refused(t, w.run(runInput(2, 2, "a")), "InstanceLimitExceeded")
	refused(t, w.run(&ec2.RunInstancesInput{ImageId: aws.String("ami-1"), MinCount: aws.Int32(1), MaxCount: aws.Int32(1), InstanceType: "t9.huge"}), "InvalidParameterValue")
	if err := w.run(runInput(1, 2, "b")); err != nil {
		t.Fatal(err)
	}
	taken := must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), "i-1")).Addresses[0].Address
	for address, code := range map[string]string{taken: "InvalidIPAddress.InUse", "10.1.0.9": "InvalidParameterValue"} {
		in := runInput(1, 1, "of "+address)
		in.PrivateIpAddress = aws.String(address)
		refused(t, w.run(in), code)
	}
	for _, call := range []func(...string) error{w.start, w.stop, w.reboot, w.terminate} {
		refused(t, call("i-1", "i-9"), "InvalidInstanceID.NotFound")
		refused(t, call("node-1"), "InvalidInstanceID.Malformed")
	}
	if err := w.terminate("i-1"); err != nil {
		t.Fatal(err)
	}
	for _, call := range []func(...string) error{w.start, w.stop, w.reboot} {
		refused(t, call("i-1"), "IncorrectInstanceState")
	}
}
