package core_test

import (
	"cmp"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// TestCheckFinds: each broken rule is reported.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(tx *store.Tx) error
		want  string
	}{
		"a target that is gone and healthy": {func(tx *store.Tx) error {
			return changeLB(tx, func(lb *simcloud.LoadBalancer) {
				lb.Targets = append(lb.Targets, simcloud.Target{Instance: "i-9", Health: simcloud.TargetHealthy})
			})
		}, "lb-1 says that i-9 is healthy: it is unhealthy"},
		"a health that is wrong": {func(tx *store.Tx) error {
			return changeLB(tx, func(lb *simcloud.LoadBalancer) { lb.Targets[0].Health = simcloud.TargetUnhealthy })
		}, "lb-1 says that i-1 is unhealthy: it is healthy"},
		"a VIP that leads nowhere": {func(tx *store.Tx) error {
			return changeLB(tx, func(lb *simcloud.LoadBalancer) { lb.VIPs = nil })
		}, "fip-1 leads to lb-1: true; it listens there: false"},
		"an address twice": {func(tx *store.Tx) error {
			return changeInstance(tx, "i-2", func(i *simcloud.Instance) {
				first, _ := store.Instances.Get(tx, "i-1")
				i.Addresses = first.Addresses
			})
		}, "instance/i-1 and instance/i-2 both have"},
		"a zone that is not there": {func(tx *store.Tx) error {
			return changeInstance(tx, "i-1", func(i *simcloud.Instance) { i.Zone = "zone-z" })
		}, "instance/i-1 refers to zone/zone-z"},
		"a network of another project": {func(tx *store.Tx) error {
			return changeInstance(tx, "i-1", func(i *simcloud.Instance) { i.Project = "theirs" })
		}, "instance/i-1 refers to network/net-1 of another project"},
		"an operation that never ends": {func(tx *store.Tx) error {
			return changeInstance(tx, "i-1", func(i *simcloud.Instance) { i.Operation = "op-1" })
		}, "instance/i-1 waits for op-1, which is done"},
		"a security group that is not there": {func(tx *store.Tx) error {
			return changeInstance(tx, "i-1", func(i *simcloud.Instance) { i.SecurityGroups = []simcloud.ID{"sg-9"} })
		}, "instance/i-1 refers to security_group/sg-9"},
		"a security group of another network": {func(tx *store.Tx) error {
			group := simcloud.SecurityGroup{Meta: simcloud.Meta{ID: "sg-1", Project: simcloud.DefaultProject}, Network: "net-9"}
			return errors.Join(store.SecurityGroups.Insert(tx, time.Now(), &group), changeInstance(tx, "i-1", func(i *simcloud.Instance) {
				i.SecurityGroups = []simcloud.ID{"sg-1"}
			}))
		}, "i-1 has sg-1, which is of net-9 and not of net-1"},
		"a security group of a load balancer that is not there": {func(tx *store.Tx) error {
			return changeLB(tx, func(lb *simcloud.LoadBalancer) { lb.SecurityGroups = []simcloud.ID{"sg-9"} })
		}, "load_balancer/lb-1 refers to security_group/sg-9"},
		"a target group that is not there": {func(tx *store.Tx) error {
			return changeLB(tx, func(lb *simcloud.LoadBalancer) {
				lb.Listeners = []simcloud.Listener{{ID: "tcp-1", ListenerConfig: simcloud.ListenerConfig{TargetGroup: "tg-9"}}}
			})
		}, "load_balancer/lb-1 refers to target_group/tg-9"},
		"a target group whose load balancer does not name it": {func(tx *store.Tx) error {
			return insertGroup(tx, simcloud.TargetGroup{LoadBalancer: "lb-1"})
		}, "tg-1 is of lb-1, whose listeners do not name it"},
		"a target group that does not know its load balancer": {func(tx *store.Tx) error {
			return errors.Join(insertGroup(tx, simcloud.TargetGroup{}), changeLB(tx, func(lb *simcloud.LoadBalancer) {
				listener := simcloud.Listener{ID: "tcp-1", Protocol: simcloud.ProtocolTCP, ListenerConfig: simcloud.ListenerConfig{TargetGroup: "tg-1"}}
				lb.Listeners = []simcloud.Listener{listener}
			}))
		}, `tcp-1 of lb-1 forwards to tg-1, which is of ""`},
		"a target group that is part of what is not there": {func(tx *store.Tx) error {
			return insertGroup(tx, simcloud.TargetGroup{PartOf: "lb-9"})
		}, "target_group/tg-1 refers to load_balancer/lb-9"},
		"a target group that is part of a load balancer of another network": {func(tx *store.Tx) error {
			return insertGroup(tx, simcloud.TargetGroup{PartOf: "lb-1", Network: "net-9"})
		}, "tg-1 in net-9 is part of lb-1 in net-1"},
		"a target group of two load balancers": {func(tx *store.Tx) error {
			return insertGroup(tx, simcloud.TargetGroup{PartOf: "lb-1", LoadBalancer: "lb-2"})
		}, "tg-1 is part of lb-1, and listeners of lb-2 forward to it"},
		"a target group with one target twice": {func(tx *store.Tx) error {
			target := simcloud.GroupTarget{GroupTargetSpec: simcloud.GroupTargetSpec{Instance: "i-1", Port: 80}, Health: simcloud.TargetHealthy}
			return insertGroup(tx, simcloud.TargetGroup{Targets: []simcloud.GroupTarget{target, target}})
		}, "tg-1 has the target i-1 at port 80 twice"},
		"a target group with a target that is not as its instance": {func(tx *store.Tx) error {
			target := simcloud.GroupTarget{GroupTargetSpec: simcloud.GroupTargetSpec{Instance: "i-1", Port: 80}, Health: simcloud.TargetDraining}
			return insertGroup(tx, simcloud.TargetGroup{Targets: []simcloud.GroupTarget{target}})
		}, "tg-1 has the target i-1 as draining: it is healthy"},
		"one rule twice": {func(tx *store.Tx) error {
			rule := simcloud.SecurityGroupRuleSpec{CIDR: "10.0.0.0/8"}
			rules := []simcloud.SecurityGroupRule{{ID: "sgr-1", SecurityGroupRuleSpec: rule}, {ID: "sgr-2", SecurityGroupRuleSpec: rule.Normal()}}
			return store.SecurityGroups.Insert(tx, time.Now(), &simcloud.SecurityGroup{
				Meta: simcloud.Meta{ID: "sg-1", Project: simcloud.DefaultProject}, Rules: rules,
			})
		}, "sg-1 has one rule twice: sgr-1 and sgr-2"},
		"a route that says it leads somewhere": {func(tx *store.Tx) error {
			table, err := store.RouteTables.Get(tx, "rt-1")
			if err != nil {
				return err
			}
			table.Routes = []simcloud.Route{{ID: "r-9", Destination: "10.0.0.0/8", NextHop: simcloud.NextHop{Instance: "i-9"}, State: simcloud.RouteActive}}
			return store.RouteTables.Update(tx, time.Now(), &table)
		}, `route r-9 is active, its instance "i-9" is there: false`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantProblem(t, populate, c.spoil, c.want)
		})
	}
}

