package neutron

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// allPorts are those of instances, load balancers and routers, and those that exist by themselves. When a request asks for the ports of one thing, only
// those are read.
func allPorts(c service.Call) ([]port, error) {
	p, err := portsOf(c)
	if err != nil {
		return nil, err
	}
	if wanted := c.Query()["device_id"]; len(wanted) == 1 {
		return p.ofDevice(c, wanted[0])
	}
	instances, err := service.All(c, c.Cloud.ListInstances)
	if err != nil {
		return nil, err
	}
	balancers, err := service.All(c, c.Cloud.ListLoadBalancers)
	if err != nil {
		return nil, err
	}
	tables, err := service.All(c, c.Cloud.ListRouteTables)
	var all []port
	for _, i := range instances {
		all = append(all, p.server(i)...)
	}
	for _, lb := range balancers {
		if service.PortOf(lb) == "" {
			all = append(all, p.vip(lb))
		}
	}
	for _, t := range tables {
		all = append(all, p.router(t)...)
	}
	if err != nil {
		return nil, err
	}
	kept, err := p.allKept(c, balancers)
	return append(all, kept...), err
}

// ofDevice returns the ports of the device of an id; none when there is no such device.
func (p ports) ofDevice(c service.Call, device string) ([]port, error) {
	balancer, isVIP := strings.CutPrefix(device, "lb-")
	instance, table := service.Servers.ID(device), service.Routers.ID(device)
	all, err := []port(nil), error(nil)
	switch {
	case instance != "":
		all, err = p.ofInstance(c, instance)
	case table != "":
		all, err = p.ofTable(c, table)
	case isVIP && service.LoadBalancers.ID(balancer) != "":
		all, err = p.ofBalancer(c, service.LoadBalancers.ID(balancer))
	default: // whose device is what a client has said
		var balancers []simcloud.LoadBalancer
		if balancers, err = service.All(c, c.Cloud.ListLoadBalancers); err == nil {
			all, err = p.allKept(c, balancers)
		}
	}
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return nil, nil
	}
	return all, err
}

func (p ports) ofInstance(c service.Call, id simcloud.ID) ([]port, error) {
	i, err := c.Cloud.GetInstance(c.Ctx(), id)
	if err != nil {
		return nil, err
	}
	return p.server(i), nil
}

func (p ports) ofBalancer(c service.Call, id simcloud.ID) ([]port, error) {
	lb, err := c.Cloud.GetLoadBalancer(c.Ctx(), id)
	if err != nil {
		return nil, err
	}
	if service.PortOf(lb) != "" {
		return p.ofDocument(c, service.VIPPortUUID(lb))
	}
	return []port{p.vip(lb)}, nil
}

func (p ports) ofTable(c service.Call, id simcloud.ID) ([]port, error) {
	t, err := c.Cloud.GetRouteTable(c.Ctx(), id)
	if err != nil {
		return nil, err
	}
	return p.router(t), nil
}

// portAt returns the port of an id.
func portAt(c service.Call, uuid string) (port, error) {
	p, err := portsOf(c)
	if err != nil {
		return port{}, err
	}
	instance, _ := service.ServerPorts.IDOfPart(uuid)
	table, _ := service.RouterPorts.IDOfPart(uuid)
	balancer := service.VIPPorts.ID(uuid)
	var of []port
	switch {
	case instance != "":
		of, err = p.ofInstance(c, instance)
	case table != "":
		of, err = p.ofTable(c, table)
	case balancer != "":
		of, err = p.ofBalancer(c, balancer)
	default:
		of, err = p.ofDocument(c, uuid)
	}
	if err != nil && simcloud.CodeOf(err) != simcloud.NotFound {
		return port{}, err
	}
	for _, candidate := range of {
		if candidate.ID == uuid {
			return candidate, nil
		}
	}
	return port{}, missing("PortNotFound", "Port", uuid)
}

func getPort(c service.Call) (any, error) {
	p, err := portAt(c, c.UUID)
	return map[string]any{"port": p}, err
}

func portFilters() filters[port] {
	return filters[port]{
		"name":                  one(func(p port) string { return p.Name }),
		"network_id":            one(func(p port) string { return p.NetworkID }),
		"status":                one(func(p port) string { return p.Status }),
		"device_id":             one(func(p port) string { return p.DeviceID }),
		"device_owner":          one(func(p port) string { return p.DeviceOwner }),
		"mac_address":           one(func(p port) string { return p.MACAddress }),
		"admin_state_up":        one(func(p port) string { return strconv.FormatBool(p.AdminStateUp) }),
		"port_security_enabled": one(func(p port) string { return strconv.FormatBool(p.PortSecurityEnabled) }),
		"security_groups":       func(p port) []string { return p.SecurityGroups },
	}
}

// listPorts is list with the one filter that has filters in it: fixed_ips=ip_address=10.0.0.5. A port fits that fits all
// of them.
func listPorts() service.Handler {
	return list("ports", func(c service.Call) ([]port, error) {
		all, err := allPorts(c)
		if err != nil {
			return nil, err
		}
		wanted, err := fixedIPFilters(c.Query())
		if err != nil {
			return nil, err
		}
		var fit []port
		for _, p := range all {
			if p.fits(wanted) {
				fit = append(fit, p)
			}
		}
		return fit, nil
	}, portFilters())
}

// fixedIPFilter is one filter of fixed addresses.
type fixedIPFilter struct{ key, value string }

func fixedIPFilters(query url.Values) ([]fixedIPFilter, error) {
	var all []fixedIPFilter
	for _, text := range query["fixed_ips"] {
		key, value, _ := strings.Cut(text, "=")
		switch key {
		case "ip_address", "subnet_id", "ip_address_substr":
			all = append(all, fixedIPFilter{key, value})
		default:
			return nil, service.Wrong("fixed_ips", "%q is not a filter: must be ip_address, subnet_id or ip_address_substr, with = and a value", clip(text))
		}
	}
	return all, nil
}

func (p port) fits(wanted []fixedIPFilter) bool {
	for _, w := range wanted {
		fit := false
		for _, ip := range p.FixedIPs {
			switch w.key {
			case "ip_address":
				fit = fit || ip.IPAddress == w.value
			case "subnet_id":
				fit = fit || ip.SubnetID == w.value
			default:
				fit = fit || strings.Contains(ip.IPAddress, w.value)
			}
		}
		if !fit {
			return false
		}
	}
	return true
}
