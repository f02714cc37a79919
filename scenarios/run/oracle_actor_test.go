package run

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// actor is a client that acts in a trial. The store has seen what it has done
// when it does the next thing.
type actor struct {
	r  *trial
	to *client.Client
}

// did takes what a call has answered, and brings what has come of it into the store.
func (a actor) did(_ any, err error) {
	a.r.t.Helper()
	if err != nil {
		a.r.t.Error(err)
	}
	a.r.flush()
}

// fails is did for a call that must fail.
func (a actor) fails(_ any, err error) {
	a.r.t.Helper()
	if err == nil {
		a.r.t.Error("the call has succeeded, and must fail")
	}
	a.r.flush()
}

// answered is did for a call that answers a resource, which it returns.
func answered[T any](a actor) func(simcloud.Result[T], error) T {
	return func(result simcloud.Result[T], err error) T {
		a.r.t.Helper()
		a.did(result, err)
		return result.Resource
	}
}

// calls makes calls one after the other; id is that of the resource, if the operation has one.
func (a actor) calls(times int, operation string, id simcloud.ID) {
	a.r.t.Helper()
	args := map[string]any{}
	if id != "" {
		args["id"] = string(id)
	}
	for range times {
		if _, err := a.to.Call(a.r.t.Context(), operation, args); err != nil {
			a.r.t.Error(err)
		}
	}
	a.r.flush()
}

// touches makes writes that change nothing, one after the other.
func (a actor) touches(times int) {
	a.r.t.Helper()
	name := "default" // as it is
	for range times {
		a.r.cloud.Must(a.r.t)(a.to.UpdateRouteTable(a.r.t.Context(), table, simcloud.RouteTableUpdate{Name: &name}))
	}
	a.r.flush()
}

func (a actor) createInstance(name string) simcloud.Instance {
	a.r.t.Helper()
	return answered[simcloud.Instance](a)(a.to.CreateInstance(a.r.t.Context(), simcloud.InstanceSpec{Name: name}))
}

func (a actor) deleteInstance(vm simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.DeleteInstance(a.r.t.Context(), vm))
}

func (a actor) startInstance(vm simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.StartInstance(a.r.t.Context(), vm))
}

func (a actor) labelOwnVM(key, value string) {
	a.r.t.Helper()
	labels := map[string]string{key: value}
	a.did(a.to.UpdateInstance(a.r.t.Context(), ownVM, simcloud.InstanceUpdate{Labels: &labels}))
}

func (a actor) setOptionOfOwnVM(key, value string) {
	a.r.t.Helper()
	options := map[string]string{key: value}
	a.did(a.to.UpdateInstance(a.r.t.Context(), ownVM, simcloud.InstanceUpdate{Options: &options}))
}

func (a actor) stopOwnVM() {
	a.r.t.Helper()
	a.did(a.to.StopInstance(a.r.t.Context(), ownVM))
}

func (a actor) deleteOwnVM() {
	a.r.t.Helper()
	a.did(a.to.DeleteInstance(a.r.t.Context(), ownVM))
}

// createRoute makes a route to a VM, and returns its id.
func (a actor) createRoute(destination string, vm simcloud.ID) simcloud.ID {
	a.r.t.Helper()
	return a.createRouteBy(destination, simcloud.NextHop{Instance: vm})
}

func (a actor) createRouteBy(destination string, hop simcloud.NextHop) simcloud.ID {
	a.r.t.Helper()
	spec := simcloud.RouteSpec{Destination: destination, NextHop: hop}
	after := answered[simcloud.RouteTable](a)(a.to.CreateRoute(a.r.t.Context(), table, spec))
	i := slices.IndexFunc(after.Routes, func(r simcloud.Route) bool { return r.Destination == destination })
	if i < 0 {
		a.r.t.Fatalf("there is no route to %s", destination)
	}
	return after.Routes[i].ID
}

func (a actor) deleteRoute(route simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.DeleteRoute(a.r.t.Context(), table, route))
}

// createGroup makes the security group k8s-elb, without rules.
func (a actor) createGroup() simcloud.ID {
	a.r.t.Helper()
	return answered[simcloud.SecurityGroup](a)(a.to.CreateSecurityGroup(a.r.t.Context(), simcloud.SecurityGroupSpec{Name: "k8s-elb"})).ID
}

func (a actor) deleteGroup(group simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.DeleteSecurityGroup(a.r.t.Context(), group))
}

// createRule lets clients reach a port of TCP, and returns the rule's id.
func (a actor) createRule(group simcloud.ID, port int) simcloud.ID {
	a.r.t.Helper()
	rules := simcloud.SecurityGroupRules{Rules: []simcloud.SecurityGroupRuleSpec{
		{Protocol: simcloud.RuleTCP, FromPort: port, ToPort: port, CIDR: "0.0.0.0/0"},
	}}
	after := answered[simcloud.SecurityGroup](a)(a.to.AddSecurityGroupRules(a.r.t.Context(), group, rules))
	return after.Rules[len(after.Rules)-1].ID
}

