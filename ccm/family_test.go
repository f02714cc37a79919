package ccm

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func policy(p v1.IPFamilyPolicy) func(*v1.Service) {
	return func(svc *v1.Service) { svc.Spec.IPFamilyPolicy = &p }
}

func addressed(at string) func(*v1.Service) { return ccmtest.Annotate(annotation.Addresses, at) }

// wantAddresses holds the addresses of a Service, in their order, against what
// each begins with, and against the cloud: a public one has a floating IP for each.
func (w *world) wantAddresses(status *v1.LoadBalancerStatus, prefixes ...string) {
	w.t.Helper()
	if len(status.Ingress) != len(prefixes) {
		w.t.Fatalf("%d addresses, want %d: %v", len(status.Ingress), len(prefixes), status.Ingress)
	}
	for i, prefix := range prefixes {
		if got := status.Ingress[i].IP; !strings.HasPrefix(got, prefix) {
			w.t.Errorf("address %d is %s, want %s...", i, got, prefix)
		}
	}
}

// intoNetwork has a new provider make load balancers in a new network.
func (w *world) intoNetwork(cidrs ...string) {
	w.t.Helper()
	r, err := w.api.CreateNetwork(w.ctx(), simcloud.NetworkSpec{Name: "other", CIDRs: cidrs})
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := w.cloud.config
	cfg.Network = r.Resource.ID
	w.restart(cfg)
}

// TestFamilies: a public load balancer has one floating IP of each family, the
// primary one's first, and follows a second family that comes and goes.
func TestFamilies(t *testing.T) {
	t.Parallel()
	const v4, v6 = "127.77.", "fd77:"
	w := newWorld(t, 1)
	w.wantAddresses(w.mustEnsure(ccmtest.Service()), v4)
	both := w.mustEnsure(ccmtest.Service(ccmtest.Dual, policy(v1.IPFamilyPolicyRequireDualStack)))
	w.wantAddresses(both, v4, v6)
	w.wantIdle(ccmtest.Service(ccmtest.Dual))
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "fip-1 at lb-1", "fip-2 at lb-1")
	status, exists, err := w.cloud.balancers.GetLoadBalancer(w.ctx(), ccmtest.Cluster, ccmtest.Service(ccmtest.Dual))
	if diff := cmp.Diff(both, status); diff != "" || !exists || err != nil {
		t.Errorf("GetLoadBalancer: %v, %v (-want +got):\n%s", exists, err, diff)
	}

	w.wantAddresses(w.mustEnsure(ccmtest.Service(ccmtest.Families(v1.IPv4Protocol), policy(v1.IPFamilyPolicySingleStack))), v4)
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080", "target i-1", "fip-1 at lb-1")
	w.mustRemove(ccmtest.Service())
	w.wantEmpty()

	w.wantAddresses(w.mustEnsure(ccmtest.Service(ccmtest.Families(v1.IPv6Protocol))), v6)
	w.wantAddresses(w.mustEnsure(ccmtest.Service(ccmtest.Families(v1.IPv6Protocol, v1.IPv4Protocol))), v6, v4)
	w.mustRemove(ccmtest.Service())
	w.wantEmpty()
}

// TestFamilyThatTheCloudDoesNotHave: a preference accepts the primary
// family alone, with an Event; a requirement, and the primary family, must be met.
func TestFamilyThatTheCloudDoesNotHave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	if _, err := w.api.DeleteFloatingIPPool(w.ctx(), "public-v6"); err != nil {
		t.Fatal(err)
	}
	prefers := ccmtest.Service(ccmtest.Dual, policy(v1.IPFamilyPolicyPreferDualStack))
	w.wantAddresses(w.mustEnsure(prefers), "127.77.")
	w.wantEvent("Warning AddressFamilyMissing Load balancer lb-1 has no IPv6 address: the Service is reached by IPv4 alone")
	w.wantIdle(prefers)
	for _, svc := range []*v1.Service{
		ccmtest.Service(ccmtest.Dual, policy(v1.IPFamilyPolicyRequireDualStack)), ccmtest.Service(ccmtest.Families(v1.IPv6Protocol)),
		ccmtest.Service(ccmtest.Families(v1.IPv6Protocol, v1.IPv4Protocol), policy(v1.IPFamilyPolicyPreferDualStack)),
	} {
		if _, err := w.ensure(svc); !errors.Is(err, simcloud.Invalid) {
			t.Errorf("%v: got %v, want Invalid", svc.Spec.IPFamilies, err)
		}
		w.wantEvent("Warning LoadBalancerRefused create a floating IP: invalid")
	}
	if _, err := w.api.CreateFloatingIPPool(w.ctx(), simcloud.FloatingIPPoolSpec{Name: "new", CIDR: "fd78::/64"}); err != nil {
		t.Fatal(err)
	}
	w.wantAddresses(w.mustEnsure(prefers), "127.77.", "fd78:")
	w.mustRemove(prefers)
	w.wantEmpty()
}

