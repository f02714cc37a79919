package mutant

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// oracleMutants stand for no story, and prove oracles and what calls may cost.
var oracleMutants = []Mutant{
	{
		Name:     "foreign-address-released",
		Title:    "an address that leads nowhere is taken for a leftover, whoever has reserved it",
		KilledBy: "plain-day",
		Reason:   "foreign-kept the CCM has deleted floating_ip/",
		// It releases what nothing uses when a Service changes.
		balancers: func(lbs *balancers) {
			lbs.ensure = func(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
				status, err := lbs.right.EnsureLoadBalancer(ctx, cluster, svc, nodes)
				if err == nil {
					err = deleteUnused(ctx, lbs.cloud)
				}
				if err != nil {
					return nil, err
				}
				return status, nil
			}
		},
	},
	{
		Name:     "lb-made-twice",
		Title:    "two workers make a load balancer for the same Service, and the second one is forgotten until the Service goes",
		KilledBy: "plain-day",
		Reason:   "one-load-balancer there were 2 load balancers for the Service web",
		api:      func(c *client.Client) ccm.CloudAPI { return twice{c} },
	},
	{
		Name:     "labels-rewritten",
		Title:    "each look at the cloud writes the labels of all load balancers, which are as they should be",
		KilledBy: "plain-day",
		Reason:   "idle-writes the CCM does not come to rest",
		// It begins to look by itself with the first look at the routes, and until the process ends.
		routes: func(r *routes) {
			var begin sync.Once
			r.beforeList(func(ctx context.Context, _ string) error {
				begin.Do(func() { go relabel(context.WithoutCancel(ctx), r.cloud) })
				return nil
			})
		},
	},
	{
		Name:     "each-vm-asked-for",
		Title:    "for each route each VM is asked for, each time that routes are looked at",
		Issues:   []string{"hcloud#661", "kubernetes#26119"},
		KilledBy: "plain-day",
		Reason:   `call-budget the CCM made`,
		// It finds the VM of a route by asking for one after the other.
		routes: func(r *routes) {
			r.afterList(func(ctx context.Context, listed []*cloudprovider.Route) error {
				vms, err := simcloud.ListAll(ctx, r.cloud.ListInstances, simcloud.ListOptions{})
				for range listed {
					for _, vm := range vms {
						if _, err := r.cloud.GetInstance(ctx, vm.ID); err != nil && !errors.Is(err, simcloud.NotFound) {
							return err
						}
					}
				}
				return err
			})
		},
	},
	{
		Name:     "all-vms-listed-for-each",
		Title:    "for each node that is initialised all VMs are listed",
		Issues:   []string{"hcloud#661", "kubernetes#75016"},
		KilledBy: "n11-many-at-once",
		Reason:   "not a listing of all VMs for each node",
		// It reads all pages before it answers for one VM.
		instances: func(vms *instances) {
			vms.metadata = func(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
				if _, err := simcloud.ListAll(ctx, vms.cloud.ListInstances, simcloud.ListOptions{}); err != nil {
					return nil, err
				}
				return vms.right.InstanceMetadata(ctx, node)
			}
		},
	},
	{
		Name:         "port-change-makes-lb-anew",
		Title:        "when the ports of a Service change, its load balancer is deleted and recreated",
		KilledBy:     "plain-day",
		Reason:       "address-kept the Service web has lost its address",
		AlsoKilledBy: []string{"lb-provisioning"},
		balancers: func(lbs *balancers) {
			lbs.beforeEnsure(func(ctx context.Context, cluster string, svc *corev1.Service) error {
				all, err := simcloud.ListAll(ctx, lbs.cloud.ListLoadBalancers, simcloud.ListOptions{})
				for _, lb := range all {
					if lb.Labels[label.ServiceUID] == string(svc.UID) && !samePorts(lb, svc) {
						if err := lbs.right.EnsureLoadBalancerDeleted(ctx, cluster, svc); err != nil {
							return err
						}
					}
				}
				return err
			})
		},
	},
	{
		Name:         "targets-rebuilt",
		Title:        "when a node comes or goes, all targets are removed and added again",
		Issues:       []string{"hcloud#249"},
		KilledBy:     "plain-day",
		Reason:       "no-flapping the target",
		AlsoKilledBy: []string{"lb-provisioning"},
		balancers: func(lbs *balancers) {
			lbs.update = func(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) error {
				if err := deleteTargets(ctx, lbs.cloud, svc); err != nil {
					return err
				}
				return lbs.right.UpdateLoadBalancer(ctx, cluster, svc, nodes)
			}
		},
	},
	{
		Name:     "token-logged",
		Title:    "the configuration is logged at the start, with the token",
		KilledBy: "plain-day",
		Reason:   "no-secrets a secret that the CCM was given is in its log",
		config: func(c *config.Config) {
			token, err := os.ReadFile(c.TokenFile)
			klog.InfoS("Starting with", "endpoint", c.Endpoint, "token", strings.TrimSpace(string(token)), "err", err)
		},
	},
}

