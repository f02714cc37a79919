package scenarios

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// envRuleFile makes this test binary a CCM: ours, but for the one rule that the file names.
const envRuleFile = "SIMCLOUD_BROKEN_RULE_FILE"

// rule is what a broken CCM does wrong. The empty one is nothing.
type rule string

const (
	noAddresses     rule = "no-addresses"
	noZone          rule = "no-zone"
	writesWhenIdle  rule = "writes-when-idle"
	forgetsAddress  rule = "forgets-the-floating-ip"
	leaksTargets    rule = "leaks-targets"
	keepsExcluded   rule = "keeps-excluded-nodes"
	wrongTargetPort rule = "wrong-target-port"
	recreatesLB     rule = "recreates-the-load-balancer"
	deletesForeign  rule = "deletes-foreign-routes"
	keepsRoutes     rule = "keeps-routes"
	failsRoutes     rule = "fails-to-create-routes"
	stoppedIsGone   rule = "takes-stopped-for-gone"
	neverGone       rule = "never-says-gone"
	neverShutdown   rule = "never-says-shutdown"
	startsInstances rule = "starts-instances"
)

// runBrokenCCM runs the CCM with the rule of the file until it is told to stop.
func runBrokenCCM(ruleFile string) int {
	raw, err := os.ReadFile(ruleFile)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	open := func(c *config.CompletedConfig) cloudprovider.Interface {
		cloud, err := openBroken(rule(strings.TrimSpace(string(raw))), c.ComponentConfig.KubeCloudShared.CloudProvider.CloudConfigFile)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return cloud
	}
	command := app.NewCloudControllerManagerCommand(opts, open, maps.Clone(app.DefaultInitFuncConstructors),
		names.CCMControllerAliases(), cliflag.NamedFlagSets{}, ctx.Done())
	command.SetArgs(os.Args[1:])
	if err := command.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func openBroken(r rule, configFile string) (cloudprovider.Interface, error) {
	cfg, err := ccm.LoadConfig(configFile)
	if err != nil {
		return nil, err
	}
	api, err := client.New(client.Config{Endpoint: cfg.Endpoint, TokenFile: cfg.TokenFile, UserAgent: "broken-ccm"})
	if err != nil {
		return nil, err
	}
	cloud := &brokenCloud{Cloud: ccm.New(brokenAPI{api, r}, cfg, time.Now), api: api, rule: r}
	return cloud, nil
}

// brokenAPI breaks rules below the provider: it answers for the cloud.
type brokenAPI struct {
	*client.Client
	rule rule
}

func (b brokenAPI) DeleteFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	if b.rule == forgetsAddress {
		return simcloud.Operation{}, nil
	}
	return b.Client.DeleteFloatingIP(ctx, id, opts...)
}

func (b brokenAPI) DeleteTarget(ctx context.Context, lb, instance simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	_, gone := b.GetInstance(ctx, instance)
	if b.rule == leaksTargets || b.rule == keepsExcluded && gone == nil {
		return simcloud.Result[simcloud.LoadBalancer]{}, nil
	}
	return b.Client.DeleteTarget(ctx, lb, instance, opts...)
}

func (b brokenAPI) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	if b.rule == wrongTargetPort {
		for i := range spec.Listeners {
			spec.Listeners[i].TargetPort = spec.Listeners[i].Port
		}
	}
	return b.Client.CreateLoadBalancer(ctx, spec, opts...)
}

func (b brokenAPI) UpdateListener(ctx context.Context, lb, id simcloud.ID, c simcloud.ListenerConfig, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	if b.rule == wrongTargetPort {
		return simcloud.Result[simcloud.LoadBalancer]{}, nil
	}
	return b.Client.UpdateListener(ctx, lb, id, c, opts...)
}

func (b brokenAPI) DeleteRoute(ctx context.Context, table, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error) {
	if b.rule == keepsRoutes {
		return simcloud.Result[simcloud.RouteTable]{}, nil
	}
	return b.Client.DeleteRoute(ctx, table, id, opts...)
}

