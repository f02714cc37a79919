package ccm

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestEnsureCreatesInOneGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	svc := ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 80, 30080), ccmtest.Port("UDP", 53, 30053)))
	status := w.mustEnsure(svc)

	w.wantCloud("lb-1 active public round_robin", "udp-53 to 30053, check tcp 30080", "tcp-80 to 30080, check tcp 30080",
		"target i-1", "target i-2", "fip-1 at lb-1")
	want := []string{"ListRegions", "ListLoadBalancers", "ListFloatingIPs", "ListLoadBalancers", "CreateLoadBalancer", "CreateFloatingIP", "GetLoadBalancer"}
	if diff := cmp.Diff(want, w.took()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	ip := w.state().FloatingIPs[0]
	if diff := cmp.Diff(statusAt(ip.Address), status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	lb := w.balancer()
	labels := map[string]string{label.ServiceUID: "uid-1", label.ServiceName: "default/web", label.Cluster: ccmtest.Cluster}
	for what, got := range map[string]map[string]string{"load balancer": lb.Labels, "floating IP": ip.Labels} {
		if diff := cmp.Diff(labels, got); diff != "" {
			t.Errorf("labels of the %s (-want +got):\n%s", what, diff)
		}
	}
	w.wantIdle(svc)
	w.mustRemove(svc)
	w.wantEmpty()
}

func TestEnsureFollowsTheService(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := ccmtest.Service()
	before := w.mustEnsure(svc)
	w.took()

	svc = ccmtest.Service(ccmtest.Local, ccmtest.Annotate(annotation.Algorithm, "least_connections"), ccmtest.Ports(ccmtest.Port("TCP", 443, 30443)))
	after := w.mustEnsure(svc)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the address changed with the port (-before +after):\n%s", diff)
	}
	w.wantCloud("lb-1 active public least_connections", "tcp-443 to 30443, check http 31000/healthz", "target i-1", "fip-1 at lb-1")
	want := []string{"UpdateLoadBalancer", "CreateListener", "DeleteListener"}
	if diff := cmp.Diff(want, writes(w.took())); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	w.wantIdle(svc)
}

func TestUpdateFollowsTheNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	svc := ccmtest.Service()
	w.mustEnsure(svc)
	w.took()
	w.nodes = append(w.nodes[1:], w.boot("node-3"), namedNode("node-4"),
		&v1.Node{Spec: v1.NodeSpec{ProviderID: "kind://docker/kind/node-5"}})
	// A port that differs is not the business of a node sync.
	changed := ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 81, 30081)))
	if err := w.cloud.balancers.UpdateLoadBalancer(w.ctx(), ccmtest.Cluster, changed, w.nodes); err != nil {
		t.Fatal(err)
	}
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-2", "target i-3", "fip-1 at lb-1")
	if diff := cmp.Diff([]string{"CreateTarget", "DeleteTarget"}, writes(w.took())); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	w.wantIdle(svc)
}

func TestUpdateWithoutLoadBalancerIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	err := w.cloud.balancers.UpdateLoadBalancer(w.ctx(), ccmtest.Cluster, ccmtest.Service(), w.nodes)
	if !errors.Is(err, simcloud.NotFound) {
		t.Errorf("got %v, want NotFound", err)
	}
	if wrote := writes(w.took()); len(wrote) > 0 {
		t.Errorf("writes: %v", wrote)
	}
}

func TestInternal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := ccmtest.Service(ccmtest.Annotate(annotation.Internal, "true"))
	status := w.mustEnsure(svc)
	w.wantCloud("lb-1 active internal round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1")
	if diff := cmp.Diff(statusAt(w.balancer().VIPs[0].Address), status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	w.wantIdle(svc)

	w.mustEnsure(ccmtest.Service())
	w.wantCloud("lb-2 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "fip-1 at lb-2")
	w.wantEvent("Normal ReplacingLoadBalancer Load balancer lb-1 is internal")
	w.mustEnsure(svc)
	w.wantCloud("lb-3 active internal round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1")
	w.mustRemove(svc)
	w.wantEmpty()
}

func TestRequestedAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.mustEnsure(ccmtest.Service())
	at := func(address string) *v1.Service {
		return ccmtest.Service(func(svc *v1.Service) { svc.Spec.LoadBalancerIP = address })
	}
	status := w.mustEnsure(at("127.77.9.9"))
	if got := status.Ingress[0].IP; got != "127.77.9.9" {
		t.Errorf("address %s, want 127.77.9.9", got)
	}
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "fip-2 at lb-1")
	w.wantIdle(at("127.77.9.9"))
	w.wantIdle(ccmtest.Service()) // without a wish the present address is accepted

	other := ccmtest.Service(func(svc *v1.Service) { svc.UID, svc.Name, svc.Spec.LoadBalancerIP = "uid-2", "other", "127.77.9.9" })
	if _, err := w.ensure(other); !errors.Is(err, simcloud.InUse) {
		t.Errorf("an address that is taken: got %v, want InUse", err)
	}
	w.wantEvent("Warning LoadBalancerRefused in_use (floating_ip/fip-2): 127.77.9.9 is used by the Service default/web")
	if got := w.mustEnsure(at("127.77.9.9")).Ingress[0].IP; got != "127.77.9.9" {
		t.Errorf("the first Service lost its address, and has %s", got)
	}
	w.mustRemove(other)
	w.mustRemove(ccmtest.Service())
	w.wantEmpty()
}

func TestATargetThatIsGoneDoesNotStopTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	svc := ccmtest.Service()
	gone := func(i int) {
		id, err := providerid.Parse(w.nodes[i].Spec.ProviderID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.api.DeleteInstance(w.ctx(), id.Instance); err != nil {
			t.Fatal(err)
		}
	}
	gone(0)
	w.mustEnsure(svc)
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-2", "target i-3", "fip-1 at lb-1")
	w.wantEvent("Warning TargetSkipped Instance i-1 is not a target")

	w.nodes = append(w.nodes, w.boot("node-4"), w.boot("node-5"))
	gone(3)
	if err := w.cloud.balancers.UpdateLoadBalancer(w.ctx(), ccmtest.Cluster, svc, w.nodes); err != nil {
		t.Fatal(err)
	}
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080",
		"target i-2", "target i-3", "target i-5", "fip-1 at lb-1")
}

func TestForeignPartsStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := ccmtest.Service()
	w.mustEnsure(svc)
	stranger := w.boot("stranger")
	id, _ := providerid.Parse(stranger.Spec.ProviderID)
	if _, err := w.api.CreateTarget(w.ctx(), "lb-1", simcloud.TargetSpec{Instance: id.Instance}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.CreateListener(w.ctx(), "lb-1", simcloud.ListenerSpec{
		Protocol: "tcp", Port: 22, ListenerConfig: simcloud.ListenerConfig{TargetPort: 22},
	}); err != nil {
		t.Fatal(err)
	}
	w.wantIdle(svc)
	w.mustEnsure(ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 443, 30443))))
	w.wantCloud("lb-1 active public round_robin", "tcp-22 to 22", "tcp-443 to 30443, check tcp 30443", "target i-1", "target i-2", "fip-1 at lb-1")
}

func TestTwoLoadBalancersAreAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := ccmtest.Service()
	w.mustEnsure(svc)
	labels := map[string]string{label.ServiceUID: string(svc.UID)}
	if _, err := w.api.CreateLoadBalancer(w.ctx(), simcloud.LoadBalancerSpec{Name: "second", Labels: labels}); err != nil {
		t.Fatal(err)
	}
	w.took()
	if _, err := w.ensure(svc); err == nil {
		t.Error("two load balancers with the UID are no error")
	}
	if wrote := writes(w.took()); len(wrote) > 0 {
		t.Errorf("writes: %v", wrote)
	}
	w.mustRemove(svc)
	w.wantEmpty()
}

func TestAnotherServicesLoadBalancerStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc, other := ccmtest.Service(), ccmtest.Service(func(svc *v1.Service) { svc.UID = "uid-2" })
	w.mustEnsure(svc)
	w.mustEnsure(other)
	w.mustRemove(svc)
	w.wantCloud("lb-2 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "fip-2 at lb-2")
}

func TestErrorStateIsReplacedAndKeepsItsAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := ccmtest.Service()
	before := w.mustEnsure(svc)
	w.balance(brokenAPI{w.cloud.api, "lb-1"})
	after := w.mustEnsure(svc)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("status (-before +after):\n%s", diff)
	}
	w.wantCloud("lb-2 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "fip-1 at lb-2")
	w.wantEvent("Warning ReplacingLoadBalancer Load balancer lb-1 is in state error")
}

// A floating IP that is left over keeps the Service alive: the controller asks
// GetLoadBalancer before it drops its finalizer.
func TestLeftoversAreRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := ccmtest.Service()
	w.mustEnsure(svc)
	if _, err := w.api.DeleteLoadBalancer(w.ctx(), "lb-1"); err != nil {
		t.Fatal(err)
	}
	if _, exists, err := w.cloud.balancers.GetLoadBalancer(w.ctx(), ccmtest.Cluster, svc); !exists || err != nil {
		t.Errorf("GetLoadBalancer with a floating IP left: %v, %v; want true", exists, err)
	}
	w.mustRemove(svc)
	w.wantEmpty()
	if _, exists, err := w.cloud.balancers.GetLoadBalancer(w.ctx(), ccmtest.Cluster, svc); exists || err != nil {
		t.Errorf("GetLoadBalancer with nothing left: %v, %v; want false", exists, err)
	}
	if err := w.cloud.balancers.EnsureLoadBalancerDeleted(w.ctx(), ccmtest.Cluster, svc); err != nil {
		t.Errorf("the second deletion: %v", err)
	}
}

func TestAFloatingIPThatSomebodyMovedStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := ccmtest.Service()
	w.mustEnsure(svc)
	to := w.moveFloatingIP(svc)
	if err := w.remove(svc); !errors.Is(err, simcloud.InUse) {
		t.Errorf("remove: got %v, want InUse", err)
	}
	if got := w.state().FloatingIPs[0].AttachedTo; got != to {
		t.Errorf("the floating IP is at %v, want %v", got, to)
	}
}

func TestAnInvalidServiceChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	if _, err := w.ensure(ccmtest.Service(ccmtest.Annotate(annotation.Internal, "maybe"))); err == nil {
		t.Error("no error")
	}
	w.wantEvent(`Warning InvalidLoadBalancer annotation service.simcloud.dev/internal: invalid value "maybe": must be "true" or "false"`)
	if calls := w.took(); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
}

// What the cloud answers decides when the controller comes back.
func TestBusyIsRetriedAfterAFixedTime(t *testing.T) {
	t.Parallel()
	for _, code := range simcloud.Codes() {
		w := newWorld(t, 1)
		w.failing = func(operation string, _ int) failure {
			if operation != "CreateLoadBalancer" {
				return failure{}
			}
			return failure{err: &simcloud.Error{Code: code, RetryAfter: 7e9}}
		}
		_, err := w.ensure(ccmtest.Service())
		var retry *api.RetryError
		busy := code == simcloud.Locked || code == simcloud.RateLimited
		if errors.As(err, &retry) != busy || !errors.Is(err, code) {
			t.Errorf("%s: got %v (a RetryError: %v)", code, err, errors.As(err, &retry))
		}
		if busy && retry.RetryAfter() != 7e9 {
			t.Errorf("%s: retry after %v, want 7s", code, retry.RetryAfter())
		}
	}
}

// A deletion backs off in any case: there the controller does not look for a RetryError.
func TestDeletionNeverAsksForAFixedRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.mustEnsure(ccmtest.Service())
	w.failing = func(operation string, _ int) failure {
		if operation != "DeleteLoadBalancer" {
			return failure{}
		}
		return failure{err: &simcloud.Error{Code: simcloud.Locked, RetryAfter: 7e9}}
	}
	var retry *api.RetryError
	if err := w.remove(ccmtest.Service()); err == nil || errors.As(err, &retry) {
		t.Errorf("got %v, want an error that is no RetryError", err)
	}
}

func TestSomebodyElseChangesItMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	svc, all := ccmtest.Service(), w.nodes
	w.nodes = all[:1]
	w.mustEnsure(svc)
	w.nodes = all
	w.failing = func(operation string, _ int) failure {
		if operation == "CreateTarget" && !slices.ContainsFunc(w.balancer().Targets, func(t simcloud.Target) bool { return t.Instance == "i-2" }) {
			spec := simcloud.TargetSpec{Instance: "i-2", Labels: label.OfPart(svc.UID)}
			if _, err := w.api.CreateTarget(w.ctx(), "lb-1", spec); err != nil {
				t.Error(err)
			}
		}
		return failure{}
	}
	w.mustEnsure(svc)
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "target i-2", "fip-1 at lb-1")
}

// TestNodesThatComeTooEarly: a change of the Nodes that finds no load balancer
// must not be lost, because one may be on its way with the Nodes of before.
func TestNodesThatComeTooEarly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := ccmtest.Service()
	if err := w.cloud.balancers.UpdateLoadBalancer(w.ctx(), ccmtest.Cluster, svc, w.nodes); err == nil {
		t.Error("there is no load balancer to update, and that was no error")
	}
	for _, want := range []bool{true, false} {
		_, exists, err := w.cloud.balancers.GetLoadBalancer(w.ctx(), ccmtest.Cluster, svc)
		if err != nil || exists != want {
			t.Errorf("GetLoadBalancer = %v, %v, want %v", exists, err, want)
		}
	}
}

// statusAt is the status of a Service that is reached at one address.
func statusAt(address string) *v1.LoadBalancerStatus {
	mode := v1.LoadBalancerIPModeVIP
	return &v1.LoadBalancerStatus{Ingress: []v1.LoadBalancerIngress{{IP: address, IPMode: &mode}}}
}