func TestPoolsByFamily(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, func(cfg *config.Config) {
		cfg.LoadBalancer.FloatingIPPool, cfg.LoadBalancer.FloatingIPPoolV6 = "four", "six"
	})
	for name, cidr := range map[string]string{"four": "127.79.0.0/24", "six": "fd79::/64"} {
		if _, err := w.api.CreateFloatingIPPool(w.ctx(), simcloud.FloatingIPPoolSpec{Name: name, CIDR: cidr}); err != nil {
			t.Fatal(err)
		}
	}
	w.wantAddresses(w.mustEnsure(ccmtest.Service(ccmtest.Dual)), "127.79.0.", "fd79:")
}

// TestInternalFamilies: an internal load balancer listens on both families of
// its network, and the Service has those that it is of.
func TestInternalFamilies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	internal := ccmtest.Annotate(annotation.Internal, "true")
	w.intoNetwork("10.9.0.0/24", "fd09::/64")
	w.wantAddresses(w.mustEnsure(ccmtest.Service(internal)), "10.9.0.")
	w.wantAddresses(w.mustEnsure(ccmtest.Service(internal, ccmtest.Dual)), "10.9.0.", "fd09:")
	w.wantIdle(ccmtest.Service(internal, ccmtest.Dual))
	w.wantCloud("lb-1 active internal round_robin", "tcp-80 to 30080, check tcp 30080")
	w.mustRemove(ccmtest.Service(internal))

	w.intoNetwork("10.8.0.0/24")
	w.wantAddresses(w.mustEnsure(ccmtest.Service(internal, ccmtest.Dual, policy(v1.IPFamilyPolicyPreferDualStack))), "10.8.0.")
	w.wantEvent("Warning AddressFamilyMissing Load balancer lb-2 has no IPv6 address")
	for _, edit := range []func(*v1.Service){ccmtest.Families(v1.IPv6Protocol), func(svc *v1.Service) {
		ccmtest.Dual(svc)
		policy(v1.IPFamilyPolicyRequireDualStack)(svc)
	}} {
		if _, err := w.ensure(ccmtest.Service(internal, edit)); !errors.Is(err, simcloud.Invalid) {
			t.Errorf("got %v, want Invalid", err)
		}
		w.wantEvent("Warning LoadBalancerRefused invalid (load_balancer/lb-2): it has no IPv6 address, and the Service needs one")
	}
	w.mustRemove(ccmtest.Service(internal))
	w.wantEmpty()
}

// TestSourceRangesOfOneFamily: the other one is closed, as the cloud has it,
// and an Event reports it.
func TestSourceRangesOfOneFamily(t *testing.T) {
	t.Parallel()
	ranges := func(all ...string) func(*v1.Service) {
		return func(svc *v1.Service) { svc.Spec.LoadBalancerSourceRanges = all }
	}
	w := newWorld(t, 0)
	w.mustEnsure(ccmtest.Service(ccmtest.Dual, ranges("10.0.0.0/8")))
	w.wantEvent("Warning AddressFamilyClosed The source ranges have no IPv6 range")
	w.mustEnsure(ccmtest.Service(ccmtest.Dual, ranges("10.0.0.0/8", "FD00:0::/8")))
	w.wantCloud("lb-1 active public round_robin", "tcp-80 to 30080, check tcp 30080, from [10.0.0.0/8 fd00::/8]", "fip-1 at lb-1", "fip-2 at lb-1")
	w.mustEnsure(ccmtest.Service(ccmtest.Dual))
	w.mustEnsure(ccmtest.Service(ranges("10.0.0.0/8")))
	if told := w.told(); len(told) > 0 {
		t.Errorf("Events although no family is closed: %q", told)
	}
}
