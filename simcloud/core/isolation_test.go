package core_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

const isolationKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// strangeIDs are the ids of a project that has one of everything, by the
// folder of its endpoints.
func strangeIDs(t *testing.T, cloud *core.Cloud) map[string]simcloud.ID {
	t.Helper()
	ctx := t.Context()
	network := must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(ctx,
		simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.9.0.0/16"}})).Resource.ID
	subnet := must[simcloud.Result[simcloud.Subnet]](t)(cloud.CreateSubnet(ctx,
		simcloud.SubnetSpec{Name: "s", Network: network, CIDR: "10.9.1.0/24"})).Resource.ID
	key := must[simcloud.Result[simcloud.SSHKey]](t)(cloud.CreateSSHKey(ctx,
		simcloud.SSHKeySpec{Name: "k", PublicKey: isolationKey})).Resource.ID
	instance := must[instanceResult](t)(cloud.CreateInstance(ctx,
		simcloud.InstanceSpec{Name: "i", Network: network, Subnet: subnet, SSHKeys: []simcloud.ID{key}})).Resource
	volume := must[simcloud.Result[simcloud.Volume]](t)(cloud.CreateVolume(ctx,
		simcloud.VolumeSpec{Name: "v", SizeGiB: 1, Zone: instance.Zone})).Resource.ID
	lb := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{
		Name: "lb", Network: network, Targets: []simcloud.TargetSpec{{Instance: instance.ID}},
		Listeners: []simcloud.ListenerSpec{{Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 80}}},
	})).Resource.ID
	fip := must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{Name: "f"})).Resource.ID
	table := must[simcloud.Result[simcloud.RouteTable]](t)(cloud.CreateRouteTable(ctx,
		simcloud.RouteTableSpec{Name: "rt", Network: network})).Resource.ID
	must[simcloud.Result[simcloud.RouteTable]](t)(cloud.CreateRoute(ctx, table,
		simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Instance: instance.ID}}))
	cluster := must[simcloud.Result[simcloud.Cluster]](t)(cloud.CreateCluster(ctx,
		simcloud.ClusterSpec{Name: "c", Endpoint: "https://10.0.0.1:6443"}))
	document := must[simcloud.Result[simcloud.Document]](t)(cloud.CreateDocument(ctx,
		simcloud.DocumentSpec{Name: "d", Dialect: "hcloud", Type: "certificate", Body: json.RawMessage(`{}`)})).Resource.ID
	group := must[simcloud.Result[simcloud.SecurityGroup]](t)(cloud.CreateSecurityGroup(ctx, simcloud.SecurityGroupSpec{
		Name: "g", Rules: []simcloud.SecurityGroupRuleSpec{{CIDR: "10.0.0.0/8"}},
	})).Resource.ID
	targets := must[simcloud.Result[simcloud.TargetGroup]](t)(cloud.CreateTargetGroup(ctx, simcloud.TargetGroupSpec{
		Name: "g", Network: network, Protocol: simcloud.ProtocolTCP, Port: 80, Targets: []simcloud.GroupTargetSpec{{Instance: instance.ID}},
	})).Resource.ID
	token := must[tokenResult](t)(cloud.CreateToken(ctx, simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader})).Resource.ID
	return map[string]simcloud.ID{
		"networks": network, "subnets": subnet, "instances": instance.ID, "volumes": volume, "ssh-keys": key,
		"load-balancers": lb, "floating-ips": fip, "route-tables": table, "clusters": cluster.Resource.ID, "documents": document, "security-groups": group,
		"target-groups": targets,
		"operations":    cluster.Operation.ID, "projects": simcloud.DefaultProject, "tokens": token,
		"quotas": simcloud.QuotaID(simcloud.DefaultProject, simcloud.QuotaInstances),
	}
}

// unknownIDs are ids of the same kinds that no resource has.
var unknownIDs = map[string]simcloud.ID{
	"networks": "net-98", "subnets": "subnet-98", "instances": "i-98", "volumes": "vol-98", "ssh-keys": "key-98",
	"load-balancers": "lb-98", "floating-ips": "fip-98", "route-tables": "rt-98", "clusters": "cluster-98", "documents": "doc-98", "security-groups": "sg-98",
	"target-groups": "tg-98",
	"operations":    "op-98", "projects": "unknown", "tokens": "tok-98", "quotas": "unknown.instance",
}

