package lb

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// updateBalancer changes what concerns the whole load balancer. Its labels are
// replaced as a whole, so the version guards them.
func updateBalancer(lb simcloud.LoadBalancer, does string, update simcloud.LoadBalancerUpdate) step {
	return step{does: does, do: func(ctx context.Context, api API, opts ...simcloud.CallOption) (simcloud.LoadBalancer, error) {
		result, err := api.UpdateLoadBalancer(ctx, lb.ID, update, append([]simcloud.CallOption{simcloud.IfVersion(lb.Version)}, opts...)...)
		return result.Resource, err
	}}
}

func createListener(lb simcloud.ID, spec simcloud.ListenerSpec) step {
	return step{
		does: fmt.Sprintf("create listener %s", Describe(simcloud.ListenerID(spec.Protocol, spec.Port), spec.ListenerConfig)),
		do: func(ctx context.Context, api API, opts ...simcloud.CallOption) (simcloud.LoadBalancer, error) {
			result, err := api.CreateListener(ctx, lb, spec, opts...)
			return result.Resource, err
		},
	}
}

func updateListener(lb simcloud.ID, have simcloud.Listener, want simcloud.ListenerConfig) step {
	want.Labels = label.With(have.Labels, want.Labels)
	return step{
		does: fmt.Sprintf("update listener %s", Describe(have.ID, want)),
		do: func(ctx context.Context, api API, opts ...simcloud.CallOption) (simcloud.LoadBalancer, error) {
			result, err := api.UpdateListener(ctx, lb, have.ID, want, opts...)
			return result.Resource, err
		},
	}
}

func deleteListener(lb, id simcloud.ID) step {
	return step{
		does: fmt.Sprintf("delete listener %s", id),
		do: func(ctx context.Context, api API, opts ...simcloud.CallOption) (simcloud.LoadBalancer, error) {
			result, err := api.DeleteListener(ctx, lb, id, opts...)
			return result.Resource, call.IgnoreGone(err)
		},
	}
}

func createTarget(lb simcloud.ID, spec simcloud.TargetSpec) step {
	return step{
		does:   fmt.Sprintf("create target %s", spec.Instance),
		target: spec.Instance,
		do: func(ctx context.Context, api API, opts ...simcloud.CallOption) (simcloud.LoadBalancer, error) {
			result, err := api.CreateTarget(ctx, lb, spec, opts...)
			return result.Resource, err
		},
	}
}

func deleteTarget(lb, instance simcloud.ID) step {
	return step{
		does: fmt.Sprintf("delete target %s", instance),
		do: func(ctx context.Context, api API, opts ...simcloud.CallOption) (simcloud.LoadBalancer, error) {
			result, err := api.DeleteTarget(ctx, lb, instance, opts...)
			return result.Resource, call.IgnoreGone(err)
		},
	}
}

// Describe says in a line what a listener is.
func Describe(id simcloud.ID, c simcloud.ListenerConfig) string {
	s := fmt.Sprintf("%s to %d", id, c.TargetPort)
	if h := c.HealthCheck; h != nil {
		s += fmt.Sprintf(", check %s %d%s", h.Protocol, h.Port, h.Path)
	}
	if len(c.AllowedCIDRs) > 0 {
		s += fmt.Sprintf(", from %v", c.AllowedCIDRs)
	}
	if c.ProxyProtocol {
		s += ", proxy protocol"
	}
	if c.IdleTimeoutSeconds > 0 {
		s += fmt.Sprintf(", idle %ds", c.IdleTimeoutSeconds)
	}
	return s
}
