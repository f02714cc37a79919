package cli

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// prepare gives the cloud what it begins with, before there are machines.
func (u *up) prepare(ctx context.Context, cloud *client.Client) error {
	if u.options.wanted != nil {
		if _, err := cloud.Seed(ctx, *u.options.wanted); err != nil {
			return fmt.Errorf("make the topology of %s: %w", u.options.topology, err)
		}
	}
	if err := u.createInstances(ctx, cloud); err != nil {
		return err
	}
	if err := u.expectNodes(ctx, cloud); err != nil {
		return err
	}
	return u.makeRouteRoom(ctx, cloud)
}

// makeRouteRoom raises the limit of route tables that have the default one when there are more nodes than that: each
// node wants a route, and without one it takes no pods. A limit that a topology or a profile has set stays.
func (u *up) makeRouteRoom(ctx context.Context, cloud *client.Client) error {
	tables, err := simcloud.ListAll(ctx, cloud.ListRouteTables, simcloud.ListOptions{})
	if err != nil {
		return err
	}
	for _, table := range tables {
		switch limit := len(u.nodes) + simcloud.DefaultRouteLimit; {
		case table.Limit >= len(u.nodes):
		case table.Limit != simcloud.DefaultRouteLimit || u.options.wanted != nil && u.options.wanted.RouteTables != nil:
			u.progress.line(fmt.Sprintf("the route table %s has room for %d routes, and %d nodes want one each: raise its limit, or nodes will not be ready", table.Name, table.Limit, len(u.nodes)))
		default:
			if _, err := cloud.UpdateRouteTable(ctx, table.ID, simcloud.RouteTableUpdate{Limit: &limit}); err != nil {
				return fmt.Errorf("make room in the route table %s: %w", table.Name, err)
			}
		}
	}
	return nil
}

// createInstances makes node-1 to node-n, as far as the data file does not have them.
func (u *up) createInstances(ctx context.Context, cloud *client.Client) error {
	for i := range u.options.nodes {
		name := fmt.Sprintf("node-%d", i+1)
		found, err := cloud.ListInstances(ctx, simcloud.ListOptions{Name: name})
		if err != nil {
			return err
		}
		if len(found.Items) > 0 {
			continue
		}
		if _, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: name}); err != nil {
			return fmt.Errorf("create the instance %s: %w", name, err)
		}
	}
	return nil
}

// expectNodes notes which instances will be nodes: those that run, or are about to.
func (u *up) expectNodes(ctx context.Context, cloud *client.Client) error {
	instances, err := simcloud.ListAll(ctx, cloud.ListInstances, simcloud.ListOptions{})
	if err != nil {
		return err
	}
	kubelets := 0
	for _, i := range instances {
		if mistakes := control.LabelMistakes(i.Labels); len(mistakes) > 0 {
			return simcloud.Errorf(simcloud.Invalid, "instance/"+i.Name, "%w", mistakes[0])
		}
		kind := i.Labels[machine.LabelNode]
		runs := i.State == simcloud.InstanceRunning || i.State == simcloud.InstancePending
		if !runs || i.Unreachable || kind == machine.NodeNone {
			continue
		}
		if kind != machine.NodeHollow {
			kubelets++
		} else if i.Labels[machine.LabelProviderID] != "" {
			continue // it stands for a machine of another cluster, which no CCM of this cloud initialises
		}
		u.nodes = append(u.nodes, nodeName(i))
	}
	if kubelets > maxNodes {
		return simcloud.Errorf(simcloud.Invalid, "", "%d instances want a kubelet: at most %d fit; the label %s=%s makes hollow nodes",
			kubelets, maxNodes, machine.LabelNode, machine.NodeHollow)
	}
	return nil
}

// hollowNodes is how many hollow nodes a topology makes.
func hollowNodes(topology simcloud.Topology) int {
	if topology.Instances == nil {
		return 0
	}
	nodes := 0
	for _, i := range *topology.Instances {
		if i.Labels[machine.LabelNode] == machine.NodeHollow {
			nodes += max(1, i.Count)
		}
	}
	return nodes
}

// nodeName is the name that the Node of an instance will have.
func nodeName(i simcloud.Instance) string {
	if name := i.Labels[machine.LabelNodeName]; name != "" && i.Labels[machine.LabelNode] == machine.NodeHollow {
		return name
	}
	return i.Hostname
}
