package ccm

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func userLabel(uid types.UID) string { return LabelUser + string(uid) }

// uses reports whether a Service has joined a load balancer.
func uses(uid types.UID, lb simcloud.LoadBalancer) bool {
	_, is := lb.Labels[userLabel(uid)]
	return uid != "" && is
}

// usersOf returns the Services that have joined a load balancer, by UID.
func usersOf(lb simcloud.LoadBalancer) []types.UID {
	var users []types.UID
	for _, key := range sortedKeys(lb.Labels) {
		if uid, is := strings.CutPrefix(key, LabelUser); is {
			users = append(users, types.UID(uid))
		}
	}
	return users
}

// others returns the users of a load balancer beside a Service, as far as they
// are Services of this cluster. One that the cluster has no more cannot leave.
func (s *serviceCache) others(lb simcloud.LoadBalancer, uid types.UID) []types.UID {
	return slices.DeleteFunc(usersOf(lb), func(user types.UID) bool { return user == uid || !s.has(user) })
}

// mayJoin reports whether a shared load balancer is this cluster's. One that
// only unknown Services use is of another cluster that has the same name.
func (s *serviceCache) mayJoin(lb simcloud.LoadBalancer, uid types.UID) bool {
	users := usersOf(lb)
	return len(users) == 0 || slices.Contains(users, uid) || slices.ContainsFunc(users, s.has)
}

// first returns the Service that says what concerns the whole load balancer:
// the oldest one of its users and one that may be about to join.
func (s *serviceCache) first(lb simcloud.LoadBalancer, uid types.UID) types.UID {
	first := uid
	for _, user := range s.others(lb, uid) {
		if s.older(user, first) {
			first = user
		}
	}
	return first
}
