package sdktest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/simcloud-dev/simcloud/simcloud"
)

var update = flag.Bool("update", false, "write the requests that the dialect's own tests send")

// requests is where they are. The answers to them are beside.
const requests = "../testdata/requests"

// stop is a call as the CCM makes it.
type stop struct {
	name string
	call func(world) error
	// code is what it must fail with; empty for success.
	code string
}

func filter(name string, values ...string) types.Filter {
	return types.Filter{Name: &name, Values: values}
}

func last[T any](_ T, err error) error { return err }

var states = []string{"pending", "running", "shutting-down", "stopping", "stopped"}

// part is a part of the tour, whose files are numbered for themselves: one that grows renames those of no other.
type part struct {
	prefix string
	stops  []stop
}

// tour has all actions, in an order in which each finds what it needs. The prefixes are in the same order.
func tour(table *string) []part {
	return []part{
		{"", append(tourOfEC2(table), tourOfELB()...)}, {"classic-more-", tourOfClassicMore()}, {"ec2-more-", tourOfEC2More()},
		{"groups-", append(tourOfGroups(), tourOfTags()...)}, {"network-", tourOfELBV2()}, {"power-", tourOfPower()}, {"sts-", tourOfSTS()},
	}
}

func tourOfEC2(table *string) []stop {
	route := func(cidr string) *ec2.CreateRouteInput {
		return &ec2.CreateRouteInput{RouteTableId: table, DestinationCidrBlock: &cidr, InstanceId: aws.String("i-1")}
	}
	instances := func(in ec2.DescribeInstancesInput) func(world) error {
		return func(w world) error { return last(w.ec2.DescribeInstances(w.Context(), &in)) }
	}
	tables := func(filters ...types.Filter) func(world) error {
		return func(w world) error {
			return last(w.ec2.DescribeRouteTables(w.Context(), &ec2.DescribeRouteTablesInput{Filters: filters}))
		}
	}
	subnets := func(in ec2.DescribeSubnetsInput) func(world) error {
		return func(w world) error { return last(w.ec2.DescribeSubnets(w.Context(), &in)) }
	}
	return []stop{
		{"zones", func(w world) error { return last(w.ec2.DescribeAvailabilityZones(w.Context(), nil)) }, ""},
		{"instances-all", instances(ec2.DescribeInstancesInput{MaxResults: aws.Int32(1000)}), ""},
		{"instance-by-name", instances(ec2.DescribeInstancesInput{
			Filters: []types.Filter{filter("private-dns-name", "node-2"), filter("instance-state-name", states...)}, MaxResults: aws.Int32(1000),
		}), ""},
		{"instance-by-id", instances(ec2.DescribeInstancesInput{InstanceIds: []string{"i-1"}}), ""},
		{"instances-by-id", instances(ec2.DescribeInstancesInput{InstanceIds: []string{"i-2", "i-1"}}), ""},
		{"instance-unknown", instances(ec2.DescribeInstancesInput{InstanceIds: []string{"i-9"}}), "InvalidInstanceID.NotFound"},
		{"topology", func(w world) error {
			return last(w.ec2.DescribeInstanceTopology(w.Context(), &ec2.DescribeInstanceTopologyInput{InstanceIds: []string{"i-1"}}))
		}, ""},
		{"vpcs", func(w world) error { return last(w.ec2.DescribeVpcs(w.Context(), nil)) }, ""},
		{"subnets-of-vpc", subnets(ec2.DescribeSubnetsInput{Filters: []types.Filter{filter("vpc-id", "vpc-1")}}), ""},
		{"subnets-by-id", subnets(ec2.DescribeSubnetsInput{SubnetIds: []string{"subnet-zone-a", "subnet-zone-b"}}), ""},
		{"subnets-by-name", subnets(ec2.DescribeSubnetsInput{Filters: []types.Filter{filter("tag:Name", "default-zone-c"), filter("vpc-id", "vpc-1")}}), ""},
		{"tables-all", tables(), ""},
		{"table-by-id", tables(filter("route-table-id", *table)), ""},
		{"tables-of-vpc", tables(filter("vpc-id", "vpc-1")), ""},
		{"attribute", func(w world) error {
			return last(w.ec2.ModifyInstanceAttribute(w.Context(), &ec2.ModifyInstanceAttributeInput{
				InstanceId: aws.String("i-1"), SourceDestCheck: &types.AttributeBooleanValue{Value: aws.Bool(false)},
			}))
		}, ""},
		{"route", func(w world) error { return last(w.ec2.CreateRoute(w.Context(), route("10.96.1.0/24"))) }, ""},
		{"route-again", func(w world) error { return last(w.ec2.CreateRoute(w.Context(), route("10.96.1.0/24"))) }, "RouteAlreadyExists"},
		{"table-with-route", tables(filter("route-table-id", *table)), ""},
		{"route-removed", func(w world) error {
			return last(w.ec2.DeleteRoute(w.Context(), &ec2.DeleteRouteInput{RouteTableId: table, DestinationCidrBlock: aws.String("10.96.1.0/24")}))
		}, ""},
		{"route-removed-again", func(w world) error {
			return last(w.ec2.DeleteRoute(w.Context(), &ec2.DeleteRouteInput{RouteTableId: table, DestinationCidrBlock: aws.String("10.96.1.0/24")}))
		}, "InvalidRoute.NotFound"},
		{"unsupported", func(w world) error { return last(w.ec2.DescribeVolumes(w.Context(), nil)) }, "InvalidAction"},
	}
}

