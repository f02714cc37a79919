package kubeapi

import (
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// endpointsRules are those of Endpoints.
var endpointsRules = rules{
	upserts:  true,
	validate: func(object runtime.Object) field.ErrorList { return validateEndpoints(object.(*corev1.Endpoints)) },
}

func validateEndpoints(endpoints *corev1.Endpoints) (errs field.ErrorList) {
	for i, subset := range endpoints.Subsets {
		at := field.NewPath("subsets").Index(i)
		for j, address := range subset.Addresses {
			errs = append(errs, validateEndpointIP(address.IP, at.Child("addresses").Index(j).Child("ip"))...)
		}
		for j, address := range subset.NotReadyAddresses {
			errs = append(errs, validateEndpointIP(address.IP, at.Child("notReadyAddresses").Index(j).Child("ip"))...)
		}
	}
	return errs
}

func validateEndpointIP(ip string, at *field.Path) (errs field.ErrorList) {
	addr, err := netip.ParseAddr(ip)
	if err != nil { // the real server judges it twice
		return field.ErrorList{field.Invalid(at, ip, badIP), field.Invalid(at, ip, "must be a valid IP address")}
	}
	if wrong := specialAddress(addr); wrong != "" {
		errs = append(errs, field.Invalid(at, ip, wrong))
	}
	return errs
}

// specialAddress is why an address cannot be that of an endpoint; empty when it can.
func specialAddress(addr netip.Addr) string {
	switch {
	case addr.IsUnspecified():
		return fmt.Sprintf("may not be unspecified (%s)", addr)
	case addr.IsLoopback():
		return "may not be in the loopback range (127.0.0.0/8, ::1/128)"
	case addr.IsLinkLocalUnicast():
		return "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
	case addr.IsLinkLocalMulticast():
		return "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
	}
	return ""
}

// endpointSliceRules are those of EndpointSlices.
var endpointSliceRules = rules{
	created: withoutEmptyList,
	updated: func(object, _ runtime.Object) { withoutEmptyList(object) },
	generation: func(object, old runtime.Object) bool {
		after, before := object.(*discoveryv1.EndpointSlice), old.(*discoveryv1.EndpointSlice)
		return !equality.Semantic.DeepEqual(after.Endpoints, before.Endpoints) || !equality.Semantic.DeepEqual(after.Ports, before.Ports) ||
			!equality.Semantic.DeepEqual(after.Labels, before.Labels)
	},
	validate: func(object runtime.Object) field.ErrorList { return validateSlice(object.(*discoveryv1.EndpointSlice)) },
	validateUpdate: func(object, old runtime.Object) field.ErrorList {
		if object.(*discoveryv1.EndpointSlice).AddressType != old.(*discoveryv1.EndpointSlice).AddressType {
			return field.ErrorList{field.Invalid(field.NewPath("addressType"), nil, "field is immutable")}
		}
		return nil
	},
}

// withoutEmptyList keeps no endpoints as the real server does, whose storage does not tell an empty list from none.
func withoutEmptyList(object runtime.Object) {
	if slice := object.(*discoveryv1.EndpointSlice); len(slice.Endpoints) == 0 {
		slice.Endpoints = nil
	}
}

func validateSlice(slice *discoveryv1.EndpointSlice) (errs field.ErrorList) {
	if slice.AddressType == "" {
		errs = append(errs, field.Required(field.NewPath("addressType"), ""))
	}
	for i, endpoint := range slice.Endpoints {
		at := field.NewPath("endpoints").Index(i).Child("addresses")
		if len(endpoint.Addresses) == 0 {
			errs = append(errs, field.Required(at, ""))
		}
		for _, ip := range endpoint.Addresses {
			addr, err := netip.ParseAddr(ip)
			switch {
			case slice.AddressType == discoveryv1.AddressTypeIPv4 && (err != nil || !addr.Is4()):
				errs = append(errs, field.Invalid(at, ip, "must be an IPv4 address"))
			case slice.AddressType == discoveryv1.AddressTypeIPv6 && (err != nil || addr.Is4()):
				errs = append(errs, field.Invalid(at, ip, "must be an IPv6 address"))
			case err == nil && specialAddress(addr) != "":
				errs = append(errs, field.Invalid(at, ip, specialAddress(addr)))
			}
		}
	}
	return errs
}

func defaultEndpoints(endpoints *corev1.Endpoints) {
	for _, subset := range endpoints.Subsets {
		for i := range subset.Ports {
			setDefault(&subset.Ports[i].Protocol, corev1.ProtocolTCP)
		}
	}
}

func defaultSlice(slice *discoveryv1.EndpointSlice) {
	for i := range slice.Ports {
		defaultPointer(&slice.Ports[i].Name, "")
		defaultPointer(&slice.Ports[i].Protocol, corev1.ProtocolTCP)
	}
}
