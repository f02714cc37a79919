// Package ccmtest makes Services and volumes for the tests of the provider.
package ccmtest

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
)

// Cluster is the name of the cluster that the provider works for.
const Cluster = "test-cluster"

// Service returns a Service of type LoadBalancer, as the API server would have it, with port 80.
func Service(edit ...func(*v1.Service)) *v1.Service {
	svc := &v1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "web", UID: "uid-1", Annotations: map[string]string{},
			CreationTimestamp: metav1.NewTime(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)), // younger than any process
		},
		Spec: v1.ServiceSpec{
			Type:                  v1.ServiceTypeLoadBalancer,
			SessionAffinity:       v1.ServiceAffinityNone,
			ExternalTrafficPolicy: v1.ServiceExternalTrafficPolicyCluster,
			Ports:                 []v1.ServicePort{{Name: "http", Protocol: v1.ProtocolTCP, Port: 80, NodePort: 30080}},
		},
	}
	for _, e := range edit {
		e(svc)
	}
	return svc
}

// Annotate sets an annotation.
func Annotate(name, value string) func(*v1.Service) {
	return func(svc *v1.Service) { svc.Annotations[name] = value }
}

// Ports sets the ports.
func Ports(ports ...v1.ServicePort) func(*v1.Service) {
	return func(svc *v1.Service) { svc.Spec.Ports = ports }
}

// Port is a port of a Service, with a name made of its number.
func Port(protocol v1.Protocol, port, nodePort int32) v1.ServicePort {
	return v1.ServicePort{Name: fmt.Sprintf("p%d", port), Protocol: protocol, Port: port, NodePort: nodePort}
}

// Local has kube-proxy answer health checks, on port 31000.
func Local(svc *v1.Service) {
	svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = v1.ServiceExternalTrafficPolicyLocal, 31000
}

// Families sets the IP families, the primary one first.
func Families(all ...v1.IPFamily) func(*v1.Service) {
	return func(svc *v1.Service) { svc.Spec.IPFamilies = all }
}

// Dual gives a Service both IP families, IPv4 first.
func Dual(svc *v1.Service) { Families(v1.IPv4Protocol, v1.IPv6Protocol)(svc) }

// Numbered makes the n-th Service of the cluster, with a port of its own.
func Numbered(n int, edit ...func(*v1.Service)) *v1.Service {
	svc := Service(append([]func(*v1.Service){Ports(Port("TCP", int32(8000+n), int32(30000+n)))}, edit...)...)
	svc.Name, svc.UID = fmt.Sprintf("svc-%d", n), types.UID(fmt.Sprintf("uid-%d", n))
	svc.CreationTimestamp = metav1.NewTime(svc.CreationTimestamp.Add(time.Duration(n) * time.Second))
	return svc
}

// Together has Services share one load balancer.
func Together(svc *v1.Service) { Annotate(annotation.Share, "edge")(svc) }

// Adopting has a load balancer of another client serve the Service.
func Adopting(id string) func(*v1.Service) { return Annotate(annotation.LoadBalancerID, id) }

// VolumeOf is a PersistentVolume of a driver.
func VolumeOf(driver, handle string) *v1.PersistentVolume {
	pv := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv-1"}}
	pv.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: handle}
	return pv
}
