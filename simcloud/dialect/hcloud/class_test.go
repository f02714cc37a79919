package hcloud_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// offer gives the cloud classes of load balancers of its own.
func (w world) offer(classes ...simcloud.LoadBalancerClass) {
	w.Helper()
	must[simcloud.Config](w)(w.native.UpdateConfig(w.Context(), simcloud.ConfigUpdate{LoadBalancerClasses: &classes}))
}

// typeNames are the names of load balancer types, in their order.
func typeNames(types []*hcloud.LoadBalancerType) (names []string) {
	for _, t := range types {
		names = append(names, t.Name)
	}
	return names
}

// TestTypesAreTheClassesOfTheCloud: a cloud with classes of its own offers these, to a
// writer too, and one without offers those of Hetzner.
func TestTypesAreTheClassesOfTheCloud(t *testing.T) {
	t.Parallel()
	w := open(t)
	writer := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "writer", Role: simcloud.RoleWriter})).Resource
	hetz := w.dial(writer.Secret)
	if names := typeNames(must[[]*hcloud.LoadBalancerType](t)(hetz.LoadBalancerType.All(t.Context()))); !slices.Equal(names, []string{"lb11", "lb21", "lb31"}) {
		t.Errorf("without classes the types are %v", names)
	}
	w.offer(
		simcloud.LoadBalancerClass{Name: "gold", Description: "Gold", MaxTargets: 3, MaxListeners: 2, MaxConnections: 9, MaxCertificates: 1},
		simcloud.LoadBalancerClass{Name: "lb11", Deprecated: true},
	)
	types := must[[]*hcloud.LoadBalancerType](t)(hetz.LoadBalancerType.All(t.Context()))
	if names := typeNames(types); !slices.Equal(names, []string{"gold", "lb11"}) {
		t.Fatalf("the types are %v", names)
	}
	if g := types[0]; g.Description != "Gold" || g.MaxTargets != 3 || g.MaxServices != 2 || g.MaxConnections != 9 || g.MaxAssignedCertificates != 1 || g.IsDeprecated() {
		t.Errorf("gold is %+v", g)
	}
	if l := types[1]; l.ID != 1 || l.MaxTargets != math.MaxInt32 || l.MaxServices != math.MaxInt32 || l.MaxConnections != math.MaxInt32 ||
		l.MaxAssignedCertificates != math.MaxInt32 || !l.IsDeprecated() || !l.DeprecationAnnounced().Before(l.UnavailableAfter()) {
		t.Errorf("lb11, which has no limits, is %+v", l)
	}
	if res := w.send("GET", "load_balancer_types/1", ""); !strings.Contains(res.body, `"deprecated":"2100-`) { // as clients of before read it
		t.Errorf("lb11 is %s", res.body)
	}
	if one := got[*hcloud.LoadBalancerType](t)(hetz.LoadBalancerType.GetByID(t.Context(), types[0].ID)); one == nil || one.Name != "gold" {
		t.Errorf("by its id gold is %+v", one)
	}
	if one := got[*hcloud.LoadBalancerType](t)(hetz.LoadBalancerType.GetByName(t.Context(), "lb21")); one != nil {
		t.Errorf("lb21, which is not offered, is %+v", one)
	}
}

// TestLimitsAreThoseOfTheClasses: a load balancer has the limits of the class that the cloud offers, and no other class.
func TestLimitsAreThoseOfTheClasses(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.offer(
		simcloud.LoadBalancerClass{Name: "small", MaxTargets: 1, MaxListeners: 1},
		simcloud.LoadBalancerClass{Name: "large", MaxListeners: 50},
	)
	w.refuses("POST", "load_balancers", `{"name":"a","load_balancer_type":"lb11","location":"zone-a"}`, 422, "invalid_input")
	made := got[hcloud.LoadBalancerCreateResult](t)(w.hetz.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{
		Name: "a", LoadBalancerType: &hcloud.LoadBalancerType{Name: "small"}, Location: &hcloud.Location{Name: "zone-a"},
	}))
	w.waits(made.Action)
	lb := made.LoadBalancer
	if now := w.balancerNow(lb.ID); now.LoadBalancerType.Name != "small" || now.LoadBalancerType.MaxTargets != 1 {
		t.Errorf("it is a %+v", now.LoadBalancerType)
	}
	w.service(lb, 80, 30080)
	w.refuses("POST", "load_balancers/1/actions/add_service", `{"protocol":"tcp","listen_port":81,"destination_port":30081}`, 403, "resource_limit_exceeded")
	for i, want := range []hcloud.ErrorCode{"", hcloud.ErrorCodeResourceLimitExceeded} {
		server := w.instance(simcloud.InstanceSpec{Name: "s"})
		_, _, err := w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(int64(i+1), false))
		if want == "" && err != nil || want != "" && !hcloud.IsError(err, want) {
			t.Errorf("target %s: %v", server.ID, err)
		}
	}
	w.does("change_type")(w.hetz.LoadBalancer.ChangeType(t.Context(), lb, hcloud.LoadBalancerChangeTypeOpts{LoadBalancerType: &hcloud.LoadBalancerType{Name: "large"}}))
	for port := range 6 { // one more than lb11 takes
		w.service(lb, 81+port, 30081)
	}
	w.refuses("POST", "load_balancers/1/actions/change_type", `{"load_balancer_type":"small"}`, 422, "invalid_load_balancer_type")
}
