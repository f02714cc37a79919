package lb

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// desired is what the load balancer of a Service is to be, in the cloud's terms.
type desired struct {
	UID       types.UID // of the Service
	Cluster   string
	Ref       lbRef
	Follows   bool // whether others say what concerns the whole load balancer
	Name      string
	Labels    map[string]string
	Scheme    simcloud.Scheme
	Class     string
	Network   simcloud.ID
	Addresses addressing
	Algorithm simcloud.Algorithm
	Affinity  simcloud.Affinity
	Listeners []simcloud.ListenerSpec // by port and protocol
	Targets   []simcloud.TargetSpec   // by instance
	IPMode    v1.LoadBalancerIPMode
}

// owner is the UID that stands on all that is made for it: the Service's, or that of its share.
func (d desired) owner() types.UID { return types.UID(d.Labels[label.ServiceUID]) }

// loadBalancerName is unique, since names in the cloud need not be, and tells people whose it is.
func loadBalancerName(svc *v1.Service) string {
	return svc.Namespace + "." + svc.Name + "." + string(svc.UID)
}

// desire translates a Service. Its error is the Service's fault, and says what is wrong.
func desire(cluster string, svc *v1.Service, targets []simcloud.ID, cfg config.Config) (desired, error) {
	annotations, err := annotation.Parse(svc, cfg.LoadBalancer)
	if err != nil {
		return desired{}, err
	}
	want := desired{
		UID:       svc.UID,
		Cluster:   cluster,
		Name:      loadBalancerName(svc),
		Labels:    label.OfService(cluster, svc),
		Scheme:    schemeOf(annotations),
		Class:     annotations.Class,
		Network:   cfg.Network,
		Algorithm: annotations.Algorithm,
		Affinity:  affinity(svc),
		IPMode:    ipMode(annotations),
	}
	if want.Addresses, err = wantedAddresses(svc, annotations); err != nil {
		return desired{}, err
	}
	if want.Listeners, err = listeners(svc, annotations); err != nil {
		return desired{}, err
	}
	if want, err = want.in(svc, refOf(annotations)); err != nil {
		return desired{}, err
	}
	want.Targets = want.targetSpecs(targets)
	return want, nil
}

func schemeOf(annotations annotation.Settings) simcloud.Scheme {
	if annotations.Internal {
		return simcloud.SchemeInternal
	}
	return simcloud.SchemePublic
}

// ipMode keeps nodes from short-cutting an address behind which the PROXY
// header is needed, unless the Service says otherwise.
func ipMode(annotations annotation.Settings) v1.LoadBalancerIPMode {
	switch {
	case annotations.IPMode != "":
		return annotations.IPMode
	case annotations.ProxyProtocol:
		return v1.LoadBalancerIPModeProxy
	default:
		return v1.LoadBalancerIPModeVIP
	}
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

func seconds(d time.Duration) int { return int(d / time.Second) }
