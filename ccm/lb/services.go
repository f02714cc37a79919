package lb

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Services is the cluster's Services as the controllers' informer shows
// them. Before SetInformers it takes every Service for one of the cluster.
type Services struct{ lister corelisters.ServiceLister }

// Use has the cache show what the informer behind a lister shows.
func (s *Services) Use(lister corelisters.ServiceLister) { s.lister = lister }

func (s *Services) all() []*v1.Service {
	if s.lister == nil {
		return nil
	}
	// A lister reads its memory, and fails in no way.
	all, _ := s.lister.List(labels.Everything())
	return all
}

func (s *Services) find(uid types.UID) *v1.Service {
	for _, svc := range s.all() {
		if svc.UID == uid {
			return svc
		}
	}
	return nil
}

func (s *Services) has(uid types.UID) bool { return s.lister == nil || s.find(uid) != nil }

// older reports whether Service a was made before b. UIDs decide when nothing else does.
func (s *Services) older(a, b types.UID) bool {
	one, other := s.find(a), s.find(b)
	if one == nil || other == nil || one.CreationTimestamp.Equal(&other.CreationTimestamp) {
		return a < b
	}
	return one.CreationTimestamp.Before(&other.CreationTimestamp)
}

// sharing reports whether the cluster has another Service that asks for a share.
func (s *Services) sharing(share string, but types.UID) bool {
	for _, svc := range s.all() {
		if svc.UID != but && svc.DeletionTimestamp == nil &&
			svc.Spec.Type == v1.ServiceTypeLoadBalancer && svc.Annotations[annotation.Share] == share {
			return true
		}
	}
	return false
}

func userLabel(uid types.UID) string { return label.User + string(uid) }

// uses reports whether a Service has joined a load balancer.
func uses(uid types.UID, lb simcloud.LoadBalancer) bool {
	_, is := lb.Labels[userLabel(uid)]
	return uid != "" && is
}

// usersOf returns the Services that have joined a load balancer, by UID.
func usersOf(lb simcloud.LoadBalancer) []types.UID {
	var users []types.UID
	for _, key := range slices.Sorted(maps.Keys(lb.Labels)) {
		if uid, is := strings.CutPrefix(key, label.User); is {
			users = append(users, types.UID(uid))
		}
	}
	return users
}

// others returns the users of a load balancer beside a Service, as far as they
// are Services of this cluster. One that the cluster has no more cannot leave.
func (s *Services) others(lb simcloud.LoadBalancer, uid types.UID) []types.UID {
	return slices.DeleteFunc(usersOf(lb), func(user types.UID) bool { return user == uid || !s.has(user) })
}

// mayJoin reports whether a shared load balancer is this cluster's. One that
// only unknown Services use is of another cluster that has the same name.
func (s *Services) mayJoin(lb simcloud.LoadBalancer, uid types.UID) bool {
	users := usersOf(lb)
	return len(users) == 0 || slices.Contains(users, uid) || slices.ContainsFunc(users, s.has)
}

// first returns the Service that says what concerns the whole load balancer:
// the oldest one of its users and one that may be about to join.
func (s *Services) first(lb simcloud.LoadBalancer, uid types.UID) types.UID {
	first := uid
	for _, user := range s.others(lb, uid) {
		if s.older(user, first) {
			first = user
		}
	}
	return first
}