// rightArguments are arguments that pass every check but for whose ids they meet.
func rightArguments(ids map[string]simcloud.ID) map[reflect.Type]any {
	name := "x"
	spec := map[reflect.Type]any{}
	for _, v := range []any{
		simcloud.InstanceUpdate{Name: &name}, simcloud.InstanceResize{Type: "medium"}, simcloud.InstanceMigration{Zone: "zone-b"},
		simcloud.AddressSpec{Scope: simcloud.ScopePublic}, simcloud.VolumeUpdate{Name: &name},
		simcloud.VolumeAttachment{Instance: ids["instances"]}, simcloud.VolumeResize{SizeGiB: 5}, simcloud.SSHKeyUpdate{Name: &name},
		simcloud.SSHKeyTargets{Instances: []simcloud.ID{ids["instances"]}}, simcloud.LoadBalancerUpdate{Name: &name},
		simcloud.ListenerSpec{Protocol: simcloud.ProtocolTCP, Port: 81, ListenerConfig: simcloud.ListenerConfig{TargetPort: 1}},
		simcloud.ListenerConfig{TargetPort: 1}, simcloud.TargetSpec{Instance: ids["instances"]}, simcloud.FloatingIPUpdate{Name: &name},
		simcloud.Attachment{Kind: simcloud.KindInstance, ID: ids["instances"]}, simcloud.RouteTableUpdate{Name: &name}, simcloud.SubnetUpdate{Name: &name},
		simcloud.SecurityGroupUpdate{Name: &name}, simcloud.SecurityGroupRuleIDs{Rules: []simcloud.ID{"sgr-1"}},
		simcloud.SecurityGroupRules{Rules: []simcloud.SecurityGroupRuleSpec{{CIDR: "10.0.0.0/16"}}},
		simcloud.TargetGroupUpdate{Name: &name}, simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{{Instance: ids["instances"]}}},
		simcloud.DocumentUpdate{Name: &name}, simcloud.NetworkUpdate{Name: &name},
		simcloud.RouteSpec{Destination: "10.244.9.0/24", NextHop: simcloud.NextHop{Instance: ids["instances"]}},
		simcloud.NetworkAttachment{Network: ids["networks"]}, simcloud.QuotaSpec{Limit: 1}, simcloud.TokenRotation{},
	} {
		spec[reflect.TypeOf(v)] = v
	}
	return spec
}

// callOn calls an operation about a path's ids with valid arguments.
func callOn(ctx context.Context, cloud *core.Cloud, e simcloud.Endpoint, ids map[string]simcloud.ID) error {
	method := reflect.ValueOf(cloud).MethodByName(e.Operation)
	folder := strings.Split(e.Path, "/")[2]
	second := map[string]simcloud.ID{
		"{listener}": "tcp-80", "{route}": "r-1", "{instance}": ids["instances"], "{address}": "10.9.1.1",
		"{network}": ids["networks"],
	}
	var path []simcloud.ID
	for _, part := range strings.Split(e.Path, "/") {
		if part == "{id}" {
			path = append(path, ids[folder])
		} else if strings.HasPrefix(part, "{") {
			path = append(path, second[part])
		}
	}
	args := []reflect.Value{reflect.ValueOf(ctx)}
	specs := rightArguments(ids)
	for i := 1; i < method.Type().NumIn(); i++ {
		in := method.Type().In(i)
		switch {
		case method.Type().IsVariadic() && i == method.Type().NumIn()-1:
		case in == reflect.TypeFor[simcloud.ID]() && len(path) > 0:
			args, path = append(args, reflect.ValueOf(path[0])), path[1:]
		case specs[in] != nil:
			args = append(args, reflect.ValueOf(specs[in]))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	results := method.Call(args)
	err, _ := results[len(results)-1].Interface().(error)
	return err
}

// likeUnknown is the error with unknown ids in the place of those of the other project.
func likeUnknown(err error, strange map[string]simcloud.ID) string {
	if err == nil {
		return "no error"
	}
	text := err.Error()
	for _, folder := range []string{"quotas", "projects"} { // the one is the beginning of the other
		text = strings.ReplaceAll(text, string(strange[folder]), string(unknownIDs[folder]))
	}
	for folder, id := range strange {
		text = strings.ReplaceAll(text, string(id), string(unknownIDs[folder]))
	}
	return text
}

// TestIsolationOfIDs: of an id of another project each operation says, byte
// for byte, what it says of an id that does not exist.
func TestIsolationOfIDs(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	strange := strangeIDs(t, cloud)
	must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "theirs"}))
	before := must[simcloud.State](t)(cloud.GetState(t.Context()))
	called := 0
	for _, e := range simcloud.Endpoints() {
		folder := strings.Split(e.Path, "/")[2]
		if !strings.Contains(e.Path, "{id}") || strange[folder] == "" {
			continue
		}
		for _, role := range []simcloud.Role{simcloud.RoleReader, simcloud.RoleWriter, simcloud.RoleAdmin} {
			if role == simcloud.RoleAdmin && (folder == "projects" || folder == "tokens" || folder == "quotas") {
				continue // admins see those of all projects
			}
			ctx := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "theirs", Role: role})
			err := callOn(ctx, cloud, e, strange)
			unknown := callOn(ctx, cloud, e, unknownIDs)
			called++
			if got, want := likeUnknown(err, strange), likeUnknown(unknown, unknownIDs); got != want || err == nil {
				t.Errorf("%s as %s:\n got %s\nwant %s", e.Operation, role, got, want)
			}
			if code := simcloud.CodeOf(err); code != simcloud.NotFound && code != simcloud.Forbidden {
				t.Errorf("%s as %s: got %v, want NotFound or Forbidden", e.Operation, role, err)
			}
		}
	}
	if after := must[simcloud.State](t)(cloud.GetState(t.Context())); called < 100 || after.Revision != before.Revision {
		t.Errorf("%d calls led from revision %d to %d", called, before.Revision, after.Revision)
	}
}