// createRuleFrom lets all that has a group in to the VMs, and returns the rule's id.
func (a actor) createRuleFrom(group simcloud.ID) simcloud.ID {
	a.r.t.Helper()
	rules := simcloud.SecurityGroupRules{Rules: []simcloud.SecurityGroupRuleSpec{{Group: group}}}
	after := answered[simcloud.SecurityGroup](a)(a.to.AddSecurityGroupRules(a.r.t.Context(), nodes, rules))
	return after.Rules[len(after.Rules)-1].ID
}

func (a actor) deleteRule(group, rule simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.RemoveSecurityGroupRules(a.r.t.Context(), group, simcloud.SecurityGroupRuleIDs{Rules: []simcloud.ID{rule}}))
}

// setGroups gives the own VM security groups in place of those that it has.
func (a actor) setGroups(groups ...simcloud.ID) {
	a.r.t.Helper()
	groups = append([]simcloud.ID{}, groups...) // empty, not nil: what is null on the wire stays as it is
	a.did(a.to.UpdateInstance(a.r.t.Context(), ownVM, simcloud.InstanceUpdate{SecurityGroups: &groups}))
}

// createTargetGroup makes the target group k8s-tg, with the own VM at port 80.
func (a actor) createTargetGroup() simcloud.ID {
	a.r.t.Helper()
	return answered[simcloud.TargetGroup](a)(a.to.CreateTargetGroup(a.r.t.Context(), simcloud.TargetGroupSpec{
		Name: "k8s-tg", Protocol: simcloud.ProtocolTCP, Port: 80, Targets: []simcloud.GroupTargetSpec{{Instance: ownVM}},
	})).ID
}

func (a actor) deleteTargetGroup(group simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.DeleteTargetGroup(a.r.t.Context(), group))
}

// addGroupTarget makes the own VM a target at a port.
func (a actor) addGroupTarget(group simcloud.ID, port int) {
	a.r.t.Helper()
	targets := simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{{Instance: ownVM, Port: port}}}
	a.did(a.to.AddGroupTargets(a.r.t.Context(), group, targets))
}

func (a actor) removeGroupTarget(group simcloud.ID, port int) {
	a.r.t.Helper()
	targets := simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{{Instance: ownVM, Port: port}}}
	a.did(a.to.RemoveGroupTargets(a.r.t.Context(), group, targets))
}

// forward lets a listener forward to a target group.
func (a actor) forward(lb, group simcloud.ID) {
	a.r.t.Helper()
	spec := simcloud.ListenerSpec{Protocol: simcloud.ProtocolTCP, Port: 9100, ListenerConfig: simcloud.ListenerConfig{TargetGroup: group}}
	a.did(a.to.CreateListener(a.r.t.Context(), lb, spec))
}

// createBalancer makes a load balancer with a mark, a listener on port 80, an address of the network and targets.
func (a actor) createBalancer(mark, address string, vms ...simcloud.ID) simcloud.ID {
	a.r.t.Helper()
	spec := simcloud.LoadBalancerSpec{
		Name: "lb", Labels: map[string]string{"for": mark}, Scheme: simcloud.SchemeInternal, Addresses: []string{address},
		Listeners: []simcloud.ListenerSpec{listenerOn(80, 8080)},
	}
	for _, vm := range vms {
		spec.Targets = append(spec.Targets, simcloud.TargetSpec{Instance: vm})
	}
	return answered[simcloud.LoadBalancer](a)(a.to.CreateLoadBalancer(a.r.t.Context(), spec)).ID
}

// createPublicBalancer makes a load balancer that has no address yet.
func (a actor) createPublicBalancer() simcloud.ID {
	a.r.t.Helper()
	return answered[simcloud.LoadBalancer](a)(a.to.CreateLoadBalancer(a.r.t.Context(), simcloud.LoadBalancerSpec{Name: "lb"})).ID
}

func (a actor) labelBalancer(lb simcloud.ID, value string) {
	a.r.t.Helper()
	a.did(a.to.UpdateLoadBalancer(a.r.t.Context(), lb, simcloud.LoadBalancerUpdate{Labels: &map[string]string{"label": value}}))
}

func (a actor) deleteBalancer(lb simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.DeleteLoadBalancer(a.r.t.Context(), lb))
}

// detachNetwork takes a load balancer out of a network, and attachNetwork brings it in again.
func (a actor) detachNetwork(lb, network simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.DetachLoadBalancerNetwork(a.r.t.Context(), lb, network))
}

func (a actor) attachNetwork(lb, network simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.AttachLoadBalancerNetwork(a.r.t.Context(), lb, simcloud.NetworkAttachment{Network: network}))
}

