package kubeapi

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// serviceRules are those of Services (pkg/registry/core/service of Kubernetes). Addresses and ports are given in allocate.go.
var serviceRules = rules{
	returnsDeleted: true,
	upserts:        true,
	validName:      validation.NameIsDNSLabel,
	created:        func(object runtime.Object) { object.(*corev1.Service).Status = corev1.ServiceStatus{} },
	updated: func(object, old runtime.Object) {
		after, before := object.(*corev1.Service), old.(*corev1.Service)
		dropTypeDependent(after, before)
		if after.Spec.Type != corev1.ServiceTypeLoadBalancer {
			after.Status.LoadBalancer = corev1.LoadBalancerStatus{}
		}
	},
	validate:       func(object runtime.Object) field.ErrorList { return validateService(object.(*corev1.Service)) },
	validateUpdate: validateServiceUpdate,
	validateStatus: func(object, _ runtime.Object) field.ErrorList {
		return validateLoadBalancerStatus(object.(*corev1.Service))
	},
}

// dropTypeDependent clears the fields that a change of the type makes wrong, when the request leaves them as they were.
func dropTypeDependent(after, before *corev1.Service) {
	spec, was := &after.Spec, &before.Spec
	if needsClusterIP(before) && !needsClusterIP(after) && spec.ClusterIP == was.ClusterIP {
		spec.ClusterIP, spec.ClusterIPs, spec.IPFamilies, spec.IPFamilyPolicy = "", nil, nil, nil
	}
	if needsNodePort(before) && !needsNodePort(after) && sameNodePorts(was.Ports, spec.Ports) {
		for i := range spec.Ports {
			spec.Ports[i].NodePort = 0
		}
	}
	if needsHealthCheckPort(before) && !needsHealthCheckPort(after) && spec.HealthCheckNodePort == was.HealthCheckNodePort {
		spec.HealthCheckNodePort = 0
	}
	if spec.Type == corev1.ServiceTypeExternalName && was.Type != spec.Type && ptr.Equal(spec.InternalTrafficPolicy, was.InternalTrafficPolicy) {
		spec.InternalTrafficPolicy = nil
	}
	if was.Type == corev1.ServiceTypeLoadBalancer && spec.Type != corev1.ServiceTypeLoadBalancer {
		spec.AllocateLoadBalancerNodePorts = nil
		if ptr.Equal(spec.LoadBalancerClass, was.LoadBalancerClass) {
			spec.LoadBalancerClass = nil
		}
	}
	if needsExternalTrafficPolicy(before) && !needsExternalTrafficPolicy(after) && spec.ExternalTrafficPolicy == was.ExternalTrafficPolicy {
		spec.ExternalTrafficPolicy = ""
	}
}

func needsClusterIP(s *corev1.Service) bool { return s.Spec.Type != corev1.ServiceTypeExternalName }

func needsNodePort(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer
}

// allocatesNodePorts reports whether ports get node ports that were not asked for.
func allocatesNodePorts(s *corev1.Service) bool {
	return needsNodePort(s) && (s.Spec.Type == corev1.ServiceTypeNodePort || ptr.Deref(s.Spec.AllocateLoadBalancerNodePorts, true))
}

