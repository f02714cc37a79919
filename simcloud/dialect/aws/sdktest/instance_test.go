package sdktest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// all reads all instances as the CCM does.
func (w world) all(client *ec2.Client, in *ec2.DescribeInstancesInput) ([]types.Instance, error) {
	var found []types.Instance
	pages := ec2.NewDescribeInstancesPaginator(client, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(w.Context())
		if err != nil {
			return nil, err
		}
		for _, r := range page.Reservations {
			found = append(found, r.Instances...)
		}
	}
	return found, nil
}

// instances are all, which there must be.
func (w world) instances(in *ec2.DescribeInstancesInput) []types.Instance {
	w.Helper()
	return must[[]types.Instance](w)(w.all(w.ec2, in))
}

// TestInstance: AWS' client reads each field that the CCM does, as the cloud has it.
func TestInstance(t *testing.T) {
	t.Parallel()
	w := open(t)
	i := w.instance(simcloud.InstanceSpec{Name: "node-1", Labels: map[string]string{"a": "<&>"}})
	got := w.instances(&ec2.DescribeInstancesInput{InstanceIds: []string{"i-1"}})[0]
	var private, public, ipv6 []string
	for _, a := range i.Addresses {
		switch {
		case strings.Contains(a.Address, ":"):
			ipv6 = append(ipv6, a.Address)
		case a.Scope == simcloud.ScopePublic:
			public = append(public, a.Address)
		default:
			private = append(private, a.Address)
		}
	}
	for what, pair := range map[string][2]string{
		"id": {aws.ToString(got.InstanceId), string(i.ID)}, "zone": {aws.ToString(got.Placement.AvailabilityZone), string(i.Zone)},
		"type": {string(got.InstanceType), string(i.Type)}, "name": {aws.ToString(got.PrivateDnsName), i.Hostname},
		"public": {aws.ToString(got.PublicIpAddress), public[0]}, "private": {aws.ToString(got.PrivateIpAddress), private[0]},
		"vpc": {aws.ToString(got.VpcId), "vpc-1"}, "subnet": {aws.ToString(got.SubnetId), "subnet-" + string(i.Zone)},
		"launched": {got.LaunchTime.Format(time.RFC3339), i.Created.UTC().Format(time.RFC3339)},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %q, want %q", what, pair[0], pair[1])
		}
	}
	if got.PrivateDnsNameOptions == nil || got.PrivateDnsNameOptions.HostnameType != types.HostnameTypeIpName {
		t.Errorf("the options of the name are %+v", got.PrivateDnsNameOptions)
	}
	if got.State.Name != types.InstanceStateNameRunning || aws.ToInt32(got.State.Code) != 16 || !aws.ToBool(got.SourceDestCheck) {
		t.Errorf("the state is %+v", got.State)
	}
	tags := map[string]string{}
	for _, tag := range got.Tags {
		tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	if len(tags) != 3 || tags["a"] != "<&>" || tags["Name"] != "node-1" || tags["kubernetes.io/cluster/simcloud"] != "owned" {
		t.Errorf("the tags are %v", tags)
	}
	if len(got.NetworkInterfaces) != 1 {
		t.Fatalf("the interfaces are %+v", got.NetworkInterfaces)
	}
	ni := got.NetworkInterfaces[0]
	var at, at6 []string
	for _, a := range ni.PrivateIpAddresses {
		at = append(at, aws.ToString(a.PrivateIpAddress))
	}
	for _, a := range ni.Ipv6Addresses {
		at6 = append(at6, aws.ToString(a.Ipv6Address))
	}
	if ni.Status != types.NetworkInterfaceStatusInUse || aws.ToInt32(ni.Attachment.DeviceIndex) != 0 || !slices.Equal(at, private) || !slices.Equal(at6, ipv6) {
		t.Errorf("the interface is %+v with %v and %v", ni, at, at6)
	}
}

// TestWhatTheCCMReliesOn: it uses these without a look, in each state, and its process ends when one is absent.
func TestWhatTheCCMReliesOn(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.Slow(time.Hour), simtest.ManualClock())
	w.instance(simcloud.InstanceSpec{Name: "node-1", NoPublicAddress: true})
	steps := []func() error{
		func() error { return nil },
		func() error { return last(w.native.RebootInstance(t.Context(), "i-1")) },
		func() error { return last(w.native.StopInstance(t.Context(), "i-1")) },
		func() error { return last(w.native.DeleteInstance(t.Context(), "i-1")) },
	}
	for n, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		got := w.instances(&ec2.DescribeInstancesInput{})
		if len(got) != 1 || got[0].State == nil || got[0].State.Name == "" || got[0].Placement == nil || aws.ToString(got[0].Placement.AvailabilityZone) == "" {
			t.Errorf("step %d: %+v", n, got)
		}
		must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Hour)))
	}
}

