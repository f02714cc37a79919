package ec2

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type allocateRequest struct {
	Domain  string `aws:"Domain"`
	Address string `aws:"Address"`
}

type allocated struct {
	Address      string `aws:"publicIp"`
	AllocationID string `aws:"allocationId"`
	Domain       string `aws:"domain"`
	Pool         string `aws:"publicIpv4Pool"`
}

// addressName is the name of all floating IPs that are made here: addresses of EC2 have no names.
const addressName = "eip"

// allocateAddress makes a floating IP of version 4.
func allocateAddress(c service.Call, in allocateRequest) (out allocated, _ *simcloud.Meta, err error) {
	if in.Domain != "" && in.Domain != domain {
		return out, nil, service.Refuse(simcloud.Invalid, "InvalidParameterValue", "Invalid value '%s' for domain: must be %s", query.Clip(in.Domain), domain)
	}
	made, err := c.Cloud.CreateFloatingIP(c.Ctx(), simcloud.FloatingIPSpec{Name: addressName, Family: 4, Address: in.Address})
	if err != nil {
		return out, nil, err
	}
	shown := addressOf(made.Resource, simcloud.Instance{})
	return allocated{shown.Address, shown.AllocationID, domain, shown.Pool}, &made.Resource.Meta, nil
}

// aboutAddress: the actions of addresses are about the floating IP that they name.
func aboutAddress(f query.Form) (core string, id simcloud.ID) {
	switch f.Action {
	case "AssociateAddress":
		core = "AttachFloatingIP"
	case "DisassociateAddress":
		return "DetachFloatingIP", service.FromNumber(associationPrefix, f.Text("AssociationId"), floatingIPPrefix)
	default:
		core = "DeleteFloatingIP"
	}
	return core, service.FromNumber(allocationPrefix, f.Text("AllocationId"), floatingIPPrefix)
}

// floatingIP returns the one that an id of AWS with a prefix stands for.
func floatingIP(c service.Call, prefix, id string) (ip simcloud.FloatingIP, err error) {
	none := service.Refuse(simcloud.NotFound, "InvalidAllocationID.NotFound", "The allocation ID '%s' does not exist", query.Clip(id))
	if prefix == associationPrefix {
		none = service.Refuse(simcloud.NotFound, "InvalidAssociationID.NotFound", "The association ID '%s' does not exist", query.Clip(id))
	}
	core := service.FromNumber(prefix, id, floatingIPPrefix)
	if core == "" {
		return ip, none
	}
	if ip, err = c.Cloud.GetFloatingIP(c.Ctx(), core); simcloud.CodeOf(err) == simcloud.NotFound {
		return ip, none
	}
	return ip, err
}

type releaseRequest struct {
	ID string `aws:"AllocationId,required"`
}

func releaseAddress(c service.Call, in releaseRequest) (out returned, _ *simcloud.Meta, err error) {
	ip, err := floatingIP(c, allocationPrefix, in.ID)
	if err != nil {
		return out, nil, err
	}
	if _, err := c.Cloud.DeleteFloatingIP(c.Ctx(), ip.ID); err != nil {
		return out, nil, err
	}
	return returned{true}, &ip.Meta, nil
}

type associateRequest struct {
	ID       string `aws:"AllocationId,required"`
	Instance string `aws:"InstanceId,required"`
	Again    *bool  `aws:"AllowReassociation"`
}

type associated struct {
	ID     string `aws:"associationId"`
	Return bool   `aws:"return"`
}

// associateAddress leads an address to an instance. One that leads to another one is moved unless the request forbids it.
func associateAddress(c service.Call, in associateRequest) (out associated, _ *simcloud.Meta, err error) {
	ip, err := floatingIP(c, allocationPrefix, in.ID)
	if err != nil {
		return out, nil, err
	}
	if _, err := inNetwork(c, in.Instance); err != nil {
		return out, nil, err
	}
	to := simcloud.Attachment{Kind: simcloud.KindInstance, ID: simcloud.ID(in.Instance)}
	moves := ip.AttachedTo.Kind == simcloud.KindInstance && ip.AttachedTo != to
	if moves && (in.Again == nil || *in.Again) {
		if _, err := c.Cloud.DetachFloatingIP(c.Ctx(), ip.ID); err != nil {
			return out, nil, err
		}
	}
	changed, err := c.Cloud.AttachFloatingIP(c.Ctx(), ip.ID, to)
	if err != nil {
		return out, nil, err
	}
	return associated{service.Numbered(associationPrefix, ip.ID), true}, &changed.Resource.Meta, nil
}

type disassociateRequest struct {
	ID string `aws:"AssociationId,required"`
}

func disassociateAddress(c service.Call, in disassociateRequest) (out returned, _ *simcloud.Meta, err error) {
	ip, err := floatingIP(c, associationPrefix, in.ID)
	if err == nil && ip.AttachedTo.ID == "" {
		err = service.Refuse(simcloud.NotFound, "InvalidAssociationID.NotFound", "The association ID '%s' does not exist", query.Clip(in.ID))
	}
	if err != nil {
		return out, nil, err
	}
	changed, err := c.Cloud.DetachFloatingIP(c.Ctx(), ip.ID)
	if err != nil {
		return out, nil, err
	}
	return returned{true}, &changed.Resource.Meta, nil
}
