// Package label has the labels by which the provider finds again what it has
// made in the cloud, and tells it from what others have made.
package label

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The labels of what this provider makes in the cloud. They, and never a name,
// decide what is found again, changed and deleted.
const (
	// ServiceUID, on load balancers, their listeners and targets, and
	// floating IPs, is the UID of the Service that they are for.
	ServiceUID = "kubernetes.io/service-uid"
	// ServiceName is the namespace and name of that Service, for humans.
	ServiceName = "kubernetes.io/service-name"
	// Cluster is the name of the cluster, as --cluster-name has it. Clusters
	// that have load balancers together need names of their own.
	Cluster = "kubernetes.io/cluster"
	// Borrowed, "true" on a floating IP that a Service uses and another
	// client has made: it is given back at the end, and never deleted. While it is
	// used, the UID and the name of the Service are its labels, too.
	Borrowed = "kubernetes.io/borrowed"
	// Share, on load balancers and floating IPs that Services have together,
	// is what their annotation share says. Their [ServiceUID] is the share's, and of no Service.
	Share = "service.simcloud.dev/share"
	// User begins labels of load balancers that Services have joined: a
	// Service's UID follows, and the value is its namespace and name, for humans.
	User = "user.service.simcloud.dev/"
	// Node, on routes, is the name of the Node that they lead to.
	Node = "kubernetes.io/node"
)

const borrowedValue = "true"

// IsBorrowed reports whether labels are those of a floating IP that a Service uses and another client of the cloud has made.
func IsBorrowed(labels map[string]string) bool { return labels[Borrowed] == borrowedValue }

// OfService are the labels of what is made for a Service alone.
func OfService(cluster string, svc *v1.Service) map[string]string {
	return map[string]string{
		ServiceUID:  string(svc.UID),
		ServiceName: svc.Namespace + "/" + svc.Name,
		Cluster:     cluster,
	}
}

// OfPart are the labels of a listener or target: the UID is enough inside
// a load balancer that says the rest.
func OfPart(uid types.UID) map[string]string {
	return map[string]string{ServiceUID: string(uid)}
}

// OwnedBy reports whether labels are those of what was made for a Service, or for a share.
func OwnedBy(uid types.UID, labels map[string]string) bool {
	return uid != "" && labels[ServiceUID] == string(uid)
}

// Selector selects what was made for a Service.
func Selector(uid types.UID) string { return ServiceUID + "=" + string(uid) }

// With returns have with ours set over it, so that labels which others have put there stay.
func With(have, ours map[string]string) map[string]string {
	all := maps.Clone(have)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, ours)
	return all
}

// Has reports whether have has all of ours, with their values.
func Has(have, ours map[string]string) bool {
	for key, value := range ours {
		if got, ok := have[key]; !ok || got != value {
			return false
		}
	}
	return true
}

// OfBorrower say whose a floating IP is for the time being. Those of a share
// are found by more than the owner.
func OfBorrower(owner map[string]string) map[string]string {
	labels := map[string]string{Borrowed: borrowedValue}
	keys := []string{ServiceUID, ServiceName}
	if owner[Share] != "" {
		keys = append(keys, Share, Cluster)
	}
	for _, key := range keys {
		labels[key] = owner[key]
	}
	return labels
}
