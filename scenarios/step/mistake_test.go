package step_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// refusing is a cluster whose API refuses each patch as invalid.
func refusing(c *steptest.Cluster) {
	c.Kube.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewInvalid(schema.GroupKind{Kind: "Node"}, "node-1", nil)
	})
}

// refusingAs is a cluster whose API refuses each patch so.
func refusingAs(err error) func(*steptest.Cluster) {
	return func(c *steptest.Cluster) {
		c.Kube.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, err })
	}
}

// conflicting is a cluster whose API refuses an object with a uid of its own, as it does when there is none with that uid.
var conflicting = refusingAs(apierrors.NewConflict(schema.GroupResource{Resource: "services"}, "web", errors.New("uid mismatch: the provided object specified uid u-1, and no existing object was found")))

// TestWhoseFault: a step that is wrong in the file, whatever the CCM does, makes the scenario invalid. One that may have
// failed because of the CCM makes it fail.
func TestWhoseFault(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spec string
		with func(*steptest.Cluster)
		want scenarios.Status
		says string
	}{
		"an unknown kind to apply":     {"steps: [{apply: '{apiVersion: example.com/v1, kind: Servise, metadata: {name: web}}'}]", nil, scenarios.Invalid, "has no kind"},
		"an unknown kind to delete":    {"steps: [{delete: servise/web}]", nil, scenarios.Invalid, `has no kind "servise"`},
		"an object that never was":     {"steps: [{delete: service/wbe}]", nil, scenarios.Invalid, `"wbe" not found`},
		"an object that was there":     {"steps: [{cloud: {operation: StopInstance, args: {id: i-1}}}, {delete: node/node-1}]", nodeGoes, scenarios.Failed, `"node-1" not found`},
		"a patch that is refused":      {"steps: [{patch: {target: node/node-1, patch: {spec: {unschedulable: 3}}}}]", refusing, scenarios.Invalid, "is invalid"},
		"an exported object":           {"steps: [{apply: '{apiVersion: v1, kind: Service, metadata: {name: web, uid: u-1, resourceVersion: \"7\"}}'}]", conflicting, scenarios.Invalid, "remove metadata.resourceVersion and metadata.uid, which the API server sets"},
		"one that is forbidden":        {"steps: [{patch: {target: node/node-1, patch: {spec: {unschedulable: true}}}}]", refusingAs(apierrors.NewForbidden(schema.GroupResource{}, "node-1", errors.New("no"))), scenarios.Invalid, "forbidden"},
		"a server with too much to do": {"steps: [{patch: {target: node/node-1, patch: {spec: {unschedulable: true}}}}]", refusingAs(apierrors.NewTooManyRequests("later", 1)), scenarios.Failed, "later"},
		"a server that is broken":      {"steps: [{patch: {target: node/node-1, patch: {spec: {unschedulable: true}}}}]", refusingAs(apierrors.NewInternalError(errors.New("no etcd"))), scenarios.Failed, "no etcd"},
		"a capture without a value":    {"steps: [{capture: {a: 'services[\"web\"].metadata.uid'}}]", nil, scenarios.Invalid, "let an expectation wait for it first"},
		"arguments without a value":    {"steps: [{capture: {vms: 'instances.filter(vm, vm.name == \"b\")'}}, {delete: 'node/${vms[0].name}'}]", nil, scenarios.Invalid, "index out of bounds: 0: let an expectation wait for it first"},
		"a fault without a value":      {"capabilities: [loadBalancers]\n  steps: [{fault: {name: f, match: {operation: GetLoadBalancer, resource: '${loadBalancers[0].id}'}, effect: {error: {code: unavailable}}}}]", nil, scenarios.Invalid, "let an expectation wait for it first"},
		"one with what the CCM writes": {"steps: [{patch: {target: node/node-1, patch: {spec: {unschedulable: '${loadBalancers.size()}'}}}}]", refusing, scenarios.Failed, "is invalid"},
		"an unknown zone":              {"steps: [{cloud: {operation: CreateInstance, args: {name: a, zone: nope}}}]", nil, scenarios.Invalid, "nope"},
		"one that the CCM may choose":  {"steps: [{cloud: {operation: CreateInstance, args: {name: a, zone: '${\"no\" + nodes[\"node-1\"].metadata.name}'}}}]", nil, scenarios.Failed, "nonode-1"},
		"an instance that never was":   {"steps: [{cloud: {operation: StopInstance, args: {id: i-99}}}]", nil, scenarios.Invalid, "i-99"},
		"an instance that is gone":     {"steps: [{cloud: {operation: DeleteInstance, args: {id: i-1}}}, {expect: 'instances.size() == 0', within: 60s}, {cloud: {operation: StopInstance, args: {id: i-1}}}]", nil, scenarios.Failed, "i-1"},
		"what a CCM should have made":  {"steps: [{cloud: {operation: DeleteLoadBalancer, args: {id: lb-1}}}]", nil, scenarios.Failed, "lb-1"},
		"a wrong type":                 {`steps: [{expect: 'dyn(nodes["node-1"].metadata.name) > 3'}]`, nil, scenarios.Invalid, "no such overload"},
		"a wrong type in a text":       {"steps: [{delete: 'service/${dyn(nodes[\"node-1\"].metadata.name) + 3}'}]", nil, scenarios.Invalid, "no such overload"},
		"a wrong value":                {`steps: [{expect: 'int(nodes["node-1"].metadata.name) > 3'}]`, nil, scenarios.Failed, "cannot be evaluated"},
		"a value that is missing":      {`steps: [{expect: 'dyn(nodes["node-1"].metadata).nam == ""'}]`, nil, scenarios.Failed, "the expectation is false"},
		"a wrong type in finally":      {"steps: [{sleep: 1s}]\n  finally: [{expect: 'dyn(nodes[\"node-1\"].metadata.name) > 3'}]", nil, scenarios.Invalid, "no such overload"},
		"a key that an answer lacks":   {"steps: [{cloud: {operation: CreateInstance, args: {name: a}, capture: vm}}]\n  finally: [{cloud: {operation: DeleteInstance, args: {id: '${dyn(vm).id}'}}}]", nil, scenarios.Invalid, "no such key: id"},
		"a step that was not reached":  {"steps: [{expect: 'nodes.size() == 7'}, {cloud: {operation: CreateInstance, args: {name: a}, capture: vm}}]\n  finally: [{cloud: {operation: DeleteInstance, args: {id: '${vm.resource.id}'}}}]", nil, scenarios.Failed, "nodes.size() == 7"},
		"a machine that never was":     {"steps: [{machine: {kill: '${\"node-9\"}'}}]", noMachine, scenarios.Invalid, "no such machine"},
		"a machine that was there":     {"steps: [{machine: {kill: node-1}}]", noMachine, scenarios.Failed, "no such machine"},
		"a failure and then a mistake": {"steps: [{expect: 'nodes.size() == 7'}]\n  finally: [{expect: 'dyn(nodes[\"node-1\"].metadata.name) > 3'}]", nil, scenarios.Failed, "no such overload"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := steptest.NewCluster(t)
				if test.with != nil {
					test.with(c)
				}
				r := runtest.PerformSpec(t, c, "ccm: stopped\n  skipOracles: [node-kept]\n  nodes: 1\n  "+test.spec)
				if text := allText(r); r.Status != test.want || !strings.Contains(text, test.says) {
					t.Fatalf("it is %s (%s), want %s with %q: %s", r.Status, r.Error, test.want, test.says, text)
				}
				if test.want == scenarios.Invalid && len(r.Failures) != 1 {
					t.Errorf("the oracles have judged what was not done as it was meant: %s", allText(r))
				}
				text := r.Failures[0].String()
				if blames := strings.Contains(text, "what a CCM must do"); blames == (test.want == scenarios.Invalid) {
					t.Errorf("it is %s, and the failure reads:\n%s", r.Status, text)
				}
				if owns := strings.Contains(text, scenarios.InvalidWords); owns != (test.want == scenarios.Invalid) {
					t.Errorf("it is %s, and the failure reads:\n%s", r.Status, text)
				}
			})
		})
	}
}

// allText is everything that the failures say.
func allText(r scenarios.Result) string {
	var text strings.Builder
	for _, f := range r.Failures {
		text.WriteString(f.String())
	}
	return text.String()
}

// nodeGoes lets another client delete the Node when its instance stops.
func nodeGoes(c *steptest.Cluster) {
	c.After("StopInstance", func(map[string]any) error {
		return c.Kube.Tracker().Delete(observe.Watched[0].GVR, "", "node-1", metav1.DeleteOptions{})
	})
}

// noMachine lets every machine be unknown.
func noMachine(c *steptest.Cluster) {
	c.Control.Err = simcloud.Errorf(simcloud.NotFound, "machine/x", "no such machine")
}
