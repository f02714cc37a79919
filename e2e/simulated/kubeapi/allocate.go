package kubeapi

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/utils/ptr"

	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/store"
)

// The ranges of node ports: as kube-apiserver's default.
const firstNodePort, lastNodePort = 30000, 32767

// serviceTable is where the Services are kept.
const serviceTable = "services"

// allocating serializes what gives addresses and ports to Services: from the look at those that are taken to the write.
func allocating(s *registry.Store) {
	s.BeginCreate = func(ctx context.Context, object runtime.Object, _ *metav1.CreateOptions) (registry.FinishFunc, error) {
		return allocate(ctx, object.(*corev1.Service), nil)
	}
	s.BeginUpdate = func(ctx context.Context, object, old runtime.Object, _ *metav1.UpdateOptions) (registry.FinishFunc, error) {
		before := old.(*corev1.Service)
		after := object.(*corev1.Service)
		dropTypeDependent(after, before)
		return allocate(ctx, after, before)
	}
}

// allocate gives a Service what it needs and does not have. It returns what must be called when the Service was written.
func allocate(ctx context.Context, service, old *corev1.Service) (registry.FinishFunc, error) {
	state := stateOf(ctx)
	state.allocating.Lock()
	finish := func(context.Context, bool) { state.allocating.Unlock() }
	a := allocation{service: service, old: old, ranges: state.serviceRanges, taken: takenBy(ctx, service)}
	if err := a.all(); err != nil {
		finish(ctx, false)
		return nil, err
	}
	return finish, nil
}

// taken are the addresses and ports of other Services.
type taken struct {
	addresses map[string]bool
	ports     map[string]bool // protocol and number
	numbers   map[int32]bool
}

func takenBy(ctx context.Context, but *corev1.Service) taken {
	t := taken{map[string]bool{}, map[string]bool{}, map[int32]bool{}}
	entries, _ := store.FromContext(ctx).List(serviceTable, "/"+serviceTable+"/")
	for _, entry := range entries {
		service := entry.Object.(*corev1.Service)
		if service.Namespace == but.Namespace && service.Name == but.Name {
			continue
		}
		for _, ip := range service.Spec.ClusterIPs {
			t.addresses[ip] = true
		}
		for _, port := range service.Spec.Ports {
			t.ports[fmt.Sprint(port.Protocol, port.NodePort)], t.numbers[port.NodePort] = true, true
		}
		t.numbers[service.Spec.HealthCheckNodePort] = true
	}
	return t
}

// allocation is what one Service gets.
type allocation struct {
	service, old *corev1.Service
	ranges       []netip.Prefix // the first is that of the family that Services have by default
	taken        taken
}

func (a allocation) all() error {
	a.keepAddresses()
	if needsClusterIP(a.service) {
		if err := a.families(); err != nil {
			return err
		}
		if err := a.clusterIPs(); err != nil {
			return err
		}
	}
	if needsNodePort(a.service) {
		if err := a.nodePorts(); err != nil {
			return err
		}
	}
	if needsHealthCheckPort(a.service) {
		return a.healthCheckPort()
	}
	return nil
}

// keepAddresses keeps the addresses and families that an update leaves out.
func (a allocation) keepAddresses() {
	if a.old == nil || !needsClusterIP(a.old) || !needsClusterIP(a.service) {
		return
	}
	spec, was := &a.service.Spec, a.old.Spec
	if spec.ClusterIP == "" && len(spec.ClusterIPs) == 0 {
		spec.ClusterIP, spec.ClusterIPs = was.ClusterIP, slices.Clone(was.ClusterIPs)
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = slices.Clone(was.IPFamilies)
	}
	defaultPointer(&spec.IPFamilyPolicy, *cmp.Or(was.IPFamilyPolicy, ptr.To(corev1.IPFamilyPolicySingleStack)))
}

func (a allocation) invalid(errs ...*field.Error) error {
	return apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Service").GroupKind(), a.service.Name, errs)
}

func familyOf(prefix netip.Prefix) corev1.IPFamily {
	if prefix.Addr().Is4() {
		return corev1.IPv4Protocol
	}
	return corev1.IPv6Protocol
}

