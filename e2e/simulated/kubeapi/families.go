package kubeapi

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// families decides which families the Service has, from its policy and from what it asks for.
func (a allocation) families() error {
	a.familyPolicy()
	if errs := validateAddresses(a.service.Spec); len(errs) > 0 {
		return a.invalid(errs...)
	}
	if errs := a.secondFamily(); len(errs) > 0 {
		return a.invalid(errs...)
	}
	spec := &a.service.Spec
	for i, ip := range spec.ClusterIPs {
		if addr, err := netip.ParseAddr(ip); err == nil && i >= len(spec.IPFamilies) {
			spec.IPFamilies = append(spec.IPFamilies, familyOf(netip.PrefixFrom(addr, addr.BitLen())))
		}
	}
	if errs := a.configured(); len(errs) > 0 {
		return a.invalid(errs...)
	}
	a.addFamilies()
	return nil
}

// familyPolicy sets the policy that a request leaves out.
func (a allocation) familyPolicy() {
	spec := &a.service.Spec
	switch {
	case spec.IPFamilyPolicy != nil:
	case a.old != nil && a.old.Spec.IPFamilyPolicy != nil:
		defaultPointer(&spec.IPFamilyPolicy, *a.old.Spec.IPFamilyPolicy)
	case a.free():
		defaultPointer(&spec.IPFamilyPolicy, corev1.IPFamilyPolicyRequireDualStack)
	default:
		defaultPointer(&spec.IPFamilyPolicy, corev1.IPFamilyPolicySingleStack)
	}
}

// free reports whether the Service is headless and without a selector: its families need not be those of the cluster.
func (a allocation) free() bool {
	return a.service.Spec.ClusterIP == corev1.ClusterIPNone && len(a.service.Spec.Selector) == 0
}

// secondFamily drops a second address and family that an update to SingleStack leaves, and refuses others.
func (a allocation) secondFamily() (errs []*field.Error) {
	spec, at := &a.service.Spec, field.NewPath("spec", "ipFamilyPolicy")
	single := *spec.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack
	if a.old != nil {
		was := a.old.Spec
		switch {
		case single && slices.Equal(was.ClusterIPs, spec.ClusterIPs) && len(spec.ClusterIPs) > 1:
			spec.ClusterIPs = spec.ClusterIPs[:1]
		case !single && len(was.ClusterIPs) == 2 && len(spec.ClusterIPs) == 1 && spec.ClusterIPs[0] == was.ClusterIPs[0]:
			errs = append(errs, field.Invalid(at, spec.IPFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP"))
		}
		switch {
		case single && slices.Equal(was.IPFamilies, spec.IPFamilies) && len(spec.IPFamilies) > 1:
			spec.IPFamilies = spec.IPFamilies[:1]
		case !single && len(was.IPFamilies) == 2 && len(spec.IPFamilies) == 1 && spec.IPFamilies[0] == was.IPFamilies[0]:
			errs = append(errs, field.Invalid(at, spec.IPFamilyPolicy, "must be 'SingleStack' to release the secondary IP family"))
		}
	}
	const both = "must be 'RequireDualStack' or 'PreferDualStack' when multiple %s are specified"
	if single && len(spec.ClusterIPs) == 2 {
		errs = append(errs, field.Invalid(at, spec.IPFamilyPolicy, fmt.Sprintf(both, "cluster IPs")))
	}
	if single && len(spec.IPFamilies) == 2 {
		errs = append(errs, field.Invalid(at, spec.IPFamilyPolicy, fmt.Sprintf(both, "IP families")))
	}
	return errs
}

// configured refuses families that the cluster does not have.
func (a allocation) configured() (errs []*field.Error) {
	if a.free() {
		return nil
	}
	spec := &a.service.Spec
	if *spec.IPFamilyPolicy == corev1.IPFamilyPolicyRequireDualStack && len(a.ranges) < 2 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "ipFamilyPolicy"), spec.IPFamilyPolicy, "this cluster is not configured for dual-stack services"))
	}
	for i, family := range spec.IPFamilies {
		if !slices.ContainsFunc(a.ranges, func(prefix netip.Prefix) bool { return familyOf(prefix) == family }) {
			errs = append(errs, field.Invalid(field.NewPath("spec", "ipFamilies").Index(i), family, "not configured on this cluster"))
		}
	}
	return errs
}