// TestIsolationOfSpecs is the same for ids that stand within what is asked for.
func TestIsolationOfSpecs(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	strange := strangeIDs(t, cloud)
	ctx := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "theirs", Role: simcloud.RoleWriter})
	network := must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(ctx, simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.9.0.0/16"}})).Resource.ID
	own := must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "i"})).Resource
	volume := must[simcloud.Result[simcloud.Volume]](t)(cloud.CreateVolume(ctx, simcloud.VolumeSpec{Name: "v", SizeGiB: 1, Zone: own.Zone})).Resource.ID
	lb := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "lb"})).Resource.ID
	fip := must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{Name: "f"})).Resource.ID
	table := must[simcloud.Result[simcloud.RouteTable]](t)(cloud.CreateRouteTable(ctx, simcloud.RouteTableSpec{Name: "rt", Network: network})).Resource.ID
	key := must[simcloud.Result[simcloud.SSHKey]](t)(cloud.CreateSSHKey(ctx, simcloud.SSHKeySpec{Name: "k", PublicKey: isolationKey})).Resource.ID
	group := must[simcloud.Result[simcloud.SecurityGroup]](t)(cloud.CreateSecurityGroup(ctx, simcloud.SecurityGroupSpec{Name: "g"})).Resource.ID
	targets := must[simcloud.Result[simcloud.TargetGroup]](t)(cloud.CreateTargetGroup(ctx,
		simcloud.TargetGroupSpec{Name: "g", Protocol: simcloud.ProtocolTCP, Port: 80})).Resource.ID
	type of = map[string]simcloud.ID
	for what, ask := range map[string]func(of) error{
		"network of an instance": func(ids of) error {
			_, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "x", Network: ids["networks"]})
			return err
		},
		"subnet of an instance": func(ids of) error {
			_, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "x", Subnet: ids["subnets"]})
			return err
		},
		"key of an instance": func(ids of) error {
			_, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "x", SSHKeys: []simcloud.ID{ids["ssh-keys"]}})
			return err
		},
		"key of a rebuilt instance": func(ids of) error {
			_, err := cloud.RebuildInstance(ctx, own.ID, simcloud.InstanceRebuild{SSHKeys: &[]simcloud.ID{ids["ssh-keys"]}})
			return err
		},
		"network of a subnet": func(ids of) error {
			_, err := cloud.CreateSubnet(ctx, simcloud.SubnetSpec{Name: "x", Network: ids["networks"], CIDR: "10.9.9.0/24"})
			return err
		},
		"network of a load balancer": func(ids of) error {
			_, err := cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "x", Network: ids["networks"]})
			return err
		},
		"target of a new load balancer": func(ids of) error {
			_, err := cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "x", Targets: []simcloud.TargetSpec{{Instance: ids["instances"]}}})
			return err
		},
		"target of a load balancer": func(ids of) error {
			_, err := cloud.CreateTarget(ctx, lb, simcloud.TargetSpec{Instance: ids["instances"]})
			return err
		},
		"target that goes": func(ids of) error { _, err := cloud.DeleteTarget(ctx, lb, ids["instances"]); return err },
		"network of a route table": func(ids of) error {
			_, err := cloud.CreateRouteTable(ctx, simcloud.RouteTableSpec{Name: "x", Network: ids["networks"]})
			return err
		},
		"next hop": func(ids of) error {
			_, err := cloud.CreateRoute(ctx, table, simcloud.RouteSpec{Destination: "10.1.0.0/24", NextHop: simcloud.NextHop{Instance: ids["instances"]}})
			return err
		},
		"attachment to an instance": func(ids of) error {
			_, err := cloud.AttachFloatingIP(ctx, fip, simcloud.Attachment{Kind: simcloud.KindInstance, ID: ids["instances"]})
			return err
		},
		"attachment to a load balancer": func(ids of) error {
			_, err := cloud.AttachFloatingIP(ctx, fip, simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: ids["load-balancers"]})
			return err
		},
		"attachment of a new floating IP": func(ids of) error {
			to := simcloud.Attachment{Kind: simcloud.KindInstance, ID: ids["instances"]}
			_, err := cloud.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{Name: "x", AttachedTo: to})
			return err
		},
		"security group of an instance": func(ids of) error {
			_, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "x", SecurityGroups: []simcloud.ID{ids["security-groups"]}})
			return err
		},
		"security group that an instance gets": func(ids of) error {
			_, err := cloud.UpdateInstance(ctx, own.ID, simcloud.InstanceUpdate{SecurityGroups: &[]simcloud.ID{ids["security-groups"]}})
			return err
		},
		"security group of a load balancer": func(ids of) error {
			_, err := cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "x", SecurityGroups: []simcloud.ID{ids["security-groups"]}})
			return err
		},
		"security group that a load balancer gets": func(ids of) error {
			_, err := cloud.UpdateLoadBalancer(ctx, lb, simcloud.LoadBalancerUpdate{SecurityGroups: &[]simcloud.ID{ids["security-groups"]}})
			return err
		},
		"network of a security group": func(ids of) error {
			_, err := cloud.CreateSecurityGroup(ctx, simcloud.SecurityGroupSpec{Name: "x", Network: ids["networks"]})
			return err
		},
		"group of a rule": func(ids of) error {
			rules := []simcloud.SecurityGroupRuleSpec{{Group: ids["security-groups"]}}
			_, err := cloud.AddSecurityGroupRules(ctx, group, simcloud.SecurityGroupRules{Rules: rules})
			return err
		},
		"network of a target group": func(ids of) error {
			_, err := cloud.CreateTargetGroup(ctx, simcloud.TargetGroupSpec{Name: "x", Network: ids["networks"], Protocol: simcloud.ProtocolTCP, Port: 80})
			return err
		},
		"target of a group": func(ids of) error {
			_, err := cloud.AddGroupTargets(ctx, targets, simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{{Instance: ids["instances"]}}})
			return err
		},
		"target that a group loses": func(ids of) error {
			_, err := cloud.RemoveGroupTargets(ctx, targets, simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{{Instance: ids["instances"]}}})
			return err
		},
		"target group of a listener": func(ids of) error {
			_, err := cloud.CreateListener(ctx, lb, simcloud.ListenerSpec{
				Protocol: simcloud.ProtocolTCP, Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetGroup: ids["target-groups"]},
			})
			return err
		},
		"volume's instance": func(ids of) error {
			_, err := cloud.AttachVolume(ctx, volume, simcloud.VolumeAttachment{Instance: ids["instances"]})
			return err
		},
		"key's instance": func(ids of) error {
			_, err := cloud.AttachSSHKey(ctx, key, simcloud.SSHKeyTargets{Instances: []simcloud.ID{ids["instances"]}})
			return err
		},
		"instance that loses a key": func(ids of) error {
			_, err := cloud.DetachSSHKey(ctx, key, simcloud.SSHKeyTargets{Instances: []simcloud.ID{ids["instances"]}})
			return err
		},
	} {
		err, unknown := ask(strange), ask(unknownIDs)
		if got, want := likeUnknown(err, strange), likeUnknown(unknown, unknownIDs); got != want || err == nil {
			t.Errorf("%s:\n got %s\nwant %s", what, got, want)
		}
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestIsolationOfReferences: a list of what refers to a resource has nothing of another project, whose network none can be attached to.
func TestIsolationOfReferences(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	strange := strangeIDs(t, cloud)
	ctx := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "theirs", Role: simcloud.RoleWriter})
	must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(ctx, simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.10.0.0/16"}}))
	lb := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "lb"})).Resource.ID
	opts := simcloud.ListOptions{RefersTo: simcloud.Ref(simcloud.KindInstance, strange["instances"])}
	if ours := must[simcloud.Page[simcloud.LoadBalancer]](t)(cloud.ListLoadBalancers(t.Context(), opts)); len(ours.Items) != 1 {
		t.Fatalf("in its own project the instance has %d load balancers, want 1", len(ours.Items))
	}
	if theirs := must[simcloud.Page[simcloud.LoadBalancer]](t)(cloud.ListLoadBalancers(ctx, opts)); len(theirs.Items) != 0 {
		t.Errorf("of another project the list shows %v", theirs.Items)
	}
	_, err := cloud.AttachLoadBalancerNetwork(ctx, lb, simcloud.NetworkAttachment{Network: strange["networks"]})
	wantCode(t, "attach a network of another project", err, simcloud.Invalid)
}
