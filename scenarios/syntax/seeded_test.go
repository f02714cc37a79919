package syntax_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestSeededMistakes: mistakes that authors of scenarios have made, each of which lint finds and explains.
func TestSeededMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, steps, want string }{
		{"key", `expect: true
    withn: 3s`, `has no key "withn" ("within"?)`},
		{"variable", `expect: nods.size() == 1`, `s.yaml:8:13: there is no variable or function "nods" ("nodes"?)`},
		{"field of the cloud", `expect: 'instances.all(i, i.status == "")'`, `an Instance has no field "status" ("state"?)`},
		{"field of the cluster", `expect: 'nodes["node-1"].spec.providerId != ""'`, `a NodeSpec has no field "providerId" ("providerID"?)`},
		{"argument", `cloud: {operation: CreateInstance, args: {nmae: a}}`, `CreateInstance has no argument "nmae" ("name"?)`},
		{"operation", `cloud: {operation: CreateInstanc, args: {name: a}}`, `the cloud has no operation "CreateInstanc" that a step can call ("CreateInstance"?)`},
		{"operation that changes", `cloud: {operation: SetConfig, args: {}}`, `that a step can call ("UpdateConfig"?)`},
		{"operation that reads", `cloud: {operation: GtConfig}`, `that a step can call ("GetConfig"?)`},
		{"no argument", `cloud: {operation: StopInstance}`, `StopInstance needs the argument "id"`},
		{"quote of an expression", `expect: label(nodes["node-1"], "a") == "x`, `the text that begins here has no closing quote`},
		{"colon in a text", `because: A CCM: it must.
    expect: true`, `a text with ": " in it needs quotes`},
		{"indentation", `expect: true
     within: 3s`, `s.yaml:9: mapping values are not allowed in this context`},
		{"quote of a text", `expect: "true`, `a quote is not closed`},
		{"bracket", `ccm: {start: {flags: [--v=5}}`, `a bracket is not closed`},
		{"duration without a unit", `expect: true
    within: 20`, `within is "20": want a duration such as 500ms, 30s or 1m30s`},
		{"duration with a space", `expect: true
    within: 20 s`, `within is "20 s": want a duration`},
		{"duration of another unit", `expect: true
    within: 20sec`, `within is "20sec": want a duration`},
		{"manifest that is not indented", `apply: |
    apiVersion: v1
    kind: Service`, `"apiVersion" is beside apply and not in its text`},
		{"verb", `aply: x`, `there is no verb "aply" ("apply"?)`},
		{"glob that is malformed", `fault: {name: f, match: {operation: "Creat[e"}, effect: {hang: {}}}`, `Creat[e`},
		{"glob that matches nothing", `fault: {name: f, match: {operation: "Craete*"}, effect: {hang: {}}}`, `Craete*`},
		{"code of a fault", `fault: {name: f, match: {operation: "*"}, effect: {error: {code: quota}}}`, `quota`},
		{"code of a call", `cloud: {operation: CreateInstance, args: {name: a}, fails: quota}`, `fails is "quota"`},
		{"captured name", `cloud: {operation: DeleteInstance, args: {id: "${vm.id}"}}`, `there is no variable or function "vm"`},
		{"field of a captured answer", `cloud: {operation: CreateInstance, args: {name: a}, capture: vm}
  - cloud: {operation: DeleteInstance, args: {id: "${vm.id}"}}`, `an InstanceResult has no field "id": it has operation, resource`},
		{"fault that no step adds", `expect: faults["lost"].hits == 1`, `no step before this one adds a fault "lost"`},
		{"no truth", `expect: nodes.size()`, `expect is of type int: want an expression that is true or false`},
		{"assignment", `expect: nodes.size() = 1`, `"=" is no operator: want "=="`},
		{"kind", `apply: "{apiVersion: v1, kind: Servise, metadata: {name: web}}"`, `Kubernetes has no kind "Servise" in v1 ("Service"?)`},
		{"field of a manifest", `apply: |
      apiVersion: v1
      kind: Service
      metadata: {name: web}
      spec: {prts: [{port: 80}]}`, `s.yaml:12:14: a ServiceSpec has no field "prts" ("ports"?)`},
		{"type of an address", `expect: addresses(nodes["node-1"], "InternalIp").size() == 1`, `an address of a Node is never of the type "InternalIp" ("InternalIP"?)`},
		{"taint", `expect: '!tainted(nodes["node-1"], "node.cloudprovider.kubernetes.io/uninitialised")'`, `("node.cloudprovider.kubernetes.io/uninitialized"?)`},
		{"label", `expect: label(nodes["node-1"], "topology.kubernetes.io/zones") == ""`, `("topology.kubernetes.io/zone"?)`},
		{"machine", `machine: {kill: node-9}`, `there is no machine "node-9" here ("node-1"?)`},
		{"state", `expect: 'loadBalancers.all(lb, lb.state == "actve")'`, `the state of a LoadBalancer is never "actve" ("active"?)`},
		{"state among others", `expect: 'loadBalancers.all(lb, lb.state in ["active", "provisionin"])'`, `is never "provisionin" ("provisioning"?)`},
		{"key of the cloud config", `ccm: {start: {config: {nodeGracePerod: 5s}}}`, `the cloud config of simcloud-ccm has no key "nodeGracePerod" ("nodeGracePeriod"?)`},
		{"part of the cloud config", `ccm: {start: {config: {loadBalancer: {intern: true}}}}`, `has no key "loadBalancer.intern" ("loadBalancer.internal"?)`},
		{"types", `expect: nodes["node-1"].spec.unschedulable == "true"`, `== compares values of one type, and these are (bool, string)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := loader().Parse("s.yaml", []byte(`apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: x}
spec:
  description: d
  nodes: 1
  steps:
  - `+c.steps+"\n"))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it is said that %v; want %q", err, c.want)
			}
			if lines := strings.Count(fmt.Sprint(err), "\n"); lines > 0 {
				t.Errorf("one mistake, and %d lines: %v", lines+1, err)
			}
		})
	}
}
