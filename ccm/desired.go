package ccm

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// desired is what the load balancer of a Service is to be, in the cloud's terms.
type desired struct {
	Name      string
	Labels    map[string]string
	Scheme    simcloud.Scheme
	Class     string
	Network   simcloud.ID
	Pool      string // of the floating IP
	Address   string // the floating IP asked for; empty for any
	Algorithm simcloud.Algorithm
	Affinity  simcloud.Affinity
	Listeners []simcloud.ListenerSpec // by port and protocol
	Targets   []simcloud.TargetSpec   // by instance
	IPMode    v1.LoadBalancerIPMode
}

// loadBalancerName is unique, since names in the cloud need not be, and tells people whose it is.
func loadBalancerName(svc *v1.Service) string {
	return svc.Namespace + "." + svc.Name + "." + string(svc.UID)
}

// desire translates a Service. Its error is the Service's fault, and says what is wrong.
func desire(cluster string, svc *v1.Service, targets []simcloud.ID, cfg Config) (desired, error) {
	settings, err := annotated(svc, cfg.LoadBalancer)
	if err != nil {
		return desired{}, err
	}
	address, err := wantedAddress(svc)
	if err != nil {
		return desired{}, err
	}
	want := desired{
		Name:      loadBalancerName(svc),
		Labels:    serviceLabels(cluster, svc),
		Scheme:    simcloud.SchemePublic,
		Class:     settings.Class,
		Network:   cfg.Network,
		Pool:      settings.FloatingIPPool,
		Address:   address,
		Algorithm: settings.Algorithm,
		Affinity:  affinity(svc),
		Targets:   targetSpecs(svc, targets),
		IPMode:    v1.LoadBalancerIPModeVIP,
	}
	if settings.Internal {
		want.Scheme = simcloud.SchemeInternal
		if want.Address != "" {
			return desired{}, fmt.Errorf("spec.loadBalancerIP: %s cannot be had for an internal load balancer: the network chooses its address", want.Address)
		}
	}
	if settings.ProxyProtocol {
		// A node that short-cuts the address would leave out the PROXY header.
		want.IPMode = v1.LoadBalancerIPModeProxy
	}
	want.Listeners, err = listeners(svc, settings)
	return want, err
}

// wantedAddress is the address that a Service asks for, as the cloud writes it:
// an IPv6 address has many forms.
func wantedAddress(svc *v1.Service) (string, error) {
	if svc.Spec.LoadBalancerIP == "" {
		return "", nil
	}
	address, err := netip.ParseAddr(svc.Spec.LoadBalancerIP)
	if err != nil {
		return "", fmt.Errorf("spec.loadBalancerIP: %q is not an address such as 127.77.0.1", svc.Spec.LoadBalancerIP)
	}
	return address.String(), nil
}

// defaultAffinitySeconds is what the API server fills in.
const defaultAffinitySeconds = v1.DefaultClientIPServiceAffinitySeconds

func affinity(svc *v1.Service) simcloud.Affinity {
	if svc.Spec.SessionAffinity != v1.ServiceAffinityClientIP {
		return simcloud.Affinity{}
	}
	seconds := int(defaultAffinitySeconds)
	if c := svc.Spec.SessionAffinityConfig; c != nil && c.ClientIP != nil && c.ClientIP.TimeoutSeconds != nil {
		seconds = int(*c.ClientIP.TimeoutSeconds)
	}
	return simcloud.Affinity{ClientIP: true, TimeoutSeconds: seconds}
}

func targetSpecs(svc *v1.Service, ids []simcloud.ID) []simcloud.TargetSpec {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	specs := []simcloud.TargetSpec{}
	for _, id := range slices.Compact(ids) {
		specs = append(specs, simcloud.TargetSpec{Instance: id, Weight: 1, Labels: partLabels(svc.UID)})
	}
	return specs
}

func seconds(d time.Duration) int { return int(d / time.Second) }
