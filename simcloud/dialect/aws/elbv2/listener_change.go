package elbv2

import (
	"maps"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elb"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type createListenerRequest struct {
	Balancer string `aws:"LoadBalancerArn,required"`
	Port     int    `aws:"Port,required"`
	Protocol string `aws:"Protocol,required"`
	settings
	Tags []elb.Tag `aws:"Tags"`
}

type listenersMade struct {
	Listeners []listener `aws:"Listeners"`
}

// createListener makes a listener, or answers one that has these settings already.
func createListener(c service.Call, in createListenerRequest) (out listenersMade, _ *simcloud.Meta, err error) {
	n := namerOf(c)
	lb, err := n.findBalancer(c, in.Balancer)
	if err != nil {
		return out, nil, err
	}
	spec, err := in.spec(c, n, lb)
	if err != nil {
		return out, nil, err
	}
	l, exists, err := listenerAt(lb, spec)
	if err != nil {
		return out, nil, err
	}
	if !exists {
		made, err := c.Cloud.CreateListener(c.Ctx(), lb.ID, spec)
		if err != nil {
			return out, nil, err
		}
		lb = made.Resource
		if l, _, err = listenerAt(lb, spec); err != nil {
			return out, nil, err
		}
	}
	d, err := n.showListener(c, lb, l)
	return listenersMade{[]listener{d}}, &lb.Meta, err
}

// spec is what the cloud is asked for.
func (in createListenerRequest) spec(c service.Call, n namer, lb simcloud.LoadBalancer) (spec simcloud.ListenerSpec, err error) {
	protocol, known := protocolOf(in.Protocol)
	switch {
	case !known:
		return spec, service.Refuse(simcloud.Invalid, "UnsupportedProtocol", "Protocol is %.40q: must be TCP, UDP, TCP_UDP or TLS", in.Protocol)
	case in.Port < 1 || in.Port > 65535:
		return spec, service.Refuse(simcloud.Invalid, "ValidationError", "Port is %d: must be between 1 and 65535", in.Port)
	}
	spec = simcloud.ListenerSpec{Protocol: protocol, Port: in.Port}
	if spec.Options, err = in.options(protocol); err != nil {
		return spec, err
	}
	g, err := in.group(c, n, lb, protocol)
	if err != nil {
		return spec, err
	}
	spec.TargetGroup = g.ID
	spec.Labels, err = newTags(in.Tags)
	return spec, err
}

// listenerAt is the listener that a load balancer has at the port of a new one, and false when it has none. A port is for one
// protocol, or for both of TCP_UDP.
func listenerAt(lb simcloud.LoadBalancer, spec simcloud.ListenerSpec) (simcloud.Listener, bool, error) {
	for _, l := range lb.Listeners {
		switch {
		case l.Port != spec.Port:
		case l.Protocol == spec.Protocol && l.TargetGroup == spec.TargetGroup && maps.Equal(l.Options, spec.Options):
			return l, true, nil
		default:
			return l, false, service.Refuse(simcloud.AlreadyExists, "DuplicateListener", "A listener already exists on port %d of this load balancer, but with other settings", spec.Port)
		}
	}
	return simcloud.Listener{}, false, nil
}

type modifyListenerRequest struct {
	ARN      string `aws:"ListenerArn,required"`
	Port     *int   `aws:"Port"`
	Protocol string `aws:"Protocol"`
	settings
}

// modifyListener changes where a listener forwards to, and what TLS needs. The cloud changes nothing when it is as it was.
func modifyListener(c service.Call, in modifyListenerRequest) (out listenersMade, _ *simcloud.Meta, err error) {
	n := namerOf(c)
	lb, l, err := n.findListener(c, in.ARN)
	if err != nil {
		return out, nil, err
	}
	if in.Port != nil && *in.Port != l.Port || in.Protocol != "" && in.Protocol != protocolName(l.Protocol) {
		return out, nil, service.Refuse(simcloud.Unimplemented, "InvalidConfigurationRequest",
			"The port and the protocol of a listener cannot be changed in simcloud: delete the listener and create another one")
	}
	config := l.ListenerConfig
	if len(in.Actions) > 0 {
		g, err := in.group(c, n, lb, l.Protocol)
		if err != nil {
			return out, nil, err
		}
		config.TargetGroup, config.TargetPort, config.HealthCheck = g.ID, 0, nil
	}
	if config.Options, err = in.over(l).options(l.Protocol); err != nil {
		return out, nil, err
	}
	changed, err := c.Cloud.UpdateListener(c.Ctx(), lb.ID, l.ID, config)
	if err != nil {
		return out, nil, err
	}
	l.ListenerConfig = config
	d, err := n.showListener(c, changed.Resource, l)
	return listenersMade{[]listener{d}}, &changed.Resource.Meta, err
}

// over returns the settings, with those that a listener has where the request sets none.
func (s settings) over(l simcloud.Listener) settings {
	if len(s.Certificates) == 0 && l.Options[optionCertificate] != "" {
		s.Certificates = []certificate{{l.Options[optionCertificate]}}
	}
	if s.Policy == "" {
		s.Policy = l.Options[optionPolicy]
	}
	if len(s.ALPN) == 0 && l.Options[optionALPN] != "" {
		s.ALPN = []string{l.Options[optionALPN]}
	}
	return s
}

type deleteListenerRequest struct {
	ARN string `aws:"ListenerArn,required"`
}

// deleteListener deletes a listener, and frees its target group.
func deleteListener(c service.Call, in deleteListenerRequest) (out done, _ *simcloud.Meta, err error) {
	n := namerOf(c)
	lb, l, err := n.findListener(c, in.ARN)
	if err != nil {
		return out, nil, err
	}
	changed, err := c.Cloud.DeleteListener(c.Ctx(), lb.ID, l.ID)
	return out, &changed.Resource.Meta, err
}