// addFamilies adds those that the Service has by its policy.
func (a allocation) addFamilies() {
	spec := &a.service.Spec
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{familyOf(a.ranges[0])}
	}
	if *spec.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack || len(spec.IPFamilies) > 1 || len(a.ranges) < 2 && !a.free() {
		return
	}
	other := corev1.IPv6Protocol
	if spec.IPFamilies[0] == corev1.IPv6Protocol {
		other = corev1.IPv4Protocol
	}
	spec.IPFamilies = append(spec.IPFamilies, other)
}

var (
	ipFamilies     = []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}
	familyPolicies = []corev1.IPFamilyPolicy{
		corev1.IPFamilyPolicyPreferDualStack, corev1.IPFamilyPolicyRequireDualStack, corev1.IPFamilyPolicySingleStack,
	}
)

// validateAddresses judges what a request says of addresses and families.
func validateAddresses(spec corev1.ServiceSpec) (errs field.ErrorList) {
	at := field.NewPath("spec", "clusterIPs")
	switch {
	case spec.ClusterIP == "" && len(spec.ClusterIPs) > 0:
		errs = append(errs, field.Invalid(at, spec.ClusterIPs, "must be empty when `clusterIP` is not specified"))
	case len(spec.ClusterIPs) > 0 && spec.ClusterIPs[0] != spec.ClusterIP:
		errs = append(errs, field.Invalid(at, spec.ClusterIPs, "first value must match `clusterIP`"))
	}
	seen := map[corev1.IPFamily]bool{}
	for i, family := range spec.IPFamilies {
		at := field.NewPath("spec", "ipFamilies").Index(i)
		if !slices.Contains(ipFamilies, family) {
			errs = append(errs, field.NotSupported(at, family, ipFamilies))
		}
		if seen[family] {
			errs = append(errs, field.Duplicate(at, family))
		}
		seen[family] = true
	}
	if !slices.Contains(familyPolicies, *spec.IPFamilyPolicy) {
		errs = append(errs, field.NotSupported(field.NewPath("spec", "ipFamilyPolicy"), spec.IPFamilyPolicy, familyPolicies))
	}
	return append(errs, validateClusterIPs(spec, at)...)
}

// validateClusterIPs judges each address, and that they are of the families.
func validateClusterIPs(spec corev1.ServiceSpec, at *field.Path) (errs field.ErrorList) {
	if len(spec.ClusterIPs) == 1 && spec.ClusterIPs[0] == corev1.ClusterIPNone {
		return nil
	}
	var have []corev1.IPFamily
	for i, ip := range spec.ClusterIPs {
		addr, err := netip.ParseAddr(ip)
		if err != nil {
			errs = append(errs, field.Invalid(at.Index(i), ip, badIP))
			continue
		}
		have = append(have, familyOf(netip.PrefixFrom(addr, addr.BitLen())))
	}
	if len(errs) > 0 {
		return errs
	}
	if len(have) > 2 {
		errs = append(errs, field.Invalid(at, spec.ClusterIPs, "may only hold up to 2 values"))
	}
	if len(have) > 1 && have[0] == have[1] {
		errs = append(errs, field.Invalid(at, spec.ClusterIPs, "may specify no more than one IP for each IP family"))
	}
	for i, family := range have[:min(len(have), len(spec.IPFamilies))] {
		if want := spec.IPFamilies[i]; family != want && slices.Contains(ipFamilies, want) {
			errs = append(errs, field.Invalid(at.Index(i), spec.ClusterIPs[i], fmt.Sprintf("expected an %s value as indicated by `ipFamilies[%d]`", want, i)))
		}
	}
	return errs
}
