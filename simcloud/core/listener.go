package core

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// What a health check has when it does not say.
const (
	defaultInterval  = 5
	defaultTimeout   = 3
	defaultThreshold = 3
)

// CreateListener adds a listener to a load balancer.
func (m mutations) CreateListener(
	ctx context.Context, lb simcloud.ID, spec simcloud.ListenerSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "CreateListener", ids: []simcloud.ID{lb}, spec: spec, opts: simcloud.Options(opts)}
	return m.changeLoadBalancer(ctx, req, func(t *txn, lb *simcloud.LoadBalancer) error {
		listener := newListener(spec)
		if err := t.knownDocuments("", spec.Documents); err != nil {
			return err
		}
		if err := vacant(*lb, listener); err != nil {
			return err
		}
		if err := t.groupFits(*lb, listener, ""); err != nil {
			return err
		}
		return addListener(lb, listener)
	})
}

func addListener(lb *simcloud.LoadBalancer, listener simcloud.Listener) error {
	if lb.MaxListeners > 0 && len(lb.Listeners) >= lb.MaxListeners {
		return simcloud.Errorf(simcloud.Capacity, string(simcloud.KindLoadBalancer), "it takes %d listeners, and has them", lb.MaxListeners)
	}
	lb.Listeners = append(lb.Listeners, listener)
	return nil
}

// UpdateListener replaces the configuration of a listener.
func (m mutations) UpdateListener(
	ctx context.Context, lb, listener simcloud.ID, config simcloud.ListenerConfig, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "UpdateListener", ids: []simcloud.ID{lb, listener}, spec: config, opts: simcloud.Options(opts)}
	return m.changeLoadBalancer(ctx, req, func(t *txn, lb *simcloud.LoadBalancer) error {
		i := listenerAt(*lb, listener)
		if i < 0 {
			return noListener(lb.ID, listener)
		}
		if err := t.knownDocuments("", config.Documents); err != nil {
			return err
		}
		if config.ProxyProtocol && lb.Listeners[i].Protocol.Shared(simcloud.ProtocolTCP) == "" {
			return invalid(string(simcloud.KindLoadBalancer), "proxyProtocol", "may only be set with a protocol over TCP")
		}
		lb.Listeners[i].ListenerConfig = copyConfig(config)
		return t.groupFits(*lb, lb.Listeners[i], "")
	})
}

// DeleteListener removes a listener.
func (m mutations) DeleteListener(
	ctx context.Context, lb, listener simcloud.ID, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "DeleteListener", ids: []simcloud.ID{lb, listener}, opts: simcloud.Options(opts)}
	return m.changeLoadBalancer(ctx, req, func(_ *txn, lb *simcloud.LoadBalancer) error {
		i := listenerAt(*lb, listener)
		if i < 0 {
			return noListener(lb.ID, listener)
		}
		lb.Listeners = slices.Delete(lb.Listeners, i, i+1)
		return nil
	})
}

func noListener(lb, listener simcloud.ID) error {
	return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindLoadBalancer, lb), "listener %q not found", listener)
}

// vacant answers AlreadyExists when another listener takes the port of a new one.
func vacant(lb simcloud.LoadBalancer, listener simcloud.Listener) error {
	for _, other := range lb.Listeners {
		if transport := listener.Protocol.Shared(other.Protocol); transport != "" && listener.Port == other.Port {
			return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
				"%s port %d has a listener: %s", transport, listener.Port, other.ID)
		}
	}
	return nil
}

func listenerAt(lb simcloud.LoadBalancer, id simcloud.ID) int {
	return slices.IndexFunc(lb.Listeners, func(l simcloud.Listener) bool { return l.ID == id })
}

func newListener(spec simcloud.ListenerSpec) simcloud.Listener {
	return simcloud.Listener{
		ID: simcloud.ListenerID(spec.Protocol, spec.Port), Protocol: spec.Protocol, Port: spec.Port,
		ListenerConfig: copyConfig(spec.ListenerConfig),
	}
}

// copyConfig copies a configuration and fills in what it does not say.
func copyConfig(config simcloud.ListenerConfig) simcloud.ListenerConfig {
	config.Labels, config.Options = copyLabels(config.Labels), copyLabels(config.Options)
	config.AllowedCIDRs = append([]string(nil), config.AllowedCIDRs...)
	config.Documents = append([]simcloud.ID(nil), config.Documents...)
	config.HealthCheck = copyCheck(config.HealthCheck)
	return config
}

// copyCheck copies a health check, if there is one, and fills in what it does not say.
func copyCheck(of *simcloud.HealthCheck) *simcloud.HealthCheck {
	if of == nil {
		return nil
	}
	check := *of
	check.StatusCodes = append([]string(nil), check.StatusCodes...)
	check.IntervalSeconds = orDefault(check.IntervalSeconds, defaultInterval)
	check.TimeoutSeconds = orDefault(check.TimeoutSeconds, defaultTimeout)
	check.Threshold = orDefault(check.Threshold, defaultThreshold)
	return &check
}

func orDefault(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}
