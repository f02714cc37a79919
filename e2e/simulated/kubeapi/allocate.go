package kubeapi

import (
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
	a := allocation{service: service, old: old, ranges: state.serviceRanges, taken: takenBy(ctx, service), next: &state.next}
	if err := a.all(); err != nil {
		finish(ctx, false)
		return nil, err
	}
	return finish, nil
}

// taken are the addresses and ports of other Services.
type taken struct {
	addresses map[string]bool
	numbers   map[int32]bool
}

func takenBy(ctx context.Context, but *corev1.Service) taken {
	t := taken{map[string]bool{}, map[int32]bool{}}
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
			t.numbers[port.NodePort] = true
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
	next         *cursor
}

// cursor is what is given next, by the family of an address.
type cursor struct {
	addresses map[corev1.IPFamily]netip.Addr
	port      int32
}

func (a allocation) all() error {
	a.normalize()
	a.keepAllocated()
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

// normalize brings clusterIP and clusterIPs together when a client has set or cleared one of them.
func (a allocation) normalize() {
	spec := &a.service.Spec
	if a.old == nil {
		if spec.ClusterIP != "" && len(spec.ClusterIPs) == 0 {
			spec.ClusterIPs = []string{spec.ClusterIP}
		}
		return
	}
	was := a.old.Spec
	switch same := slices.Equal(was.ClusterIPs, spec.ClusterIPs); {
	case was.ClusterIP == spec.ClusterIP && len(spec.ClusterIPs) == 0:
		spec.ClusterIPs = slices.Clone(was.ClusterIPs)
	case was.ClusterIP != "" && spec.ClusterIP == "" && same:
		spec.ClusterIPs = nil
	case was.ClusterIP != spec.ClusterIP && same:
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
}

// keepAllocated keeps the addresses and families that an update leaves out.
func (a allocation) keepAllocated() {
	if a.old == nil || !needsClusterIP(a.old) || !needsClusterIP(a.service) {
		return
	}
	spec, was := &a.service.Spec, a.old.Spec
	setDefault(&spec.ClusterIP, was.ClusterIP)
	if len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = slices.Clone(was.ClusterIPs)
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = slices.Clone(was.IPFamilies)
	}
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

// clusterIPs gives an address of each family.
func (a allocation) clusterIPs() error {
	spec := &a.service.Spec
	if len(spec.ClusterIPs) > 0 && spec.ClusterIPs[0] == corev1.ClusterIPNone {
		spec.ClusterIP = corev1.ClusterIPNone
		return nil
	}
	for i, family := range spec.IPFamilies {
		if i < len(spec.ClusterIPs) {
			if wrong := a.refusal(spec.ClusterIPs[i]); wrong != "" {
				return a.invalid(field.Invalid(field.NewPath("spec", "clusterIPs"), spec.ClusterIPs, "failed to allocate IP "+spec.ClusterIPs[i]+": "+wrong))
			}
			continue
		}
		spec.ClusterIPs = append(spec.ClusterIPs, a.freeAddress(family))
	}
	spec.ClusterIP = spec.ClusterIPs[0]
	return nil
}

// refusal is why a Service cannot have an address that it asks for; empty when it can.
func (a allocation) refusal(ip string) string {
	if a.old != nil && slices.Contains(a.old.Spec.ClusterIPs, ip) {
		return ""
	}
	addr, err := netip.ParseAddr(ip)
	inRange := slices.ContainsFunc(a.ranges, func(prefix netip.Prefix) bool { return err == nil && prefix.Contains(addr) })
	switch {
	case !inRange:
		return "the provided network does not match the current range"
	case a.taken.addresses[ip]:
		return "provided IP is already allocated"
	}
	return ""
}

// What is left for requests: as many as kube-apiserver leaves of its default ranges.
const (
	reservedAddresses = 256
	reservedPorts     = 86
)

// freeAddress is the next that no other Service has. One that was freed is not given again soon.
func (a allocation) freeAddress(family corev1.IPFamily) string {
	for _, prefix := range a.ranges {
		if familyOf(prefix) != family {
			continue
		}
		addr, begun := a.next.addresses[family]
		if !begun {
			addr = prefix.Addr()
			for range reservedAddresses {
				addr = addr.Next()
			}
		}
		for a.taken.addresses[addr.String()] {
			addr = addr.Next()
		}
		if next := addr.Next(); prefix.Contains(next) {
			a.next.addresses[family] = next
		} else {
			delete(a.next.addresses, family)
		}
		return addr.String()
	}
	return ""
}

// nodePorts gives each port a number. A new Service has one number for the same port of two protocols.
func (a allocation) nodePorts() error {
	spec := &a.service.Spec
	given := map[int32]int32{}
	for i := range spec.Ports {
		port := &spec.Ports[i]
		if port.NodePort == 0 && a.old != nil && allocatesNodePorts(a.old) && allocatesNodePorts(a.service) {
			port.NodePort = formerPort(a.old, *port, spec.Ports)
		}
		if port.NodePort == 0 {
			continue
		}
		if given[port.Port] != port.NodePort && a.taken.numbers[port.NodePort] {
			return a.invalid(field.Invalid(field.NewPath("spec", "ports").Index(i).Child("nodePort"), port.NodePort, "provided port is already allocated"))
		}
		if port.NodePort < firstNodePort || port.NodePort > lastNodePort {
			return a.invalid(field.Invalid(field.NewPath("spec", "ports").Index(i).Child("nodePort"), port.NodePort,
				fmt.Sprintf("provided port is not in the valid range. The range of valid ports is %d-%d", firstNodePort, lastNodePort)))
		}
		given[port.Port] = port.NodePort
		a.taken.numbers[port.NodePort] = true
	}
	if !allocatesNodePorts(a.service) {
		return nil
	}
	for i := range spec.Ports {
		port := &spec.Ports[i]
		if port.NodePort != 0 {
			continue
		}
		if a.old == nil {
			port.NodePort = given[port.Port]
		}
		if port.NodePort == 0 {
			port.NodePort = a.freePort()
			given[port.Port] = port.NodePort
		}
	}
	return nil
}

// formerPort is the node port that an update leaves out, and that the port of this name had before. One that another port has
// now stays there.
func formerPort(old *corev1.Service, port corev1.ServicePort, now []corev1.ServicePort) int32 {
	for _, former := range old.Spec.Ports {
		used := slices.ContainsFunc(now, func(p corev1.ServicePort) bool { return p.NodePort == former.NodePort })
		if former.Name == port.Name && !used {
			return former.NodePort
		}
	}
	return 0
}

// freePort is the next that no other Service has. One that was freed is not given again soon.
func (a allocation) freePort() int32 {
	for number := max(a.next.port, firstNodePort+reservedPorts); ; number++ {
		if number > lastNodePort {
			number = firstNodePort
		}
		if !a.taken.numbers[number] {
			a.taken.numbers[number] = true
			a.next.port = number + 1
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
	case a.old != nil && needsHealthCheckPort(a.old): // it stays
	case a.taken.numbers[spec.HealthCheckNodePort]:
		return a.invalid(field.Invalid(field.NewPath("spec", "healthCheckNodePort"), spec.HealthCheckNodePort, "provided port is already allocated"))
	}
	return nil
}