func needsHealthCheckPort(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

func needsExternalTrafficPolicy(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer ||
		s.Spec.Type == corev1.ServiceTypeClusterIP && len(s.Spec.ExternalIPs) > 0
}

func sameNodePorts(a, b []corev1.ServicePort) bool {
	of := func(ports []corev1.ServicePort) (all []int32) {
		for _, port := range ports {
			all = append(all, port.NodePort)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	return slices.Equal(of(a), of(b))
}

var (
	serviceTypes = []corev1.ServiceType{
		corev1.ServiceTypeClusterIP, corev1.ServiceTypeExternalName, corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort,
	}
	protocols        = []corev1.Protocol{corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP}
	internalPolicies = []corev1.ServiceInternalTrafficPolicy{corev1.ServiceInternalTrafficPolicyCluster, corev1.ServiceInternalTrafficPolicyLocal}
	distributions    = []string{corev1.ServiceTrafficDistributionPreferClose, corev1.ServiceTrafficDistributionPreferSameZone, corev1.ServiceTrafficDistributionPreferSameNode}
	ipModes          = []corev1.LoadBalancerIPMode{corev1.LoadBalancerIPModeProxy, corev1.LoadBalancerIPModeVIP}
	affinities       = []corev1.ServiceAffinity{corev1.ServiceAffinityClientIP, corev1.ServiceAffinityNone}
)

func validateService(service *corev1.Service) (errs field.ErrorList) {
	spec, at := service.Spec, field.NewPath("spec")
	errs = append(errs, validateOfType(spec, at)...)
	if len(spec.Ports) == 0 && spec.ClusterIP != corev1.ClusterIPNone && spec.Type != corev1.ServiceTypeExternalName {
		errs = append(errs, field.Required(at.Child("ports"), ""))
	}
	errs = append(errs, validatePorts(service, at.Child("ports"))...)
	if !slices.Contains(serviceTypes, spec.Type) {
		errs = append(errs, field.NotSupported(at.Child("type"), spec.Type, serviceTypes))
	}
	if !slices.Contains(affinities, spec.SessionAffinity) {
		errs = append(errs, field.NotSupported(at.Child("sessionAffinity"), spec.SessionAffinity, affinities))
	}
	errs = append(errs, validateAffinityTimeout(spec, at)...)
	errs = append(errs, validateExternalIPs(spec.ExternalIPs, at.Child("externalIPs"))...)
	errs = append(errs, metav1validation.ValidateLabels(spec.Selector, at.Child("selector"))...)
	if policy := spec.InternalTrafficPolicy; policy != nil && !slices.Contains(internalPolicies, *policy) {
		errs = append(errs, field.NotSupported(at.Child("internalTrafficPolicy"), *policy, internalPolicies))
	}
	if wanted := spec.TrafficDistribution; wanted != nil && !slices.Contains(distributions, *wanted) {
		errs = append(errs, field.NotSupported(at.Child("trafficDistribution"), *wanted, distributions))
	}
	errs = append(errs, validateSourceRanges(service, at)...)
	if spec.AllocateLoadBalancerNodePorts != nil && spec.Type != corev1.ServiceTypeLoadBalancer {
		errs = append(errs, field.Forbidden(at.Child("allocateLoadBalancerNodePorts"), "may only be used when `type` is 'LoadBalancer'"))
	}
	if spec.LoadBalancerClass != nil && spec.Type != corev1.ServiceTypeLoadBalancer {
		errs = append(errs, field.Forbidden(at.Child("loadBalancerClass"), "may only be used when `type` is 'LoadBalancer'"))
	}
	if class := spec.LoadBalancerClass; class != nil {
		for _, wrong := range utilvalidation.IsQualifiedName(*class) {
			errs = append(errs, field.Invalid(at.Child("loadBalancerClass"), *class, wrong))
		}
	}
	return append(errs, validateTrafficPolicy(service, at)...)
}

// validateOfType judges the fields that a type must or may not have.
func validateOfType(spec corev1.ServiceSpec, at *field.Path) (errs field.ErrorList) {
	if spec.ClusterIP == corev1.ClusterIPNone && (spec.Type == corev1.ServiceTypeNodePort || spec.Type == corev1.ServiceTypeLoadBalancer) {
		errs = append(errs, field.Invalid(at.Child("clusterIPs").Index(0), corev1.ClusterIPNone, fmt.Sprintf("may not be set to 'None' for %s services", spec.Type)))
	}
	if spec.Type != corev1.ServiceTypeExternalName {
		return errs
	}
	const never = "may not be set for ExternalName services"
	if len(spec.ClusterIPs) > 0 {
		errs = append(errs, field.Forbidden(at.Child("clusterIPs"), never))
	}
	if len(spec.IPFamilies) > 0 {
		errs = append(errs, field.Forbidden(at.Child("ipFamilies"), never))
	}
	if spec.IPFamilyPolicy != nil {
		errs = append(errs, field.Forbidden(at.Child("ipFamilyPolicy"), never))
	}
	if spec.ExternalName == "" {
		return append(errs, field.Required(at.Child("externalName"), ""))
	}
	for _, wrong := range utilvalidation.IsDNS1123Subdomain(strings.TrimSuffix(spec.ExternalName, ".")) {
		errs = append(errs, field.Invalid(at.Child("externalName"), spec.ExternalName, wrong))
	}
	return errs
}

func validateAffinityTimeout(spec corev1.ServiceSpec, at *field.Path) field.ErrorList {
	config := spec.SessionAffinityConfig
	if config == nil || config.ClientIP == nil || config.ClientIP.TimeoutSeconds == nil {
		return nil
	}
	const longest = 86400
	if seconds := *config.ClientIP.TimeoutSeconds; seconds <= 0 || seconds > longest {
		return field.ErrorList{field.Invalid(at.Child("sessionAffinityConfig", "clientIP", "timeoutSeconds"), seconds,
			fmt.Sprintf("must be greater than 0 and less than %d", longest))}
	}
	return nil
}

// What is wrong with an address or a range.
const (
	badIP    = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
	badRange = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
)

func validateExternalIPs(ips []string, at *field.Path) (errs field.ErrorList) {
	for i, ip := range ips {
		addr, err := netip.ParseAddr(ip)
		if err != nil {
			errs = append(errs, field.Invalid(at.Index(i), ip, badIP))
		} else if wrong := specialAddress(addr); wrong != "" {
			errs = append(errs, field.Invalid(at.Index(i), ip, wrong))
		}
	}
	return errs
}

func validatePorts(service *corev1.Service, at *field.Path) (errs field.ErrorList) {
	ports := service.Spec.Ports
	names, numbers := map[string]bool{}, map[string]bool{}
	for i, port := range ports {
		at := at.Index(i)
		switch {
		case port.Name == "" && len(ports) > 1:
			errs = append(errs, field.Required(at.Child("name"), ""))
		case port.Name != "":
			for _, wrong := range utilvalidation.IsDNS1123Label(port.Name) {
				errs = append(errs, field.Invalid(at.Child("name"), port.Name, wrong))
			}
			if names[port.Name] {
				errs = append(errs, field.Duplicate(at.Child("name"), port.Name))
			}
			names[port.Name] = true
		}
		for _, wrong := range utilvalidation.IsValidPortNum(int(port.Port)) {
			errs = append(errs, field.Invalid(at.Child("port"), port.Port, wrong))
		}
		if !slices.Contains(protocols, port.Protocol) {
			errs = append(errs, field.NotSupported(at.Child("protocol"), port.Protocol, protocols))
		}
		errs = append(errs, validateTargetPort(port.TargetPort, at.Child("targetPort"))...)
		if service.Spec.Type == corev1.ServiceTypeClusterIP && port.NodePort != 0 {
			errs = append(errs, field.Forbidden(at.Child("nodePort"), "may not be used when `type` is 'ClusterIP'"))
		}
		key := fmt.Sprint(port.Protocol, port.Port)
		if numbers[key] {
			errs = append(errs, field.Duplicate(at, corev1.ServicePort{Protocol: port.Protocol, Port: port.Port}))
		}
		numbers[key] = true
	}
	return errs
}

func validateTargetPort(port intstr.IntOrString, at *field.Path) (errs field.ErrorList) {
	wrongs := utilvalidation.IsValidPortName(port.StrVal)
	var value any = port.StrVal
	if port.Type == intstr.Int {
		wrongs, value = utilvalidation.IsValidPortNum(port.IntValue()), int(port.IntVal)
	}
	for _, wrong := range wrongs {
		errs = append(errs, field.Invalid(at, value, wrong))
	}
	return errs
}

// validateSourceRanges judges the field, which errors name as the real server does, or the annotation that came before it.
func validateSourceRanges(service *corev1.Service, at *field.Path) (errs field.ErrorList) {
	ranges, at := service.Spec.LoadBalancerSourceRanges, at.Child("LoadBalancerSourceRanges")
	pathOf := at.Index
	if annotation, set := service.Annotations[corev1.AnnotationLoadBalancerSourceRangesKey]; set && len(ranges) == 0 {
		at = field.NewPath("metadata", "annotations").Key(corev1.AnnotationLoadBalancerSourceRangesKey)
		pathOf = func(int) *field.Path { return at }
		if annotation = strings.TrimSpace(annotation); annotation != "" || service.Spec.Type != corev1.ServiceTypeLoadBalancer {
			ranges = strings.Split(annotation, ",")
		}
	}
	if len(ranges) > 0 && service.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return field.ErrorList{field.Forbidden(at, "may only be used when `type` is 'LoadBalancer'")}
	}
	for i, text := range ranges {
		if wrong := rangeWrong(strings.TrimSpace(text)); wrong != "" {
			errs = append(errs, field.Invalid(pathOf(i), text, wrong))
		}
	}
	return errs
}

// rangeWrong is what is wrong with a range of addresses; empty for nothing.
func rangeWrong(text string) string {
	switch prefix, err := netip.ParsePrefix(text); {
	case err != nil:
		return badRange
	case prefix != prefix.Masked():
		return "must not have bits set beyond the prefix length"
	}
	return ""
}

func validateTrafficPolicy(service *corev1.Service, at *field.Path) (errs field.ErrorList) {
	policy := service.Spec.ExternalTrafficPolicy
	if !needsExternalTrafficPolicy(service) && policy != "" {
		errs = append(errs, field.Invalid(at.Child("externalTrafficPolicy"), policy, "may only be set for externally-accessible services"))
	}
	if policy != "" && policy != corev1.ServiceExternalTrafficPolicyCluster && policy != corev1.ServiceExternalTrafficPolicyLocal {
		errs = append(errs, field.NotSupported(at.Child("externalTrafficPolicy"), policy,
			[]corev1.ServiceExternalTrafficPolicy{corev1.ServiceExternalTrafficPolicyCluster, corev1.ServiceExternalTrafficPolicyLocal}))
	}
	if !needsHealthCheckPort(service) && service.Spec.HealthCheckNodePort != 0 {
		errs = append(errs, field.Invalid(at.Child("healthCheckNodePort"), service.Spec.HealthCheckNodePort,
			"may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"))
	}
	return errs
}

func validateServiceUpdate(object, old runtime.Object) (errs field.ErrorList) {
	after, before, at := object.(*corev1.Service), old.(*corev1.Service), field.NewPath("spec")
	errs = append(errs, validateAddressesStay(after, before, at)...)
	if before.Spec.Type == corev1.ServiceTypeLoadBalancer && after.Spec.Type == corev1.ServiceTypeLoadBalancer &&
		!ptr.Equal(before.Spec.LoadBalancerClass, after.Spec.LoadBalancerClass) {
		errs = append(errs, field.Invalid(at.Child("loadBalancerClass"), after.Spec.LoadBalancerClass, "may not change once set"))
	}
	if needsHealthCheckPort(before) && needsHealthCheckPort(after) && before.Spec.HealthCheckNodePort != after.Spec.HealthCheckNodePort {
		errs = append(errs, field.Forbidden(at.Child("healthCheckNodePort"), "field is immutable"))
	}
	return errs
}

// validateAddressesStay refuses other addresses and families; a second one may come and go.
func validateAddressesStay(after, before *corev1.Service, at *field.Path) (errs field.ErrorList) {
	if !needsClusterIP(after) || !needsClusterIP(before) {
		return nil
	}
	const once = "may not change once set"
	for i := range min(len(after.Spec.ClusterIPs), len(before.Spec.ClusterIPs)) {
		if after.Spec.ClusterIPs[i] != before.Spec.ClusterIPs[i] {
			errs = append(errs, field.Invalid(at.Child("clusterIPs").Index(i), after.Spec.ClusterIPs, once))
		}
	}
	if before.Spec.ClusterIP == corev1.ClusterIPNone && after.Spec.ClusterIP == corev1.ClusterIPNone {
		return errs
	}
	for i := range min(len(after.Spec.IPFamilies), len(before.Spec.IPFamilies)) {
		if after.Spec.IPFamilies[i] != before.Spec.IPFamilies[i] {
			errs = append(errs, field.Invalid(at.Child("ipFamilies").Index(i), after.Spec.IPFamilies, once))
		}
	}
	return errs
}

func validateLoadBalancerStatus(service *corev1.Service) (errs field.ErrorList) {
	at := field.NewPath("status", "loadBalancer", "ingress")
	if service.Spec.Type != corev1.ServiceTypeLoadBalancer && len(service.Status.LoadBalancer.Ingress) > 0 {
		return field.ErrorList{field.Forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'")}
	}
	for i, ingress := range service.Status.LoadBalancer.Ingress {
		at := at.Index(i)
		if ingress.IP != "" {
			if _, err := netip.ParseAddr(ingress.IP); err != nil {
				errs = append(errs, field.Invalid(at.Child("ip"), ingress.IP, badIP))
			}
		}
		switch mode := ingress.IPMode; {
		case mode == nil && ingress.IP != "":
			errs = append(errs, field.Required(at.Child("ipMode"), "must be specified when `ip` is set"))
		case mode != nil && ingress.IP == "":
			errs = append(errs, field.Forbidden(at.Child("ipMode"), "may not be specified when `ip` is not set"))
		case mode != nil && !slices.Contains(ipModes, *mode):
			errs = append(errs, field.NotSupported(at.Child("ipMode"), *mode, ipModes))
		}
		for _, wrong := range hostnameWrong(ingress.Hostname) {
			errs = append(errs, field.Invalid(at.Child("hostname"), ingress.Hostname, wrong))
		}
	}
	return errs
}

func hostnameWrong(name string) []string {
	if name == "" {
		return nil
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return []string{"must be a DNS name, not an IP address"}
	}
	return utilvalidation.IsDNS1123Subdomain(name)
}
