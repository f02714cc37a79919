package ccm

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func nodeOf(name, providerID string) *v1.Node {
	node := namedNode(name)
	node.Spec.ProviderID = providerID
	return node
}

// Another cloud has an i-1, too. Neither that this one has one nor that it has
// none says anything of that machine.
func TestNodesOfAnotherRegionAreErrors(t *testing.T) {
	t.Parallel()
	for _, region := range []simcloud.ID{"", "region-1"} {
		for _, id := range []string{"simcloud://moon/i-1", "simcloud://moon/i-99"} {
			w := newWorld(t, 1, func(cfg *config.Config) { cfg.Region = region })
			i, node := w.cloud.instances, nodeOf("node-1", id)
			if exists, err := i.InstanceExists(w.ctx(), node); err == nil {
				t.Errorf("region %q, %s: InstanceExists = %v; want an error", region, id, exists)
			}
			if _, err := i.InstanceShutdown(w.ctx(), node); err == nil || errors.Is(err, cloudprovider.InstanceNotFound) {
				t.Errorf("region %q, %s: InstanceShutdown: %v; want an error that is not InstanceNotFound", region, id, err)
			}
			metadata, err := i.InstanceMetadata(w.ctx(), node)
			if err == nil || metadata != nil || errors.Is(err, cloudprovider.InstanceNotFound) {
				t.Errorf("region %q, %s: InstanceMetadata = %v, %v; want an error that is not InstanceNotFound", region, id, metadata, err)
			}
		}
	}
}

// The regions are asked for once, and only when an instance is not there.
func TestRegionsAreAskedForOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	gone := nodeOf("gone", "simcloud://region-1/i-99")
	for range 2 {
		if exists, err := w.cloud.instances.InstanceExists(w.ctx(), gone); exists || err != nil {
			t.Errorf("InstanceExists = %v, %v; want false", exists, err)
		}
	}
	if diff := cmp.Diff([]string{"GetInstance", "ListRegions", "GetInstance"}, w.took()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}

	w.restart(w.cloud.config)
	for _, node := range []*v1.Node{w.nodes[0], gone} {
		if _, err := w.cloud.instances.InstanceExists(w.ctx(), node); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"GetInstance", "GetInstance"}, w.took()); diff != "" {
		t.Errorf("calls after an instance of the region was seen (-want +got):\n%s", diff)
	}
}

// Without the list of regions it is not known whose the instance would be.
func TestWithoutTheRegionsNothingIsGone(t *testing.T) {
	t.Parallel()
	for _, code := range simcloud.Codes() {
		w := newWorld(t, 1)
		w.failing = func(operation string, _ int) failure {
			if operation == "ListRegions" {
				return failure{err: &simcloud.Error{Code: code}}
			}
			return failure{}
		}
		if exists, err := w.cloud.instances.InstanceExists(w.ctx(), nodeOf("gone", "simcloud://region-1/i-99")); err == nil {
			t.Errorf("%s: InstanceExists = %v; want an error", code, exists)
		}
	}
}

func TestANodeOfAnotherRegionIsNoTarget(t *testing.T) {
	t.Parallel()
	for _, region := range []simcloud.ID{"", "region-1"} {
		w := newWorld(t, 2, func(cfg *config.Config) { cfg.Region = region })
		w.nodes[0].Spec.ProviderID = "simcloud://moon/i-1"
		w.mustEnsure(ccmtest.Service())
		targets := w.balancer().Targets
		if len(targets) != 1 || targets[0].Instance != "i-2" {
			t.Errorf("region %q: targets %v, want i-2 alone", region, targets)
		}
	}
}

// A load balancer keeps its targets when the cloud cannot be asked about their region.
func TestWithoutTheRegionsTargetsStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.mustEnsure(ccmtest.Service())
	w.restart(w.cloud.config)
	w.took()
	w.failing = func(string, int) failure { return failure{err: lost()} }
	if err := w.cloud.balancers.UpdateLoadBalancer(w.ctx(), ccmtest.Cluster, ccmtest.Service(), w.nodes); !errors.Is(err, simcloud.Unavailable) {
		t.Errorf("got %v, want Unavailable", err)
	}
	if calls := w.took(); !slices.Equal(calls, []string{"ListRegions"}) {
		t.Errorf("calls: %v, want ListRegions alone", calls)
	}
}

func TestARouteDoesNotLeadToAnotherRegion(t *testing.T) {
	t.Parallel()
	for _, region := range []simcloud.ID{"", "region-1"} {
		w := newWorld(t, 1, func(cfg *config.Config) { cfg.Region = region })
		w.know(w.nodes...)
		if err := w.createRoute("node-1", "10.244.0.0/24"); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]string{"simcloud://moon/i-1": "", "simcloud://region-1/i-1": "node-1"} {
			w.know(nodeOf("node-1", id))
			if list := w.listRoutes(); len(list) != 1 || string(list[0].TargetNode) != want {
				t.Errorf("region %q, %s: routes %+v, want one of node %q", region, id, list, want)
			}
		}
	}
}

// A route stays its Node's while the cloud cannot be asked about the region.
func TestWithoutTheRegionsRoutesStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.know(w.nodes...)
	if err := w.createRoute("node-1", "10.244.0.0/24"); err != nil {
		t.Fatal(err)
	}
	w.restart(w.cloud.config)
	w.know(w.nodes...)
	w.failing = func(operation string, _ int) failure {
		if operation == "ListRegions" {
			return failure{err: lost()}
		}
		return failure{}
	}
	if list := w.listRoutes(); len(list) != 1 || list[0].TargetNode != "node-1" {
		t.Errorf("routes %+v, want one of node-1", list)
	}
}
