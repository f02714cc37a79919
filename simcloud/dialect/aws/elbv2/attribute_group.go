package elbv2

import (
	"maps"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// The attributes that mean something here.
const (
	attributeProxy    = "proxy_protocol_v2.enabled"
	attributeClientIP = "preserve_client_ip.enabled"
	attributeEnds     = "target_health_state.unhealthy.connection_termination.enabled"
)

// datagrams is whether a group takes UDP, for which some attributes have other values.
func datagrams(p simcloud.Protocol) bool { return p.Shared(simcloud.ProtocolUDP) != "" }

// ofGroups are the attributes of target groups of a protocol, with the values that AWS has for targets that are instances.
func ofGroups(p simcloud.Protocol) attributes {
	udp := datagrams(p)
	const most = 1 << 20
	return attributes{
		number("deregistration_delay.timeout_seconds", "300", 0, 3600),
		toggle("deregistration_delay.connection_termination.enabled", strconv.FormatBool(udp)),
		toggle("stickiness.enabled", "false"), oneOf("stickiness.type", "source_ip", "source_ip"),
		toggle(attributeClientIP, "true"), toggle(attributeProxy, "false"),
		oneOf("load_balancing.cross_zone.enabled", "use_load_balancer_configuration", "true", "false", "use_load_balancer_configuration"),
		toggle(attributeEnds, strconv.FormatBool(!udp)),
		number("target_health_state.unhealthy.draining_interval_seconds", "0", 0, 360000),
		number("target_group_health.dns_failover.minimum_healthy_targets.count", "1", 1, most, "off"),
		number("target_group_health.dns_failover.minimum_healthy_targets.percentage", "off", 1, 100, "off"),
		number("target_group_health.unhealthy_state_routing.minimum_healthy_targets.count", "1", 1, most),
		number("target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage", "off", 1, 100, "off"),
	}
}

// groupAttributes are those of a target group, all of them.
func groupAttributes(g simcloud.TargetGroup) []pair {
	return ofGroups(g.Protocol).all(func(key string) (string, bool) {
		if key == attributeProxy {
			return strconv.FormatBool(g.ProxyProtocol), true
		}
		v, ok := g.Options[key]
		return v, ok
	})
}

type groupAttributesRequest struct {
	ARN string `aws:"TargetGroupArn,required"`
}

func describeGroupAttributes(c service.Call, in groupAttributesRequest) (out attributesShown, err error) {
	g, err := groupOf(c, in.ARN)
	return attributesShown{groupAttributes(g)}, err
}

type modifyGroupAttributesRequest struct {
	ARN        string `aws:"TargetGroupArn,required"`
	Attributes []pair `aws:"Attributes,required"`
}

// modifyGroupAttributes changes attributes. The cloud changes nothing when they are as they were.
func modifyGroupAttributes(c service.Call, in modifyGroupAttributesRequest) (out attributesShown, _ *simcloud.Meta, err error) {
	g, err := groupOf(c, in.ARN)
	if err != nil {
		return out, nil, err
	}
	known := ofGroups(g.Protocol)
	if out.Attributes, err = known.with(groupAttributes(g), in.Attributes); err != nil {
		return out, nil, err
	}
	if err := suits(g.Protocol, out.Attributes); err != nil {
		return out, nil, err
	}
	options := map[string]string{}
	maps.Copy(options, g.Options)
	known.keep(out.Attributes, options, "")
	delete(options, attributeProxy)
	proxy := valueOf(out.Attributes, attributeProxy) == "true"
	changed, err := c.Cloud.UpdateTargetGroup(c.Ctx(), g.ID, simcloud.TargetGroupUpdate{Options: &options, ProxyProtocol: &proxy})
	return out, &changed.Resource.Meta, err
}

// suits checks attributes that a protocol does not take.
func suits(p simcloud.Protocol, pairs []pair) error {
	for _, never := range []struct{ key, value string }{{attributeClientIP, "false"}, {attributeEnds, "true"}, {attributeProxy, "true"}} {
		// The cloud has no PROXY protocol for UDP alone.
		if datagrams(p) && valueOf(pairs, never.key) == never.value && (never.key != attributeProxy || p == simcloud.ProtocolUDP) {
			return service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "The attribute '%s' cannot be %s for target groups with the protocol %s", never.key, never.value, protocolName(p))
		}
	}
	return nil
}
