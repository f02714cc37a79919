package neutron

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

type createFloatingIPRequest struct {
	FloatingIP *struct {
		NetworkID   string  `json:"floating_network_id"`
		SubnetID    string  `json:"subnet_id"`
		Address     string  `json:"floating_ip_address"`
		PortID      *string `json:"port_id"`
		FixedIP     string  `json:"fixed_ip_address"`
		Description string  `json:"description"`
		ProjectID   string  `json:"project_id"`
		TenantID    string  `json:"tenant_id"`
	} `json:"floatingip"`
}

// floatingIPSubject is what a request says of the floating IP that it creates.
func floatingIPSubject(body []byte) fault.Subject {
	var in createFloatingIPRequest
	if json.Unmarshal(body, &in) != nil || in.FloatingIP == nil {
		return fault.Subject{}
	}
	return fault.Subject{Name: floatingIPName(in.FloatingIP.Description)}
}

// floatingIPName is the name in the cloud of a floating IP, which has none here.
func floatingIPName(description string) string { return service.LegalName(description, "floatingip") }

func createFloatingIP(c service.Call, in createFloatingIPRequest) (any, *simcloud.Meta, error) {
	if in.FloatingIP == nil {
		return nil, nil, service.Wrong("floatingip", "must be an object")
	}
	asked := *in.FloatingIP
	pool, err := externalPool(c, asked.NetworkID, asked.SubnetID)
	if err != nil {
		return nil, nil, err
	}
	if err := ownProject(c, asked.ProjectID, asked.TenantID); err != nil {
		return nil, nil, err
	}
	spec := simcloud.FloatingIPSpec{
		Name: floatingIPName(asked.Description), Pool: pool.Name, Address: asked.Address, Options: described(nil, asked.Description),
	}
	if asked.PortID != nil && *asked.PortID != "" {
		p, err := attachable(c, *asked.PortID, asked.FixedIP)
		if err != nil {
			return nil, nil, err
		}
		spec.AttachedTo, spec.Options = p.owner, leading(spec.Options, p)
	}
	made, err := c.Cloud.CreateFloatingIP(c.Ctx(), spec)
	if err != nil {
		return nil, nil, err
	}
	shown, err := showFloatingIP(c, made.Resource)
	return shown, &made.Resource.Meta, err
}

// ownProject refuses the creation of something for another project than the caller's.
func ownProject(c service.Call, projects ...string) error {
	own := simcloud.CallerFrom(c.Ctx()).Project
	for _, project := range projects {
		if project != "" && project != service.ProjectUUID(own) && project != string(own) {
			return refuse(simcloud.Forbidden, http.StatusForbidden, "PolicyNotAuthorized", "project_id %s is not that of the session", clip(project))
		}
	}
	return nil
}

// externalPool is the pool that an external network is, and perhaps a subnet of it.
func externalPool(c service.Call, network, sub string) (pool simcloud.FloatingIPPool, err error) {
	if network == "" {
		return pool, service.Wrong("floatingip.floating_network_id", "must not be empty: give the id of an external network")
	}
	pools, err := service.All(c, c.Cloud.ListFloatingIPPools)
	if err != nil {
		return pool, err
	}
	i := slices.IndexFunc(pools, func(p simcloud.FloatingIPPool) bool { return poolNetwork(p.Name) == network })
	if i < 0 {
		return pool, notExternal(c, network)
	}
	if own := poolSubnet(pools[i]).ID; sub != "" && sub != own {
		return pool, missing("SubnetNotFound", "Subnet", sub)
	}
	return pools[i], nil
}

// notExternal is the error for a network that has no floating IPs.
func notExternal(c service.Call, network string) error {
	id := service.Networks.ID(network)
	if id == "" {
		return missing("NetworkNotFound", "Network", network)
	}
	_, err := c.Cloud.GetNetwork(c.Ctx(), id)
	switch {
	case simcloud.CodeOf(err) == simcloud.NotFound:
		return missing("NetworkNotFound", "Network", network)
	case err != nil:
		return err
	}
	return badFloatingIP("Network %s is not a valid external network.", network)
}

func badFloatingIP(format string, args ...any) error {
	return refuse(simcloud.Invalid, http.StatusBadRequest, "BadRequest", "Bad floatingip request: "+format, args...)
}

// described returns options with a description.
func described(options map[string]string, description string) map[string]string {
	kept := maps.Clone(options)
	if kept == nil {
		kept = map[string]string{}
	}
	kept[optionDescription] = description
	if description == "" {
		delete(kept, optionDescription)
	}
	return kept
}

// leading returns the options of a floating IP that leads to a port.
func leading(options map[string]string, p port) map[string]string {
	kept := maps.Clone(options)
	if kept == nil {
		kept = map[string]string{}
	}
	delete(kept, optionNetwork)
	if p.owner.Kind == simcloud.KindInstance {
		kept[optionNetwork] = string(p.network)
	}
	return kept
}

