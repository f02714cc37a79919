package aws_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// inReservation is where the fields of an instance are in an answer.
const inReservation = "reservationSet/item/instancesSet/item/"

func TestInstance(t *testing.T) {
	t.Parallel()
	w := open(t)
	i := w.instance(simcloud.InstanceSpec{Name: "node-1", Zone: "zone-b", Labels: map[string]string{"a": "1 & 2"}})
	var private, public string
	for _, a := range i.Addresses {
		switch {
		case strings.Contains(a.Address, ":"):
		case a.Scope == simcloud.ScopePublic:
			public = a.Address
		default:
			private = a.Address
		}
	}
	answer := w.does(ec2, "DescribeInstances", "InstanceId.1", "i-1")
	answer.has("reservationSet/item/reservationId", "r-1", "nextToken", "")
	for path, want := range map[string]string{
		"instanceId": "i-1", "instanceState/code": "16", "instanceState/name": "running", "privateDnsName": "node-1",
		"dnsName":      "ec2-" + strings.ReplaceAll(public, ".", "-") + ".region-1.compute.amazonaws.com",
		"instanceType": string(i.Type), "placement/availabilityZone": "zone-b", "vpcId": "vpc-1", "subnetId": "subnet-zone-b",
		"privateIpAddress": private, "ipAddress": public, "sourceDestCheck": "true", "launchTime": i.Created.UTC().Format("2006-01-02T15:04:05.000Z"),
		"tagSet/item/key": "Name a kubernetes.io/cluster/simcloud", "tagSet/item/value": "node-1 1 & 2 owned",
		"networkInterfaceSet/item/networkInterfaceId": "eni-1", "networkInterfaceSet/item/status": "in-use",
		"networkInterfaceSet/item/attachment/deviceIndex":                      "0",
		"networkInterfaceSet/item/privateIpAddressesSet/item/privateIpAddress": private,
		"networkInterfaceSet/item/association/publicIp":                        public,
	} {
		answer.has(inReservation+path, want)
	}
}

// TestInterfaces: an instance has an interface in each of its networks, with its addresses there.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	w := open(t)
	other := must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "other", CIDRs: []string{"192.168.7.0/24", "fd07::/64"}})).Resource
	i := w.instance(simcloud.InstanceSpec{Name: "node-1", NoPublicAddress: true, Networks: []simcloud.NetworkAttachment{{Network: other.ID}}})
	i = must[simcloud.Result[simcloud.Instance]](t)(w.native.AddInstanceAddress(t.Context(), i.ID, simcloud.AddressSpec{Scope: simcloud.ScopePrivate})).Resource
	var own, there, ipv6 []string
	for _, a := range i.Addresses {
		switch {
		case strings.Contains(a.Address, ":"):
			ipv6 = append(ipv6, a.Address)
		case a.Network == other.ID:
			there = append(there, a.Address)
		default:
			own = append(own, a.Address)
		}
	}
	if len(own) != 2 || len(there) != 1 || len(ipv6) == 0 {
		t.Fatalf("the addresses are %+v", i.Addresses)
	}
	answer := w.does(ec2, "DescribeInstances")
	const in = inReservation + "networkInterfaceSet/item/"
	answer.has(in+"networkInterfaceId", "eni-1 eni-1-1", in+"vpcId", "vpc-1 vpc-2", in+"attachment/deviceIndex", "0 1",
		in+"privateIpAddress", own[0]+" "+there[0], in+"privateIpAddressesSet/item/privateIpAddress", strings.Join(append(own, there...), " "),
		in+"privateIpAddressesSet/item/primary", "true false true", in+"ipv6AddressesSet/item/ipv6Address", strings.Join(ipv6, " "),
		inReservation+"ipAddress", "", inReservation+"dnsName", "", in+"association/publicIp", "")
}

