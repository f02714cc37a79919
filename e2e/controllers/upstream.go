package controllers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/cloud-provider/controllers/node"
	"k8s.io/cloud-provider/controllers/nodelifecycle"
	"k8s.io/cloud-provider/controllers/route"
	"k8s.io/cloud-provider/controllers/service"
	"k8s.io/cloud-provider/names"
	"k8s.io/klog/v2"
	netutils "k8s.io/utils/net"
)

// upstream are the controllers of app.DefaultInitFuncConstructors. When they do not start, and whether that ends the
// process, is as in k8s.io/cloud-provider/app/core.go.
func upstream() []Controller {
	return []Controller{
		{Name: names.CloudNodeController, Client: "node-controller", New: newNode},
		{Name: names.CloudNodeLifecycleController, Client: "node-controller", New: newNodeLifecycle},
		{Name: names.NodeRouteController, Client: "route-controller", New: newRoute},
		{Name: names.ServiceLBController, Client: "service-controller", New: newService},
	}
}

func newNode(p Parts) (func(context.Context), error) {
	c, err := node.NewCloudNodeController(p.Informers.Core().V1().Nodes(), p.Kube, p.Cloud, p.Settings.NodeStatusUpdateFrequency.Duration,
		p.Settings.NodeController.ConcurrentNodeSyncs, p.Settings.NodeController.ConcurrentNodeStatusUpdates)
	if err != nil {
		klog.Warningf("failed to start cloud node controller: %s", err)
		return nil, nil
	}
	return func(ctx context.Context) { c.RunWithContext(ctx, p.Metrics) }, nil
}

func newNodeLifecycle(p Parts) (func(context.Context), error) {
	c, err := nodelifecycle.NewCloudNodeLifecycleController(p.Informers.Core().V1().Nodes(), p.Kube, p.Cloud,
		p.Settings.NodeLifecycleController.NodeMonitorPeriod.Duration, int(p.Settings.NodeLifecycleController.ConcurrentNodeLifecycleSyncs))
	if err != nil {
		klog.Warningf("failed to start cloud node lifecycle controller: %s", err)
		return nil, nil
	}
	return func(ctx context.Context) { c.Run(ctx, p.Metrics) }, nil
}

// newService asks for load balancers first: upstream does so when it has made queues, whose goroutines never end then.
func newService(p Parts) (func(context.Context), error) {
	if _, ok := p.Cloud.LoadBalancer(); !ok {
		klog.Errorf("Failed to start service controller: %v", errors.New("the cloud provider does not support external load balancers"))
		return nil, nil
	}
	shared := p.Settings.KubeCloudShared
	c, err := service.New(p.Cloud, p.Kube, p.Informers.Core().V1().Services(), p.Informers.Core().V1().Nodes(), shared.ClusterName, utilfeature.DefaultFeatureGate)
	if err != nil {
		klog.Errorf("Failed to start service controller: %v", err)
		return nil, nil
	}
	workers := int(p.Settings.ServiceController.ConcurrentServiceSyncs)
	return func(ctx context.Context) { c.Run(ctx, workers, p.Metrics) }, nil
}

func newRoute(p Parts) (func(context.Context), error) {
	shared := p.Settings.KubeCloudShared
	if !shared.ConfigureCloudRoutes {
		klog.Infof("Will not configure cloud provider routes, --configure-cloud-routes: %v", shared.ConfigureCloudRoutes)
		return nil, nil
	}
	routes, ok := p.Cloud.Routes()
	if !ok {
		klog.Warning("--configure-cloud-routes is set, but cloud provider does not support routes. Will not configure cloud provider routes.")
		return nil, nil
	}
	cidrs, err := clusterCIDRs(shared.ClusterCIDR)
	if err != nil {
		return nil, err
	}
	c, err := route.New(routes, p.Kube, p.Informers.Core().V1().Nodes(), shared.ClusterName, cidrs)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) { c.Run(ctx, shared.RouteReconciliationPeriod.Duration, p.Metrics) }, nil
}

func clusterCIDRs(flag string) ([]*net.IPNet, error) {
	cidrs, err := netutils.ParseCIDRs(strings.Split(strings.TrimSpace(flag), ","))
	if err != nil {
		return nil, err
	}
	if dual, _ := netutils.IsDualStackCIDRs(cidrs); len(cidrs) > 1 && !dual {
		return nil, fmt.Errorf("len of ClusterCIDRs==%v and they are not configured as dual stack (at least one from each IPFamily", len(cidrs))
	}
	if len(cidrs) > 2 {
		return nil, fmt.Errorf("length of clusterCIDRs is:%v more than max allowed of 2", len(cidrs))
	}
	return cidrs, nil
}
