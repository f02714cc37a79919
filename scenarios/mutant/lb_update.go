package mutant

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// lbUpdateMutants are those that do not make of a load balancer what it has to become.
var lbUpdateMutants = []Mutant{
	{
		Name:         "lb-in-error-for-ever",
		Row:          "26",
		Title:        "a load balancer has to be active to be changed, repaired, or deleted",
		Issues:       []string{"openstack#2036", "openstack#2037"},
		Fault:        "a load balancer that is in use goes into error, and its Service is deleted",
		Expected:     "delete it with its Service",
		KilledBy:     "lb-in-error-for-ever",
		Reason:       "A load balancer in error can be deleted",
		AlsoKilledBy: []string{"error-after-restart-for-ever"},
		balancers: func(lbs *balancers) {
			neverRepair(lbs)
			lbs.remove = func(ctx context.Context, cluster string, svc *corev1.Service) error {
				if err := active(ctx, lbs.cloud, svc); err != nil {
					return err
				}
				return lbs.right.EnsureLoadBalancerDeleted(ctx, cluster, svc)
			}
		},
	},
	{
		Name:         "failed-creation-kept",
		Row:          "26",
		Title:        "a load balancer whose creation has ended in error is waited for, and never recreated",
		Issues:       []string{"openstack#2541", "openstack#2341", "oci#175"},
		Fault:        "the creation of a load balancer ends in error",
		Expected:     "delete it and make another",
		KilledBy:     "lb-in-error-for-ever",
		Reason:       "A load balancer whose creation ends in error never works",
		AlsoKilledBy: []string{"error-after-restart-for-ever"},
		balancers:    neverRepair,
	},
	{
		Name:         "status-from-create-answer",
		Row:          "27",
		Title:        "the state of a load balancer is that of the answer to its creation, and so pending for ever",
		Issues:       []string{"openstack#2066", "openstack#1052", "openstack#2165", "digitalocean#103"},
		Fault:        "the cloud takes two seconds to make a load balancer",
		Expected:     "it is used as soon as it is active, and no second one is made",
		KilledBy:     "status-from-create-answer",
		Reason:       "A CCM must ask the cloud what has become of the load balancer",
		AlsoKilledBy: []string{"lb-in-error-for-ever", "token-not-renewed"}, // where a creation ends later than its answer comes
		api:          newAnswerIsState,
	},
	{
		Name:     "error-after-restart-for-ever",
		Row:      "28",
		Title:    "a load balancer in error is recreated only by the process that has made it",
		Issues:   []string{"openstack loadbalancer.go:316-323"},
		Fault:    "the CCM is killed while a load balancer is created, and the creation ends in error when the next process has found it",
		Expected: "the next process replaces it",
		KilledBy: "error-after-restart-for-ever",
		Reason:   "also when it has found it at its start",
		// It has the repair in the way to a new load balancer alone.
		balancers: func(lbs *balancers) {
			var begun sync.Map // the UIDs of the Services that this process has gone that way with
			lbs.beforeEnsure(func(ctx context.Context, _ string, svc *corev1.Service) error {
				if _, begun := begun.Load(svc.UID); begun {
					return nil
				}
				if err := active(ctx, lbs.cloud, svc); err != nil {
					return err
				}
				begun.Store(svc.UID, true)
				return nil
			})
		},
	},
	{
		Name:  "health-check-port-ignored",
		Row:   "34",
		Title: "an update forgets that externalTrafficPolicy is Local, and has the node ports checked",
		Issues: []string{
			"scaleway#192", "scaleway#197", "oci#68", "oci#1", "openstack#1971", "openstack#1749", "openstack#1750", "openstack#2866",
		},
		Fault:    "a Service with externalTrafficPolicy Local gets one more port, and the cluster one more node",
		Expected: "all listeners check the healthCheckNodePort, on every path",
		KilledBy: "health-check-port-ignored",
		Reason:   "check the healthCheckNodePort",
		// It knows of the policy where it makes a load balancer, and not where it changes one.
		balancers: func(lbs *balancers) {
			lbs.ensure = func(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
				_, exists, err := lbs.right.GetLoadBalancer(ctx, cluster, svc)
				if err != nil {
					return nil, err
				}
				if exists {
					svc = svc.DeepCopy()
					svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyCluster, 0
				}
				return lbs.right.EnsureLoadBalancer(ctx, cluster, svc, nodes)
			}
		},
	},
	{
		Name:     "nodes-of-before",
		Row:      "47",
		Title:    "to ensure a load balancer that is there leaves its targets as they are",
		Issues:   []string{"kubernetes#59900", "kubernetes#109180", "kubernetes#121090"},
		Fault:    "the nodes change while the CCM is down",
		Expected: "the targets are the nodes of now soon after the start",
		KilledBy: "nodes-of-before",
		Reason:   "It must make the targets what they are to be",
		api:      func(c *client.Client) ccm.CloudAPI { return keepsTargets{c} },
		// It leaves the targets to UpdateLoadBalancer, which hears of every change of the nodes.
		balancers: func(lbs *balancers) {
			lbs.ensure = func(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
				return lbs.right.EnsureLoadBalancer(context.WithValue(ctx, ensuring{}, true), cluster, svc, nodes)
			}
		},
	},
}

// neverRepair changes no load balancer that is not active. It can delete one.
func neverRepair(lbs *balancers) {
	lbs.beforeEnsure(func(ctx context.Context, _ string, svc *corev1.Service) error { return active(ctx, lbs.cloud, svc) })
}

// active is an error when a load balancer of the Service is not.
func active(ctx context.Context, cloud *client.Client, svc *corev1.Service) error {
	all, err := simcloud.ListAll(ctx, cloud.ListLoadBalancers, simcloud.ListOptions{Selector: label.ServiceUID + "=" + string(svc.UID)})
	if err != nil {
		return err
	}
	for _, lb := range all {
		if lb.State != simcloud.LoadBalancerActive {
			return fmt.Errorf("load balancer %s is not ACTIVE, current provisioning status: %s", lb.ID, lb.State)
		}
	}
	return nil
}

// answerIsState keeps the load balancers that were pending in the answer to their creation.
type answerIsState struct {
	rereads
	pending *sync.Map // by id
}

func newAnswerIsState(c *client.Client) ccm.CloudAPI {
	var pending sync.Map
	return answerIsState{rereads{c, func(lb *simcloud.LoadBalancer) {
		if _, kept := pending.Load(lb.ID); kept {
			lb.State = simcloud.LoadBalancerProvisioning
		}
	}}, &pending}
}

func (a answerIsState) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	result, err := a.Client.CreateLoadBalancer(ctx, spec, opts...)
	if err == nil && result.Resource.State == simcloud.LoadBalancerProvisioning {
		a.pending.Store(result.Resource.ID, true)
	}
	return result, err
}

// ensuring marks the calls of EnsureLoadBalancer.
type ensuring struct{}

// keepsTargets changes no target for an Ensure.
type keepsTargets struct{ *client.Client }

func (k keepsTargets) CreateTarget(ctx context.Context, lb simcloud.ID, spec simcloud.TargetSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	if ctx.Value(ensuring{}) != nil {
		return simcloud.Result[simcloud.LoadBalancer]{}, nil
	}
	return k.Client.CreateTarget(ctx, lb, spec, opts...)
}

func (k keepsTargets) DeleteTarget(ctx context.Context, lb, instance simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	if ctx.Value(ensuring{}) != nil {
		return simcloud.Result[simcloud.LoadBalancer]{}, nil
	}
	return k.Client.DeleteTarget(ctx, lb, instance, opts...)
}
