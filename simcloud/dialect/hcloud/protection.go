package hcloud

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// protected is a change of the protection of a resource. What is nil stays as it is.
type protected struct {
	Delete *bool `json:"delete"`
}

func (c call) changeLoadBalancerProtection() (edge.Reply, error) {
	body, err := decode[protected](c)
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.cloud.UpdateLoadBalancer(c.ctx(), c.id, simcloud.LoadBalancerUpdate{Protected: body.Delete})
	return c.balanced(result, err)
}

func (c call) changeNetworkProtection() (edge.Reply, error) {
	body, err := decode[protected](c)
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.cloud.UpdateNetwork(c.ctx(), c.id, simcloud.NetworkUpdate{Protected: body.Delete})
	if err != nil {
		return edge.Reply{}, err
	}
	reply := c.acted(result.Operation, networkSubject(c.id))
	reply.Meta = &result.Resource.Meta
	return reply, nil
}

// changeServerProtection changes the two protections of a server, which Hetzner lets have one value alone.
func (c call) changeServerProtection() (edge.Reply, error) {
	body, err := decode[struct {
		protected
		Rebuild *bool `json:"rebuild"`
	}](c)
	if err != nil {
		return edge.Reply{}, err
	}
	var result simcloud.Result[simcloud.Instance]
	err = c.atomically(func(ctx context.Context) error {
		instance, err := c.cloud.GetInstance(ctx, c.id)
		if err != nil {
			return err
		}
		deletion, rebuild := instance.Protected, instance.Protected
		set(&deletion, body.Delete)
		set(&rebuild, body.Rebuild)
		if deletion != rebuild {
			return wrong("rebuild", "must have the same value as delete")
		}
		result, err = c.cloud.UpdateInstance(ctx, c.id, simcloud.InstanceUpdate{Protected: &deletion})
		return err
	})
	if err != nil {
		return edge.Reply{}, err
	}
	reply := c.acted(result.Operation, serverSubject(c.id))
	reply.Meta = &result.Resource.Meta
	return reply, nil
}
