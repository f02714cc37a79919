package ccm

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// desired is what the load balancer of a Service is to be, in the cloud's terms.
type desired struct {
	UID       types.UID // of the Service
	Cluster   string
	Place     place
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

// loadBalancerName is unique, since names in the cloud need not be, and tells people whose it is.
func loadBalancerName(svc *v1.Service) string {
	return svc.Namespace + "." + svc.Name + "." + string(svc.UID)
}

// desire translates a Service. Its error is the Service's fault, and says what is wrong.
func desire(cluster string, svc *v1.Service, targets []simcloud.ID, cfg Config) (desired, error) {
	said, err := annotated(svc, cfg.LoadBalancer)
	if err != nil {
		return desired{}, err
	}
	want := desired{
		UID:       svc.UID,
		Cluster:   cluster,
		Name:      loadBalancerName(svc),
		Labels:    serviceLabels(cluster, svc),
		Scheme:    schemeOf(said),
		Class:     said.Class,
		Network:   cfg.Network,
		Algorithm: said.Algorithm,
		Affinity:  affinity(svc),
		IPMode:    ipMode(said),
	}
	if want.Addresses, err = wantedAddresses(svc, said); err != nil {
		return desired{}, err
	}
	if want.Listeners, err = listeners(svc, said); err != nil {
		return desired{}, err
	}
	if want, err = want.in(svc, placeOf(said)); err != nil {
		return desired{}, err
	}
	want.Targets = want.targetSpecs(targets)
	return want, nil
}

func schemeOf(said settings) simcloud.Scheme {
	if said.Internal {
		return simcloud.SchemeInternal
	}
	return simcloud.SchemePublic
}

// ipMode keeps nodes from short-cutting an address behind which the PROXY
// header is needed, unless the Service says otherwise.
func ipMode(said settings) v1.LoadBalancerIPMode {
	switch {
	case said.IPMode != "":
		return said.IPMode
	case said.ProxyProtocol:
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

// targetSpecs are targets for instances. Those of a joined load balancer say
// whose cluster they are of: one that its Service has left is for the others of that cluster.
func (d desired) targetSpecs(ids []simcloud.ID) []simcloud.TargetSpec {
	labels := partLabels(d.UID)
	if d.Place.joined() {
		labels[LabelCluster] = d.Cluster
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	specs := []simcloud.TargetSpec{}
	for _, id := range slices.Compact(ids) {
		specs = append(specs, simcloud.TargetSpec{Instance: id, Weight: 1, Labels: labels})
	}
	return specs
}

func seconds(d time.Duration) int { return int(d / time.Second) }