// families decides which families the Service has, from its policy and from what it asks for.
func (a allocation) families() error {
	spec := &a.service.Spec
	for _, ip := range spec.ClusterIPs {
		if addr, err := netip.ParseAddr(ip); err == nil && len(spec.IPFamilies) < len(spec.ClusterIPs) {
			spec.IPFamilies = append(spec.IPFamilies, familyOf(netip.PrefixFrom(addr, addr.BitLen())))
		}
	}
	if spec.IPFamilyPolicy == nil {
		policy := corev1.IPFamilyPolicySingleStack
		if len(spec.IPFamilies) == 2 || len(spec.ClusterIPs) == 2 {
			policy = corev1.IPFamilyPolicyRequireDualStack
		}
		spec.IPFamilyPolicy = &policy
	}
	single := *spec.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack
	if single && len(spec.IPFamilies) > 1 {
		if a.old == nil || len(a.old.Spec.IPFamilies) < 2 {
			return a.invalid(field.Invalid(field.NewPath("spec", "ipFamilyPolicy"), spec.IPFamilyPolicy,
				"must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"))
		}
		spec.IPFamilies, spec.ClusterIPs = spec.IPFamilies[:1], spec.ClusterIPs[:min(1, len(spec.ClusterIPs))]
	}
	most := len(a.ranges)
	if single {
		most = 1
	}
	for _, prefix := range a.ranges {
		if family := familyOf(prefix); len(spec.IPFamilies) < most && !slices.Contains(spec.IPFamilies, family) {
			spec.IPFamilies = append(spec.IPFamilies, family)
		}
	}
	return nil
}

// clusterIPs gives an address of each family.
func (a allocation) clusterIPs() error {
	spec := &a.service.Spec
	if spec.ClusterIP != "" && len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	if len(spec.ClusterIPs) > 0 && spec.ClusterIPs[0] == corev1.ClusterIPNone {
		spec.ClusterIP = corev1.ClusterIPNone
		return nil
	}
	for i, family := range spec.IPFamilies {
		if i < len(spec.ClusterIPs) {
			if a.taken.addresses[spec.ClusterIPs[i]] {
				return a.invalid(field.Invalid(field.NewPath("spec", "clusterIPs"), spec.ClusterIPs, "failed to allocate IP "+spec.ClusterIPs[i]+": provided IP is already allocated"))
			}
			continue
		}
		spec.ClusterIPs = append(spec.ClusterIPs, a.freeAddress(family))
	}
	spec.ClusterIP = spec.ClusterIPs[0]
	return nil
}

// reservedAddresses are at the beginning of a range: that of the Service default/kubernetes, and some for static use.
const reservedAddresses = 10

// freeAddress is the first that no other Service has.
func (a allocation) freeAddress(family corev1.IPFamily) string {
	for _, prefix := range a.ranges {
		if familyOf(prefix) != family {
			continue
		}
		addr := prefix.Addr()
		for range reservedAddresses {
			addr = addr.Next()
		}
		for a.taken.addresses[addr.String()] {
			addr = addr.Next()
		}
		return addr.String()
	}
	return ""
}

// nodePorts gives each port a number, and one number to the same port of two protocols.
func (a allocation) nodePorts() error {
	spec := &a.service.Spec
	given := map[int32]int32{}
	for i := range spec.Ports {
		port := &spec.Ports[i]
		if port.NodePort == 0 && a.old != nil {
			port.NodePort = formerPort(a.old, *port)
		}
		if port.NodePort == 0 {
			continue
		}
		if a.taken.ports[fmt.Sprint(port.Protocol, port.NodePort)] {
			return a.invalid(field.Invalid(field.NewPath("spec", "ports").Index(i).Child("nodePort"), port.NodePort, "provided port is already allocated"))
		}
		if port.NodePort < firstNodePort || port.NodePort > lastNodePort {
			return a.invalid(field.Invalid(field.NewPath("spec", "ports").Index(i).Child("nodePort"), port.NodePort,
				fmt.Sprintf("provided port is not in the valid range. The range of valid ports is %d-%d", firstNodePort, lastNodePort)))
		}
		given[port.Port] = port.NodePort
		a.taken.numbers[port.NodePort] = true
	}
	for i := range spec.Ports {
		port := &spec.Ports[i]
		if port.NodePort != 0 {
			continue
		}
		if port.NodePort = given[port.Port]; port.NodePort == 0 {
			port.NodePort = a.freePort()
			given[port.Port] = port.NodePort
		}
	}
	return nil
}

// formerPort is the node port that an update leaves out, and that the port had before.
func formerPort(old *corev1.Service, port corev1.ServicePort) int32 {
	for _, former := range old.Spec.Ports {
		if former.Port == port.Port && former.Protocol == port.Protocol {
			return former.NodePort
		}
	}
	return 0
}

func (a allocation) freePort() int32 {
	for number := int32(firstNodePort); ; number++ {
		if !a.taken.numbers[number] {
			a.taken.numbers[number] = true
			return number
		}
	}
}

func (a allocation) healthCheckPort() error {
	spec := &a.service.Spec
	if spec.HealthCheckNodePort == 0 && a.old != nil {
		spec.HealthCheckNodePort = a.old.Spec.HealthCheckNodePort
	}
	switch {
	case spec.HealthCheckNodePort == 0:
		spec.HealthCheckNodePort = a.freePort()
	case a.taken.numbers[spec.HealthCheckNodePort] && (a.old == nil || a.old.Spec.HealthCheckNodePort != spec.HealthCheckNodePort):
		return a.invalid(field.Invalid(field.NewPath("spec", "healthCheckNodePort"), spec.HealthCheckNodePort, "provided port is already allocated"))
	}
	return nil
}