// TestPages: each instance is there once, whatever their number.
func TestPages(t *testing.T) {
	t.Parallel()
	w := open(t)
	made := 0
	for _, total := range []int{0, 1, 1000, 1001} {
		for ; made < total; made++ {
			w.instance(simcloud.InstanceSpec{Name: fmt.Sprint("node-", made)})
		}
		requests := len(w.sent.bodies)
		got := w.instances(&ec2.DescribeInstancesInput{MaxResults: aws.Int32(1000)})
		seen := map[string]bool{}
		for _, i := range got {
			seen[aws.ToString(i.InstanceId)] = true
		}
		if len(got) != total || len(seen) != total {
			t.Errorf("of %d there are %d, of which %d are distinct", total, len(got), len(seen))
		}
		if asked, want := len(w.sent.bodies)-requests, 1+max(0, total-1)/1000; asked != want {
			t.Errorf("for %d there were %d requests, want %d", total, asked, want)
		}
	}
}

// TestFilters asks by each filter, and as the CCM does by two.
func TestFilters(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, name := range []string{"a", "b", "c"} {
		w.instance(simcloud.InstanceSpec{Name: name, Zone: simcloud.ID("zone-" + name)})
	}
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StopInstance(t.Context(), "i-2"))
	for _, c := range []struct {
		filters []types.Filter
		want    string
	}{
		{nil, "i-1 i-2 i-3"},
		{[]types.Filter{filter("private-dns-name", "b"), filter("instance-state-name", states...)}, "i-2"},
		{[]types.Filter{filter("private-dns-name", "b"), filter("instance-state-name", "running")}, ""},
		{[]types.Filter{filter("availability-zone", "zone-a", "zone-c")}, "i-1 i-3"},
		{[]types.Filter{filter("tag:Name", "?")}, "i-1 i-2 i-3"},
		{[]types.Filter{filter("tag-key", "kubernetes.io/cluster/*")}, "i-1 i-2 i-3"},
	} {
		var ids []string
		for _, i := range w.instances(&ec2.DescribeInstancesInput{Filters: c.filters}) {
			ids = append(ids, aws.ToString(i.InstanceId))
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.filters, got, c.want)
		}
	}
	_, err := w.all(w.ec2, &ec2.DescribeInstancesInput{Filters: []types.Filter{filter("colour", "red")}})
	refused(t, err, "InvalidParameterValue")
}

// TestUnknownInstances: the CCM looks for the code in the text of the error.
func TestUnknownInstances(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	_, err := w.all(w.ec2, &ec2.DescribeInstancesInput{InstanceIds: []string{"i-1", "i-8", "i-9"}})
	refused(t, err, "InvalidInstanceID.NotFound")
	if !strings.Contains(err.Error(), "InvalidInstanceID.NotFound") || !strings.Contains(err.Error(), "i-8, i-9") || strings.Contains(err.Error(), "i-1") {
		t.Errorf("got %v", err)
	}
	_, err = w.all(w.ec2, &ec2.DescribeInstancesInput{InstanceIds: []string{"vm-1"}})
	refused(t, err, "InvalidInstanceID.Malformed")
}

// TestTerminated: AWS' client waits for the end of an instance, and reads what is shown of it for a while.
func TestTerminated(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	w.instance(simcloud.InstanceSpec{Name: "node-1", Labels: map[string]string{"role": "cp"}})
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), "i-1"))
	byID := &ec2.DescribeInstancesInput{InstanceIds: []string{"i-1"}}
	if err := ec2.NewInstanceTerminatedWaiter(w.ec2).Wait(t.Context(), byID, time.Minute); err != nil {
		t.Error(err)
	}
	got := w.instances(byID)[0]
	if got.State.Name != types.InstanceStateNameTerminated || aws.ToInt32(got.State.Code) != 48 || aws.ToString(got.StateReason.Code) != "Client.UserInitiatedShutdown" {
		t.Errorf("the state is %+v, because of %+v", got.State, got.StateReason)
	}
	if got.PrivateDnsName != nil || got.PrivateIpAddress != nil || got.PublicIpAddress != nil || got.VpcId != nil || got.SubnetId != nil ||
		len(got.NetworkInterfaces)+len(got.SecurityGroups) > 0 || got.SourceDestCheck != nil {
		t.Errorf("it still has something of the network: %+v", got)
	}
	if tags := w.shown("i-1"); tags["role"] != "cp" || tags["Name"] != "node-1" || tags["kubernetes.io/cluster/simcloud"] != "owned" {
		t.Errorf("the tags are %v", tags)
	}
	for state, want := range map[string]int{"terminated": 1, "running": 0} {
		if found := w.instances(&ec2.DescribeInstancesInput{Filters: []types.Filter{filter("instance-state-name", state)}}); len(found) != want {
			t.Errorf("%s are %+v", state, found)
		}
	}
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Hour)))
	_, err := w.all(w.ec2, byID)
	refused(t, err, "InvalidInstanceID.NotFound")
}