// deleteUnused deletes the addresses that are attached to nothing.
func deleteUnused(ctx context.Context, cloud *client.Client) error {
	all, err := simcloud.ListAll(ctx, cloud.ListFloatingIPs, simcloud.ListOptions{})
	for _, ip := range all {
		if ip.AttachedTo.ID != "" {
			continue
		}
		if _, err := cloud.DeleteFloatingIP(ctx, ip.ID); err != nil {
			return err
		}
	}
	return err
}

// relabelEvery is so often that the CCM does not seem to rest where everything is slow for a while.
const relabelEvery = 100 * time.Millisecond

// relabel writes the labels of all load balancers for ever.
func relabel(ctx context.Context, cloud *client.Client) {
	for ; ; time.Sleep(relabelEvery) {
		all, err := simcloud.ListAll(ctx, cloud.ListLoadBalancers, simcloud.ListOptions{})
		if err != nil {
			continue
		}
		for _, lb := range all {
			_, _ = cloud.UpdateLoadBalancer(ctx, lb.ID, simcloud.LoadBalancerUpdate{Labels: &lb.Labels}) // the next time, if not now
		}
	}
}

func samePorts(lb simcloud.LoadBalancer, svc *corev1.Service) bool {
	return len(lb.Listeners) == len(svc.Spec.Ports) && !slices.ContainsFunc(lb.Listeners, func(l simcloud.Listener) bool {
		return !slices.ContainsFunc(svc.Spec.Ports, func(p corev1.ServicePort) bool { return int(p.Port) == l.Port })
	})
}

// deleteTargets deletes all targets of a Service.
func deleteTargets(ctx context.Context, cloud *client.Client, svc *corev1.Service) error {
	all, err := simcloud.ListAll(ctx, cloud.ListLoadBalancers, simcloud.ListOptions{})
	for _, lb := range all {
		if lb.Labels[label.ServiceUID] != string(svc.UID) {
			continue
		}
		for _, target := range lb.Targets {
			if _, err := cloud.DeleteTarget(ctx, lb.ID, target.Key()); err != nil {
				return err
			}
		}
	}
	return err
}

const againSuffix = "-again"

// twice makes a second load balancer beside each, and deletes all second ones with the first that is deleted.
type twice struct{ *client.Client }

func (t twice) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	first, err := t.Client.CreateLoadBalancer(ctx, spec, opts...)
	if err != nil {
		return first, err
	}
	second := simcloud.LoadBalancerSpec{Name: "a" + spec.Labels[label.ServiceUID] + againSuffix, Scheme: spec.Scheme, Network: spec.Network}
	_, err = t.Client.CreateLoadBalancer(ctx, second)
	return first, err
}

func (t twice) DeleteLoadBalancer(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	all, err := simcloud.ListAll(ctx, t.ListLoadBalancers, simcloud.ListOptions{})
	if err != nil {
		return simcloud.Operation{}, err
	}
	for _, lb := range all {
		if !strings.HasSuffix(lb.Name, againSuffix) {
			continue
		}
		if op, err := t.Client.DeleteLoadBalancer(ctx, lb.ID); err != nil {
			return op, err
		}
	}
	return t.Client.DeleteLoadBalancer(ctx, id, opts...)
}