// TestStates: an instance runs unless EC2 has a word for what it does.
func TestStates(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.Slow(time.Hour), simtest.ManualClock())
	state := func() string { return w.does(ec2, "DescribeInstances").text(inReservation + "instanceState/name") }
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	step := func(call func() error, during, after string) {
		t.Helper()
		if err := call(); err != nil {
			t.Fatal(err)
		}
		if got := state(); got != during {
			t.Errorf("it is %s, want %s", got, during)
		}
		if _, err := w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got := state(); got != after {
			t.Errorf("it is %s, want %s", got, after)
		}
	}
	step(func() error { return nil }, "pending", "running")
	step(func() error { _, err := w.native.RebootInstance(t.Context(), "i-1"); return err }, "running", "running")
	step(func() error { _, err := w.native.SuspendInstance(t.Context(), "i-1"); return err }, "running", "running")
	step(func() error { _, err := w.native.StartInstance(t.Context(), "i-1"); return err }, "running", "running")
	step(func() error { _, err := w.native.StopInstance(t.Context(), "i-1"); return err }, "stopping", "stopped")
	step(func() error { _, err := w.native.StartInstance(t.Context(), "i-1"); return err }, "pending", "running")
	step(func() error { _, err := w.native.DeleteInstance(t.Context(), "i-1"); return err }, "shutting-down", "terminated")
	w.advance(time.Hour)
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "DescribeInstances", "InstanceId.1", "i-1")
}

// TestFilters asks for instances by each filter, and by several.
func TestFilters(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.instance(simcloud.InstanceSpec{Name: "a", Hostname: "ip-10-0-0-1.internal", Zone: "zone-a", Labels: map[string]string{"role": "cp"}})
	w.instance(simcloud.InstanceSpec{Name: "b", Zone: "zone-b", Labels: map[string]string{"kubernetes.io/cluster/other": "owned"}})
	w.instance(simcloud.InstanceSpec{Name: "c", Zone: "zone-b", NoPublicAddress: true})
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StopInstance(t.Context(), "i-3"))
	shown := w.does(ec2, "DescribeInstances", "InstanceId.1", string(first.ID))
	for _, test := range []struct {
		filters []string // name and values of each, with commas
		want    string
	}{
		{nil, "i-1 i-2 i-3"},
		{[]string{"private-dns-name,ip-10-0-0-1.internal"}, "i-1"},
		{[]string{"private-dns-name,b", "instance-state-name,pending,running,shutting-down,stopping,stopped"}, "i-2"},
		{[]string{"instance-state-name,running"}, "i-1 i-2"},
		{[]string{"instance-state-code,80"}, "i-3"},
		{[]string{"instance-id,i-1,i-3"}, "i-1 i-3"},
		{[]string{"availability-zone,zone-b", "instance-state-name,stopped"}, "i-3"},
		{[]string{"instance-type," + string(first.Type)}, "i-1 i-2 i-3"},
		{[]string{"vpc-id,vpc-1"}, "i-1 i-2 i-3"},
		{[]string{"vpc-id,vpc-2"}, ""},
		{[]string{"subnet-id,subnet-zone-a"}, "i-1"},
		{[]string{"private-ip-address," + shown.text(inReservation+"privateIpAddress")}, "i-1"},
		{[]string{"ip-address," + shown.text(inReservation+"ipAddress")}, "i-1"},
		{[]string{"dns-name," + shown.text(inReservation+"dnsName")}, "i-1"},
		{[]string{"dns-name,*"}, "i-1 i-2"},
		{[]string{"tag:role,c?"}, "i-1"},
		{[]string{"tag:Name,b,c"}, "i-2 i-3"},
		{[]string{"tag-key,kubernetes.io/cluster/simcloud"}, "i-1 i-3"},
		{[]string{"tag:kubernetes.io/cluster/other,owned"}, "i-2"},
	} {
		var fields []string
		for i, filter := range test.filters {
			parts := strings.Split(filter, ",")
			n := "Filter." + strconv.Itoa(i+1)
			fields = append(fields, n+".Name", parts[0])
			for j, value := range parts[1:] {
				fields = append(fields, n+".Value."+strconv.Itoa(j+1), value)
			}
		}
		if got := w.does(ec2, "DescribeInstances", fields...).text(inReservation + "instanceId"); got != test.want {
			t.Errorf("%v: got %q, want %q", test.filters, got, test.want)
		}
	}
	w.refused("InvalidParameterValue", 400, ec2, "DescribeInstances", "Filter.1.Name", "colour", "Filter.1.Value.1", "red")
	w.refused("InvalidParameterValue", 400, ec2, "DescribeInstances", "Filter.1.Name", "vpc-id")
	w.refused("MissingParameter", 400, ec2, "DescribeInstances", "Filter.1.Value.1", "red")
}

