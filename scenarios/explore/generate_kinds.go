package explore

import (
	"pgregory.net/rapid"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// changes are the kinds of what happens to the VMs, the Services and what is in the cloud.
func changes() []kind {
	service, lifecycle, route := []Area{Services}, []Area{Lifecycle, Nodes}, []Area{Routes}
	return []kind{
		{3, nil, "", func(g *generation) Op { return addVM{name: g.newNode()} }},
		{1, lifecycle, "", func(g *generation) Op { return addUnseenVM{name: g.newNode()} }},
		{2, nil, "", func(g *generation) Op { return deleteVM{of(g.node())} }},
		{3, lifecycle, "", func(g *generation) Op {
			return stopVM{named: of(g.node()), suspend: rapid.SampledFrom([]bool{false, false, true}).Draw(g.T, "suspend")}
		}},
		{1, lifecycle, "", func(g *generation) Op { return startVM{of(g.node())} }},
		{4, lifecycle, "", func(g *generation) Op { return silence{of(g.node())} }},
		{1, lifecycle, "", func(g *generation) Op { return speak{of(g.node())} }},
		{1, service, "", func(g *generation) Op { return exclude{of(g.node())} }},
		{3, service, "", drawAddService},
		{3, service, "", func(g *generation) Op { return deleteService{of(g.service())} }},
		{3, service, "", func(g *generation) Op { return replaceService{of(g.service())} }},
		{2, service, "", func(g *generation) Op { return changeType{of(g.service())} }},
		{2, service, "", drawChangePorts},
		{1, service, "", func(*generation) Op { return slowBalancers{} }},
		{4, service, "", func(g *generation) Op { return dropBalancer{of(g.service())} }},
		{4, service, "", func(g *generation) Op { return foreignTarget{name: g.service()} }},
		{1, service, "", func(*generation) Op { return foreignBalancer{} }},
		{2, route, "", func(*generation) Op { return foreignRoute{} }},
		{2, route, "", func(g *generation) Op { return dropRoute{of(g.node())} }},
		{1, nil, "", func(*generation) Op { return ccmDo{verb: "restart"} }},
		{1, nil, "tokenRenewal", func(*generation) Op { return newToken{} }},
	}
}

// newNode is a name that no machine has had.
func (g *generation) newNode() string { return nodeName(len(g.model.vms) + 1) }

// node is one of the machines that are there.
func (g *generation) node() string { return g.among(g.model.vmsThat((*vm).there)) }

// service is one of the Services that are there.
func (g *generation) service() string {
	return g.among(g.model.servicesThat((*service).wanted))
}

func drawAddService(g *generation) Op {
	return addService{
		name:  serviceName(len(g.model.services) + 1),
		ports: rapid.IntRange(1, 2).Draw(g.T, "ports"),
		local: rapid.SampledFrom([]bool{false, false, true}).Draw(g.T, "local"),
	}
}

func drawChangePorts(g *generation) Op {
	return changePorts{named: of(g.service()), port: rapid.SampledFrom([]int{81, 8080}).Draw(g.T, "port")}
}

// disruptions are the kinds of what goes wrong.
func disruptions() []kind {
	return []kind{
		{10, []Area{Nodes, Lifecycle}, "", func(g *generation) Op { return g.fault(instanceReads()) }},
		{3, []Area{Nodes, Lifecycle}, "", func(g *generation) Op { return g.fault(instanceLists()) }},
		{6, []Area{Services}, "", func(g *generation) Op { return g.fault(balancerCalls()) }},
		{2, []Area{Services}, "", func(g *generation) Op { return g.fault(balancerStates(g.able)) }},
		{3, []Area{Routes}, "", func(g *generation) Op { return g.fault(routeCalls()) }},
		{2, nil, "", func(g *generation) Op { return g.fault(anyCalls()) }},
		{4, []Area{Services, Routes}, "", drawKillAt},
		{2, nil, "", func(g *generation) Op {
			return ccmDo{verb: rapid.SampledFrom([]string{"stop", "kill", "pause"}).Draw(g.T, "verb")}
		}},
		{2, nil, "", func(g *generation) Op { return rapid.SampledFrom(forbids()).Draw(g.T, "rights") }},
		{1, nil, "", func(*generation) Op { return restartAPI{} }},
	}
}

// faults are operations and what may happen to them.
type faults struct {
	operations, effects []string
	times               []int // 0: for as long as the rule is there
}

// fault draws a rule with one effect, which may last, or with many one after the
// other: most CCMs get most of them right, and one of them is enough to show that they do not.
func (g *generation) fault(of faults) Op {
	operation := rapid.SampledFrom(of.operations).Draw(g.T, "operation")
	effects := rapid.Permutation(of.effects).Draw(g.T, "effects")
	if rapid.Bool().Draw(g.T, "one effect") {
		return arm{operation: operation, effects: effects[0], times: rapid.SampledFrom(of.times).Draw(g.T, "times")}
	}
	return armOneByOne(operation, effects[:min(len(effects), rapid.IntRange(4, 12).Draw(g.T, "number"))])
}

// instanceReads never say that a VM is gone: a CCM may believe it.
func instanceReads() faults {
	return faults{
		operations: []string{"*Instance*", "GetInstance", "ListInstances"},
		effects:    answers(),
		times:      []int{0}, // what passes, clients try again by themselves
	}
}

// instanceLists are lists that lie, but leave nothing out that was there for a
// while: who knows VMs by lists alone would rightly take it for gone.
func instanceLists() faults {
	return faults{
		operations: []string{"ListInstances"},
		effects:    []string{"{page: {lie: size, size: 1}}", "{page: {lie: duplicate}}", "{stale: {by: 3s}}"},
		times:      []int{0, 0, 3},
	}
}

func balancerCalls() faults {
	return faults{
		operations: []string{"CreateLoadBalancer", "CreateFloatingIP", "DeleteLoadBalancer", "DeleteFloatingIP", "*LoadBalancer*", "*FloatingIP*", "*Target", "*Listener"},
		effects: append(answers(), "{error: {code: locked, retryAfter: 1s}}", "{error: {code: conflict}}", "{error: {code: quota_exceeded}}",
			"{delay: {duration: 2s}}"),
		times: []int{1, 2, 1},
	}
}

// balancerStates are effects on load balancers themselves.
func balancerStates(able scenarios.CapabilitySet) faults {
	effects := []string{"{state: {to: error}}", "{lock: {for: 3s}}", "{state: {to: active, after: 3s}}"}
	if !able["errorState"] { // none would leave it again
		effects = effects[1:]
	}
	return faults{operations: []string{"CreateLoadBalancer"}, effects: effects, times: []int{1, 2}}
}

func routeCalls() faults {
	return faults{
		operations: []string{"CreateRoute", "DeleteRoute", "*Route*"},
		effects:    append(answers(), "{error: {code: conflict}}", "{error: {code: locked, retryAfter: 1s}}", "{error: {code: quota_exceeded}}", "{delay: {duration: 2s}}"),
		times:      []int{1, 3, 0},
	}
}

func anyCalls() faults {
	return faults{operations: []string{"*"}, effects: answers(), times: []int{0, 3}}
}

// answers are effects that any call can have.
func answers() []string {
	return []string{
		"{error: {code: unauthenticated}}", "{error: {code: unavailable}}", "{error: {code: rate_limited, retryAfter: 1s}}",
		"{reset: {when: after}}", "{reset: {when: before}}", "{garble: {body: html}}", "{garble: {body: \"null\"}}",
		"{error: {code: forbidden}}", "{error: {code: internal}}", "{error: {code: timeout}}",
		"{garble: {body: bare-404}}", "{garble: {body: empty}}", "{garble: {body: truncated}}",
	}
}

func drawKillAt(g *generation) Op {
	return killAt{
		operation: rapid.SampledFrom([]string{
			"CreateLoadBalancer", "DeleteLoadBalancer", "CreateFloatingIP", "DeleteFloatingIP", "*Target", "*Listener", "CreateRoute", "DeleteRoute",
		}).Draw(g.T, "operation"),
		after: rapid.Bool().Draw(g.T, "after"),
	}
}

func forbids() []Op {
	return []Op{
		forbid{verbs: "delete", resources: "nodes"},
		forbid{verbs: "update, patch", resources: "nodes"},
		forbid{verbs: "update, patch", resources: "nodes/status"},
		forbid{verbs: "update, patch", resources: "services/status"},
		forbid{verbs: "create, patch", resources: "events"},
	}
}
