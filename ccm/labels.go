package ccm

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The labels of what this provider makes in the cloud. They, and never a name,
// decide what is found again, changed and deleted.
const (
	// LabelServiceUID, on load balancers, their listeners and targets, and
	// floating IPs, is the UID of the Service that they are for.
	LabelServiceUID = "kubernetes.io/service-uid"
	// LabelServiceName is the namespace and name of that Service, for people.
	LabelServiceName = "kubernetes.io/service-name"
	// LabelCluster is the name of the cluster, as --cluster-name has it. Clusters
	// that have load balancers together need names of their own.
	LabelCluster = "kubernetes.io/cluster"
	// LabelBorrowed, "true" on a floating IP that a Service uses and somebody
	// else has made: it is given back at the end, and never deleted. While it is
	// used, the UID and the name of the Service are its labels, too.
	LabelBorrowed = "kubernetes.io/borrowed"
	// LabelShare, on load balancers and floating IPs that Services have together,
	// is what their annotation share says. Their [LabelServiceUID] is the share's, and of no Service.
	LabelShare = "service.simcloud.dev/share"
	// LabelUser begins labels of load balancers that Services have joined: a
	// Service's UID follows, and the value is its namespace and name, for people.
	LabelUser = "user.service.simcloud.dev/"
	// LabelNode, on routes, is the name of the Node that they lead to.
	LabelNode = "kubernetes.io/node"
)

const borrowedValue = "true"

// isBorrowed reports whether labels are those of a floating IP that a Service uses and another client of the cloud has made.
func isBorrowed(labels map[string]string) bool { return labels[LabelBorrowed] == borrowedValue }

// serviceLabels are the labels of what is made for a Service alone.
func serviceLabels(cluster string, svc *v1.Service) map[string]string {
	return map[string]string{
		LabelServiceUID:  string(svc.UID),
		LabelServiceName: svc.Namespace + "/" + svc.Name,
		LabelCluster:     cluster,
	}
}

// partLabels are the labels of a listener or target: the UID is enough inside
// a load balancer that says the rest.
func partLabels(uid types.UID) map[string]string {
	return map[string]string{LabelServiceUID: string(uid)}
}

// ownedBy reports whether labels are those of what was made for a Service, or for a share.
func ownedBy(uid types.UID, labels map[string]string) bool {
	return uid != "" && labels[LabelServiceUID] == string(uid)
}

// serviceSelector selects what was made for a Service.
func serviceSelector(uid types.UID) string { return LabelServiceUID + "=" + string(uid) }

// withLabels returns have with ours set over it, so that labels which others have put there stay.
func withLabels(have, ours map[string]string) map[string]string {
	all := maps.Clone(have)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, ours)
	return all
}

// hasLabels reports whether have has all of ours, with their values.
func hasLabels(have, ours map[string]string) bool {
	for key, value := range ours {
		if got, ok := have[key]; !ok || got != value {
			return false
		}
	}
	return true
}

// borrowLabels say whose a floating IP is for the time being. Those of a share
// are found by more than the owner.
func borrowLabels(owner map[string]string) map[string]string {
	labels := map[string]string{LabelBorrowed: borrowedValue}
	keys := []string{LabelServiceUID, LabelServiceName}
	if owner[LabelShare] != "" {
		keys = append(keys, LabelShare, LabelCluster)
	}
	for _, key := range keys {
		labels[key] = owner[key]
	}
	return labels
}