// TestRequests: the requests that the dialect's own tests send are those of AWS' client, and each action of the
// dialect has succeeded.
func TestRequests(t *testing.T) {
	t.Parallel()
	w := open(t)
	_, table := w.table()
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	names := map[string]bool{}
	for _, part := range tour(table) {
		for i, stop := range part.stops {
			file := filepath.Join(requests, fmt.Sprintf("%s%02d-%s.form", part.prefix, i, stop.name))
			names[file] = true
			w.record(stop, file)
		}
	}
	for _, file := range must[[]string](t)(filepath.Glob(filepath.Join(requests, "*"))) {
		if !names[file] {
			t.Errorf("%s is of no stop of the tour", file)
		}
	}
	w.beyondTheTour()
	for _, s := range services {
		for _, o := range s.Operations {
			if name := s.OperationName(o.Name); !w.answers.done[name] {
				t.Errorf("%s has not succeeded: the tour needs a stop for it", name)
			}
		}
	}
}

// beyondTheTour makes calls that succeed and whose requests cannot be recorded.
func (w world) beyondTheTour() {
	w.Helper()
	// Its request has the token, which is another one each time.
	must[*sts.AssumeRoleWithWebIdentityOutput](w)(w.sts("").AssumeRoleWithWebIdentity(w.Context(), &sts.AssumeRoleWithWebIdentityInput{
		RoleArn: aws.String(w.roleOf()), RoleSessionName: aws.String("aws-go-sdk-1"), WebIdentityToken: aws.String(w.cloud.Token()),
	}))
}

// record makes a call, and holds the request that was sent to the file that has it.
func (w world) record(stop stop, file string) {
	w.Helper()
	err := stop.call(w)
	if codeOf(err) != stop.code || err != nil && stop.code == "" {
		w.Errorf("%s: got %v, want %q", stop.name, err, stop.code)
	}
	sent := w.sent.bodies[len(w.sent.bodies)-1]
	if *update {
		if err := os.WriteFile(file, []byte(sent), 0o644); err != nil {
			w.Fatal(err)
		}
	}
	if want := must[[]byte](w)(os.ReadFile(file)); string(want) != sent {
		w.Errorf("%s: the client sends\n%s\nand the file has\n%s", stop.name, sent, want)
	}
}
