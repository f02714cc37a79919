package ccm

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
)

// serviceCache is the cluster's Services as the controllers' informer shows
// them. Before SetInformers it takes every Service for one of the cluster.
type serviceCache struct{ lister corelisters.ServiceLister }

func (s *serviceCache) all() []*v1.Service {
	if s.lister == nil {
		return nil
	}
	// A lister reads its memory, and fails in no way.
	all, _ := s.lister.List(labels.Everything())
	return all
}

func (s *serviceCache) find(uid types.UID) *v1.Service {
	for _, svc := range s.all() {
		if svc.UID == uid {
			return svc
		}
	}
	return nil
}

func (s *serviceCache) has(uid types.UID) bool { return s.lister == nil || s.find(uid) != nil }

// older reports whether Service a was made before b. UIDs decide when nothing else does.
func (s *serviceCache) older(a, b types.UID) bool {
	one, other := s.find(a), s.find(b)
	if one == nil || other == nil || one.CreationTimestamp.Equal(&other.CreationTimestamp) {
		return a < b
	}
	return one.CreationTimestamp.Before(&other.CreationTimestamp)
}

// sharing reports whether the cluster has another Service that asks for a share.
func (s *serviceCache) sharing(share string, but types.UID) bool {
	for _, svc := range s.all() {
		if svc.UID != but && svc.DeletionTimestamp == nil &&
			svc.Spec.Type == v1.ServiceTypeLoadBalancer && svc.Annotations[AnnotationShare] == share {
			return true
		}
	}
	return false
}