// brokenCloud breaks rules above the provider: it answers for it.
type brokenCloud struct {
	*ccm.Cloud
	api  *client.Client
	rule rule
}

func (b *brokenCloud) InstancesV2() (cloudprovider.InstancesV2, bool) {
	good, ok := b.Cloud.InstancesV2()
	return brokenInstances{good, b}, ok
}

func (b *brokenCloud) LoadBalancer() (cloudprovider.LoadBalancer, bool) {
	good, ok := b.Cloud.LoadBalancer()
	return brokenBalancers{good, b}, ok
}

func (b *brokenCloud) Routes() (cloudprovider.Routes, bool) {
	good, ok := b.Cloud.Routes()
	return brokenRoutes{good, b}, ok
}

type brokenInstances struct {
	cloudprovider.InstancesV2
	cloud *brokenCloud
}

func (b brokenInstances) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	switch b.cloud.rule {
	case neverGone:
		return true, nil
	case stoppedIsGone:
		if stopped, err := b.InstancesV2.InstanceShutdown(ctx, node); err != nil || stopped {
			return false, nil
		}
	default:
	}
	return b.InstancesV2.InstanceExists(ctx, node)
}

func (b brokenInstances) InstanceShutdown(ctx context.Context, node *corev1.Node) (bool, error) {
	if b.cloud.rule == neverShutdown {
		return false, nil
	}
	return b.InstancesV2.InstanceShutdown(ctx, node)
}

func (b brokenInstances) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	found, err := b.InstancesV2.InstanceMetadata(ctx, node)
	if err != nil {
		return nil, err
	}
	wrong := *found
	switch b.cloud.rule {
	case noAddresses:
		wrong.NodeAddresses = nil
	case noZone:
		wrong.Zone = ""
	case startsInstances:
		if node.Spec.ProviderID == "" {
			id := wrong.ProviderID[strings.LastIndexByte(wrong.ProviderID, '/')+1:]
			_, err = b.cloud.api.StartInstance(ctx, simcloud.ID(id))
		}
	default:
	}
	return &wrong, err
}

type brokenBalancers struct {
	cloudprovider.LoadBalancer
	cloud *brokenCloud
}

func (b brokenBalancers) EnsureLoadBalancer(ctx context.Context, cluster string, service *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	if b.cloud.rule == recreatesLB {
		if err := b.EnsureLoadBalancerDeleted(ctx, cluster, service); err != nil {
			return nil, err
		}
	}
	return b.LoadBalancer.EnsureLoadBalancer(ctx, cluster, service, nodes)
}

type brokenRoutes struct {
	cloudprovider.Routes
	cloud *brokenCloud
}

func (b brokenRoutes) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	tables, err := b.cloud.api.ListRouteTables(ctx, simcloud.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, table := range tables.Items {
		switch b.cloud.rule {
		case writesWhenIdle:
			_, err = b.cloud.api.UpdateRouteTable(ctx, table.ID, simcloud.RouteTableUpdate{Name: &table.Name})
		case deletesForeign:
			err = b.deleteForeign(ctx, table)
		default:
		}
		if err != nil {
			return nil, err
		}
	}
	return b.Routes.ListRoutes(ctx, cluster)
}

func (b brokenRoutes) deleteForeign(ctx context.Context, table simcloud.RouteTable) error {
	for _, route := range table.Routes {
		if len(route.Labels) > 0 {
			continue
		}
		if _, err := b.cloud.api.DeleteRoute(ctx, table.ID, route.ID); err != nil {
			return err
		}
	}
	return nil
}

func (b brokenRoutes) CreateRoute(ctx context.Context, cluster, hint string, route *cloudprovider.Route) error {
	if b.cloud.rule == failsRoutes {
		return simcloud.Errorf(simcloud.Capacity, "route_table", "this provider makes no routes")
	}
	return b.Routes.CreateRoute(ctx, cluster, hint, route)
}