// createPrivateTarget adds a VM to the first load balancer, which reaches it by its private address.
func (a actor) createPrivateTarget(vm simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.CreateTarget(a.r.t.Context(), firstLB, simcloud.TargetSpec{Instance: vm, UsePrivateIP: true}))
}

// privateBalancer lets the CCM make a load balancer that is attached to the network of the VM i-1 and reaches it there.
func (r *trial) privateBalancer() (network simcloud.ID) {
	r.t.Helper()
	network = r.cloud.State(r.t).Networks[0].ID
	r.ccm.createPublicBalancer()
	r.ccm.attachNetwork(firstLB, network)
	r.ccm.createPrivateTarget(ownVM)
	return network
}

// createTarget adds a VM to the first load balancer.
func (a actor) createTarget(vm simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.CreateTarget(a.r.t.Context(), firstLB, simcloud.TargetSpec{Instance: vm}))
}

func (a actor) deleteTarget(vm simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.DeleteTarget(a.r.t.Context(), firstLB, vm))
}

func listenerOn(port, targetPort int) simcloud.ListenerSpec {
	return simcloud.ListenerSpec{Protocol: simcloud.ProtocolTCP, Port: port, ListenerConfig: simcloud.ListenerConfig{TargetPort: targetPort}}
}

func (a actor) createListener(lb simcloud.ID, port, targetPort int) {
	a.r.t.Helper()
	a.did(a.to.CreateListener(a.r.t.Context(), lb, listenerOn(port, targetPort)))
}

func (a actor) deleteListener(lb simcloud.ID, port int) {
	a.r.t.Helper()
	a.did(a.to.DeleteListener(a.r.t.Context(), lb, simcloud.ListenerID(simcloud.ProtocolTCP, port)))
}

// createAddress takes an address out of the pool for a load balancer, and returns the id of its floating IP.
func (a actor) createAddress(address string, lb simcloud.ID) simcloud.ID {
	a.r.t.Helper()
	spec := simcloud.FloatingIPSpec{Name: "web", Address: address, AttachedTo: toBalancer(lb)}
	return answered[simcloud.FloatingIP](a)(a.to.CreateFloatingIP(a.r.t.Context(), spec)).ID
}

func toBalancer(lb simcloud.ID) simcloud.Attachment {
	return simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: lb}
}

func (a actor) attachAddress(fip, lb simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.AttachFloatingIP(a.r.t.Context(), fip, toBalancer(lb)))
}

func (a actor) detachAddress(fip simcloud.ID) {
	a.r.t.Helper()
	a.did(a.to.DetachFloatingIP(a.r.t.Context(), fip))
}

func (a actor) deleteReserved() {
	a.r.t.Helper()
	a.did(a.to.DeleteFloatingIP(a.r.t.Context(), reserved))
}

// inject applies a fault to the next calls of an operation, a number of times.
func (r *trial) inject(times uint64, operation string, effect fault.Effect) {
	r.t.Helper()
	r.harness.did(r.cloud.AddFault(r.t.Context(), fault.Rule{
		Match: fault.Match{Operation: operation}, When: fault.When{Times: times}, Effect: effect,
	}))
}

// breakBalancer lets an operation on a load balancer fail, so that it is in error.
func (a actor) breakBalancer(lb simcloud.ID) {
	a.r.t.Helper()
	a.r.inject(1, "FailoverLoadBalancer", fault.Effect{State: &fault.State{To: string(simcloud.LoadBalancerError)}})
	begun, err := a.to.FailoverLoadBalancer(a.r.t.Context(), lb)
	a.did(begun, err)
	ended, err := a.to.WaitOperation(a.r.t.Context(), begun.Operation.ID)
	a.did(ended, err)
	if ended.State != simcloud.OperationFailed {
		a.r.t.Errorf("the operation that must fail is %s", ended.State)
	}
}

// lie lets the cloud lie to the CCM about its instances. The store does not hear of it yet.
func (r *trial) lie() {
	r.t.Helper()
	r.inject(1, "ListInstances", fault.Effect{Page: &fault.Page{Lie: fault.LieDrop}})
	r.cloud.Must(r.t)(r.cloud.CCM.ListInstances(r.t.Context(), simcloud.ListOptions{}))
}

// goBack brings the cloud back to how f has left it, from how since has left it. That is no operation. The
// store hears only how the cloud was in the end, as from one that has forgotten its events, and what changes then.
func (r *trial) goBack(f, since func()) {
	r.t.Helper()
	r.deaf = true
	f()
	r.cloud.Must(r.t)(r.cloud.SaveSnapshot(r.t.Context(), simcloud.SnapshotSpec{Name: "before"}))
	since()
	r.deaf = false
	if err := r.st.Feed.ReadState(r.t.Context()); err != nil {
		r.t.Error(err)
	}
	r.harness.did(r.cloud.LoadSnapshot(r.t.Context(), "before"))
}