// wantProblem fails the test unless a sound cloud becomes one of which Check says what is wrong.
func wantProblem(t *testing.T, fill func(*testing.T, *core.Cloud), spoil func(*store.Tx) error, want string) {
	t.Helper()
	db := must[*store.DB](t)(store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true}))
	cloud := must[*core.Cloud](t)(core.Open(core.Config{DB: db}))
	t.Cleanup(func() { _ = cloud.Close() })
	fill(t, cloud)
	if err := cloud.Check(t.Context()); err != nil {
		t.Fatalf("before: %v", err)
	}
	if err := db.Update(spoil); err != nil {
		t.Fatal(err)
	}
	if err := cloud.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want one that says %q", err, want)
	}
}

// populate makes two instances, one of them the target of a load balancer with a floating IP.
func populate(t *testing.T, cloud *core.Cloud) {
	t.Helper()
	ctx := t.Context()
	for range 2 {
		must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}))
	}
	must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{
		Name: "lb", Targets: []simcloud.TargetSpec{{Instance: "i-1"}},
	}))
	must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{
		Name: "f", AttachedTo: simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: "lb-1"},
	}))
}

func changeLB(tx *store.Tx, edit func(*simcloud.LoadBalancer)) error {
	lb, err := store.LoadBalancers.Get(tx, "lb-1")
	if err != nil {
		return err
	}
	edit(&lb)
	return store.LoadBalancers.Update(tx, time.Now(), &lb)
}

// insertGroup keeps a target group for TCP with the id tg-1, in the network of lb-1.
func insertGroup(tx *store.Tx, group simcloud.TargetGroup) error {
	group.ID, group.Project, group.Protocol, group.Port = "tg-1", simcloud.DefaultProject, simcloud.ProtocolTCP, 80
	group.Network = cmp.Or(group.Network, "net-1")
	return store.TargetGroups.Insert(tx, time.Now(), &group)
}

func changeInstance(tx *store.Tx, id simcloud.ID, edit func(*simcloud.Instance)) error {
	instance, err := store.Instances.Get(tx, id)
	if err != nil {
		return err
	}
	edit(&instance)
	return store.Instances.Update(tx, time.Now(), &instance)
}