// attachable returns a port that a floating IP can lead to, and to a fixed address of it, if one is given.
func attachable(c service.Call, uuid, fixed string) (port, error) {
	p, err := portAt(c, uuid)
	if err != nil {
		return p, err
	}
	switch {
	case p.owner.Kind == simcloud.KindRouteTable:
		return p, badFloatingIP("Port %s is of a router.", uuid)
	case p.owner.Kind == simcloud.KindDocument:
		return p, refuse(simcloud.Unimplemented, http.StatusNotImplemented, "HTTPNotImplemented",
			"simcloud leads floating IPs to ports of servers and load balancers alone: port %s has no device", uuid)
	case p.ipv4() == "":
		return p, badFloatingIP("Port %s does not have an IPv4 address.", uuid)
	case fixed != "" && fixed != p.ipv4():
		return p, badFloatingIP("Port %s does not have fixed ip %s, or has others before it: simcloud leads to the first.", uuid, clip(fixed))
	}
	return p, free(c, p)
}

// free refuses a port that a floating IP leads to already.
func free(c service.Call, p port) error {
	refersTo := simcloud.Ref(p.owner.Kind, p.owner.ID)
	fips, err := simcloud.ListAll(c.Ctx(), c.Cloud.ListFloatingIPs, simcloud.ListOptions{RefersTo: refersTo, PageSize: simcloud.MaxPageSize})
	if err != nil || len(fips) == 0 {
		return err
	}
	f := fips[0]
	return refuse(simcloud.InUse, http.StatusConflict, "FloatingIPPortAlreadyAssociated",
		"Cannot associate floating IP with port %s using fixed IP %s, as that fixed IP already has the floating IP %s (%s).",
		p.ID, p.ipv4(), f.Address, service.FloatingIPs.UUID(f.ID))
}

type updateFloatingIPRequest struct {
	FloatingIP *struct {
		PortID      given[string] `json:"port_id"`
		FixedIP     *string       `json:"fixed_ip_address"`
		Description *string       `json:"description"`
	} `json:"floatingip"`
}

// updateFloatingIP attaches a floating IP, detaches it, or describes it. An empty object detaches, as null for the port does;
// other attributes alone leave it as it is.
func updateFloatingIP(c service.Call, in updateFloatingIPRequest) (any, *simcloud.Meta, error) {
	if in.FloatingIP == nil {
		return nil, nil, service.Wrong("floatingip", "must be an object")
	}
	asked := *in.FloatingIP
	f, err := c.Cloud.GetFloatingIP(c.Ctx(), c.ID)
	if err != nil {
		return nil, nil, err
	}
	if asked.Description != nil {
		if f, err = setOptions(c, f, described(f.Options, *asked.Description)); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case asked.PortID.value != "":
		fixed := ""
		if asked.FixedIP != nil {
			fixed = *asked.FixedIP
		}
		f, err = lead(c, f, asked.PortID.value, fixed)
	case asked.PortID.there || asked.FixedIP == nil && asked.Description == nil:
		f, err = detach(c, f)
	}
	if err != nil {
		return nil, nil, err
	}
	shown, err := showFloatingIP(c, f)
	return shown, &f.Meta, err
}

func setOptions(c service.Call, f simcloud.FloatingIP, options map[string]string) (simcloud.FloatingIP, error) {
	changed, err := c.Cloud.UpdateFloatingIP(c.Ctx(), f.ID, simcloud.FloatingIPUpdate{Options: &options})
	return changed.Resource, err
}

// lead lets a floating IP lead to a port, wherever it has led before.
func lead(c service.Call, f simcloud.FloatingIP, uuid, fixed string) (simcloud.FloatingIP, error) {
	there, err := leadsTo(c, f, uuid)
	if err != nil || there {
		return f, err
	}
	if f, err = detach(c, f); err != nil {
		return f, err
	}
	p, err := attachable(c, uuid, fixed)
	if err != nil {
		return f, err
	}
	if f, err = setOptions(c, f, leading(f.Options, p)); err != nil {
		return f, err
	}
	changed, err := c.Cloud.AttachFloatingIP(c.Ctx(), f.ID, p.owner)
	return changed.Resource, err
}

// leadsTo reports whether a floating IP leads to a port.
func leadsTo(c service.Call, f simcloud.FloatingIP, uuid string) (bool, error) {
	e, err := endsOf(c)
	if err != nil {
		return false, err
	}
	of, err := e.endPorts(c, f)
	p, attached := endOf(f, of)
	return attached && p.ID == uuid, err
}

// detach frees a floating IP, if it is not free.
func detach(c service.Call, f simcloud.FloatingIP) (simcloud.FloatingIP, error) {
	if f.AttachedTo.ID == "" {
		return f, nil
	}
	freed, err := c.Cloud.DetachFloatingIP(c.Ctx(), f.ID)
	if err != nil || f.Options[optionNetwork] == "" {
		return freed.Resource, err
	}
	return setOptions(c, f, leading(f.Options, port{}))
}

// deleteFloatingIP deletes a floating IP, also one that leads to a port.
func deleteFloatingIP(c service.Call) (any, *simcloud.Meta, error) {
	f, err := c.Cloud.GetFloatingIP(c.Ctx(), c.ID)
	if err != nil {
		return nil, nil, err
	}
	if f, err = detach(c, f); err != nil {
		return nil, nil, err
	}
	_, err = c.Cloud.DeleteFloatingIP(c.Ctx(), c.ID)
	return nil, &f.Meta, err
}