// TestInstanceIDs: one unknown id fails the whole call, and the message lists them.
func TestInstanceIDs(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 3 {
		w.instance(simcloud.InstanceSpec{Name: "node"})
	}
	if got := w.does(ec2, "DescribeInstances", "InstanceId.1", "i-3", "InstanceId.2", "i-1", "InstanceId.3", "i-3").text(inReservation + "instanceId"); got != "i-1 i-3" {
		t.Errorf("got %s", got)
	}
	two := w.refused("InvalidInstanceID.NotFound", 400, ec2, "DescribeInstances", "InstanceId.1", "i-8", "InstanceId.2", "i-1", "InstanceId.3", "i-9")
	two.has("Errors/Error/Message", "The instance IDs 'i-8, i-9' do not exist")
	one := w.refused("InvalidInstanceID.NotFound", 400, ec2, "DescribeInstances", "InstanceId.1", "i-8")
	one.has("Errors/Error/Message", "The instance ID 'i-8' does not exist")
	for _, id := range []string{"", "7", "i-", "I-1", "lb-1", "i-1/../2"} {
		w.refused("InvalidInstanceID.Malformed", 400, ec2, "DescribeInstances", "InstanceId.1", id)
	}
	w.refused("InvalidParameterCombination", 400, ec2, "DescribeInstances", "InstanceId.1", "i-1", "MaxResults", "10")
}

// TestProjects: a token of another project sees none of the instances.
func TestProjects(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	project := must[simcloud.Result[simcloud.Project]](t)(w.native.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "other"})).Resource
	token := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "t", Project: project.ID, Role: simcloud.RoleWriter})).Resource
	w.post(form(ec2, "DescribeInstances"), "X-Amz-Security-Token", token.Secret).has(inReservation+"instanceId", "")
	one := w.post(form(ec2, "DescribeInstances", "InstanceId.1", "i-1"), "X-Amz-Security-Token", token.Secret)
	if one.code() != "InvalidInstanceID.NotFound" {
		t.Errorf("got %s", one.body)
	}
}

// TestPages reads all instances in pages.
func TestPages(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 12 {
		w.instance(simcloud.InstanceSpec{Name: "node"})
	}
	token, sizes := "", ""
	for {
		fields := []string{"MaxResults", "5"}
		if token != "" {
			fields = append(fields, "NextToken", token)
		}
		page := w.does(ec2, "DescribeInstances", fields...)
		sizes += strconv.Itoa(len(page.texts("reservationSet/item"))) + " "
		if token = page.text("nextToken"); token == "" {
			break
		}
		w.refused("InvalidNextToken", 400, ec2, "DescribeInstances", "NextToken", token, "Filter.1.Name", "vpc-id", "Filter.1.Value.1", "vpc-1")
	}
	if sizes != "5 5 2 " {
		t.Errorf("the pages have %s", sizes)
	}
	w.refused("InvalidParameterValue", 400, ec2, "DescribeInstances", "MaxResults", "4")
	w.refused("InvalidParameterValue", 400, ec2, "DescribeInstances", "MaxResults", "many")
}

// TestSourceDestCheck: the attribute is kept, unseen as a tag, and written only when it is another.
func TestSourceDestCheck(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1", Labels: map[string]string{"a": "b"}})
	version := func() uint64 {
		return must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), "i-1")).Version
	}
	last := version()
	for _, step := range []struct {
		value  string
		writes bool
	}{{"true", false}, {"false", true}, {"false", false}, {"true", true}} {
		w.does(ec2, "ModifyInstanceAttribute", "InstanceId", "i-1", "SourceDestCheck.Value", step.value).has("return", "true")
		w.does(ec2, "DescribeInstances").has(inReservation+"sourceDestCheck", step.value, inReservation+"tagSet/item/key", "Name a kubernetes.io/cluster/simcloud")
		if now := version(); (now != last) != step.writes {
			t.Errorf("%s: the version was %d and is %d", step.value, last, now)
		}
		last = version()
	}
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "ModifyInstanceAttribute", "InstanceId", "i-9", "SourceDestCheck.Value", "false")
	w.refused("MissingParameter", 400, ec2, "ModifyInstanceAttribute", "InstanceId", "i-1")
	w.refused("UnknownParameter", 400, ec2, "ModifyInstanceAttribute", "InstanceId", "i-1", "UserData.Value", "x", "SourceDestCheck.Value", "false")
}
