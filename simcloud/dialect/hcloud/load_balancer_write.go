package hcloud

import (
	"context"
	"errors"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

type loadBalancerResult = simcloud.Result[simcloud.LoadBalancer]

// newLoadBalancer is the body of a creation.
type newLoadBalancer struct {
	Name             string            `json:"name"`
	LoadBalancerType *reference        `json:"load_balancer_type"`
	Algorithm        *algorithm        `json:"algorithm"`
	Location         string            `json:"location"`
	NetworkZone      string            `json:"network_zone"`
	Labels           map[string]string `json:"labels"`
	Services         []serviceBody     `json:"services"`
	Targets          []targetBody      `json:"targets"`
	PublicInterface  *bool             `json:"public_interface"`
	Network          *int64            `json:"network"`
}

func (c call) createLoadBalancer() (edge.Reply, error) {
	body, err := decode[newLoadBalancer](c)
	if err != nil {
		return edge.Reply{}, err
	}
	var result loadBalancerResult
	err = c.atomically(func(ctx context.Context) error {
		spec, err := c.loadBalancerSpec(ctx, body)
		if err != nil {
			return err
		}
		result, err = c.cloud.CreateLoadBalancer(ctx, spec)
		return err
	})
	if err != nil {
		return edge.Reply{}, err
	}
	b, err := c.balancing(c.ctx())
	if err != nil {
		return edge.Reply{}, err
	}
	return edge.Reply{
		Status: 201, Meta: &result.Resource.Meta, Operation: result.Operation.ID,
		Body: map[string]any{
			"load_balancer": b.loadBalancer(result.Resource),
			"action":        actionOf(result.Operation, c.command, loadBalancerSubject(result.Resource.ID)),
		},
	}, nil
}

// loadBalancerSpec is what a request asks for.
func (c call) loadBalancerSpec(ctx context.Context, body newLoadBalancer) (simcloud.LoadBalancerSpec, error) {
	spec := simcloud.LoadBalancerSpec{Name: body.Name, PublicFamilies: []int{4, 6}}
	if err := body.check(); err != nil {
		return spec, err
	}
	class, err := c.chosenType(ctx, body.LoadBalancerType)
	if err != nil {
		return spec, err
	}
	zone, err := c.place(ctx, body.Location, body.NetworkZone)
	if err != nil {
		return spec, err
	}
	if body.Network != nil {
		to, err := c.attachment(ctx, "network", attachment{Network: *body.Network})
		if err != nil {
			return spec, err
		}
		spec.Networks = []simcloud.NetworkAttachment{to}
	}
	spec.PublicDisabled = body.PublicInterface != nil && !*body.PublicInterface
	spec.Class = class.Name
	spec.Labels = relabelled(body.Labels, map[string]string{labelLocation: zone.Name})
	if body.Algorithm != nil {
		spec.Algorithm = simcloud.Algorithm(body.Algorithm.Type)
	}
	return spec, c.fill(ctx, &spec, body, class)
}

// check judges a creation by itself.
func (b newLoadBalancer) check() error {
	switch {
	case b.Name == "":
		return missing("name")
	case b.Location == "" && b.NetworkZone == "":
		return wrong("location", "either location or network_zone is required")
	case b.Location != "" && b.NetworkZone != "":
		return wrong("location", "location and network_zone must not be given both")
	}
	return errors.Join(checkLabels(b.Labels), checkAlgorithm(b.Algorithm))
}

func checkAlgorithm(a *algorithm) error {
	if a == nil || a.Type == string(simcloud.RoundRobin) || a.Type == string(simcloud.LeastConnections) {
		return nil
	}
	return wrong("algorithm.type", "%q is not allowed: must be one of round_robin, least_connections", a.Type)
}

// fill adds services and targets, within the limits of the class.
func (c call) fill(ctx context.Context, spec *simcloud.LoadBalancerSpec, body newLoadBalancer, class loadBalancerType) error {
	unsaid, err := c.config.unsaidCheck(ctx)
	if err != nil {
		return err
	}
	for _, s := range body.Services {
		listener, err := s.added(spec.Listeners, class, unsaid)
		if err != nil {
			return err
		}
		if err := c.assignable(ctx, listener, spec.Listeners, class); err != nil {
			return err
		}
		spec.Listeners = append(spec.Listeners, listener)
	}
	for i, t := range body.Targets {
		if i >= class.MaxTargets {
			return tooManyTargets(class)
		}
		added, err := c.added(ctx, t, beforehand(*spec))
		if err != nil {
			return err
		}
		spec.Targets = append(spec.Targets, added)
	}
	return nil
}

// beforehand is a load balancer that will be, as far as its targets ask for it.
func beforehand(spec simcloud.LoadBalancerSpec) simcloud.LoadBalancer {
	lb := simcloud.LoadBalancer{PublicDisabled: spec.PublicDisabled}
	for _, to := range spec.Networks {
		lb.VIPs = append(lb.VIPs, simcloud.VIP{Network: to.Network})
	}
	for _, t := range spec.Targets {
		lb.Targets = append(lb.Targets, simcloud.Target{Instance: t.Instance, Address: t.Address})
	}
	return lb
}

func (c call) updateLoadBalancer() (edge.Reply, error) {
	body, err := decodeChange[changed](c)
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.editing(func(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) (loadBalancerResult, error) {
		update := simcloud.LoadBalancerUpdate{Name: body.Name}
		if body.Labels != nil {
			labels := relabelled(*body.Labels, lb.Labels)
			update.Labels = &labels
		}
		return c.cloud.UpdateLoadBalancer(ctx, lb.ID, update, opts...)
	})
	if errors.Is(err, simcloud.Locked) {
		return edge.Reply{}, refuse(simcloud.Locked, codeConflict, "the load balancer is changing: try again")
	}
	if err != nil {
		return edge.Reply{}, err
	}
	reply, err := c.loadBalancerReply(200, result.Resource)
	reply.Operation = result.Operation.ID
	return reply, err
}

// deleteLoadBalancer answers no action to wait for: the load balancer is gone.
func (c call) deleteLoadBalancer() (edge.Reply, error) {
	op, err := c.cloud.DeleteLoadBalancer(simcloud.AtOnce(c.ctx()), c.id)
	return edge.Reply{Status: 204, Operation: op.ID}, err
}

func (c call) changeAlgorithm() (edge.Reply, error) {
	body, err := decode[algorithm](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if body.Type == "" {
		return edge.Reply{}, missing("type")
	}
	if checkAlgorithm(&body) != nil {
		return edge.Reply{}, wrong("type", "%q is not allowed: must be one of round_robin, least_connections", body.Type)
	}
	to := simcloud.Algorithm(body.Type)
	result, err := c.cloud.UpdateLoadBalancer(c.ctx(), c.id, simcloud.LoadBalancerUpdate{Algorithm: &to})
	return c.balanced(result, err)
}

// balanced is the answer to a change of a load balancer.
func (c call) balanced(result loadBalancerResult, err error, more ...subject) (edge.Reply, error) {
	if err != nil {
		return edge.Reply{}, err
	}
	reply := c.acted(result.Operation, append([]subject{loadBalancerSubject(c.id)}, more...)...)
	reply.Meta = &result.Resource.Meta
	return reply, nil
}

// maxEdits is how often an edit is tried whose load balancer changes meanwhile.
const maxEdits = 5

// editing lets edit change a load balancer by what it is: the options make the change
// fail when it is not that any more, and edit is then called again.
func (c call) editing(
	edit func(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) (loadBalancerResult, error),
) (result loadBalancerResult, err error) {
	var before uint64
	for range maxEdits {
		var version uint64
		err = c.atomically(func(ctx context.Context) error {
			lb, err := c.cloud.GetLoadBalancer(ctx, c.id)
			if err != nil {
				return err
			}
			version = lb.Version
			result, err = edit(ctx, lb, simcloud.IfVersion(lb.Version))
			return err
		})
		if !errors.Is(err, simcloud.Conflict) || version == before {
			return result, err
		}
		before = version
	}
	return result, err
}
