package hcloud

import (
	"context"
	"errors"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// newServer is the body of a creation.
type newServer struct {
	Name             string            `json:"name"`
	ServerType       *reference        `json:"server_type"`
	Image            *reference        `json:"image"` // all images are one
	Location         string            `json:"location"`
	SSHKeys          []int64           `json:"ssh_keys"`
	UserData         string            `json:"user_data"`
	StartAfterCreate *bool             `json:"start_after_create"`
	Labels           map[string]string `json:"labels"`
	Automount        *bool             `json:"automount"`
	Volumes          []int64           `json:"volumes"`
	Networks         []int64           `json:"networks"`
	Firewalls        []struct {
		Firewall int64 `json:"firewall"`
	} `json:"firewalls"`
	PlacementGroup *int64 `json:"placement_group"`
	PublicNet      *struct {
		EnableIPv4 *bool  `json:"enable_ipv4"`
		EnableIPv6 *bool  `json:"enable_ipv6"`
		IPv4       *int64 `json:"ipv4"`
		IPv6       *int64 `json:"ipv6"`
	} `json:"public_net"`
}

// publicFamilies are those of which the server has a public address: both, unless the request turns one off.
func (b newServer) publicFamilies() []int {
	var families []int
	if b.PublicNet == nil || b.PublicNet.EnableIPv4 == nil || *b.PublicNet.EnableIPv4 {
		families = append(families, 4)
	}
	if b.PublicNet == nil || b.PublicNet.EnableIPv6 == nil || *b.PublicNet.EnableIPv6 {
		families = append(families, 6)
	}
	return families
}

func (c call) createServer() (edge.Reply, error) {
	body, err := decode[newServer](c)
	if err != nil {
		return edge.Reply{}, err
	}
	spec, err := c.instanceSpec(body)
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.cloud.CreateInstance(c.ctx(), spec)
	if err != nil {
		return edge.Reply{}, err
	}
	a, err := c.around(c.ctx(), nil)
	return edge.Reply{
		Status: 201, Meta: &result.Resource.Meta, Operation: result.Operation.ID,
		Body: map[string]any{
			"server":        a.server(result.Resource),
			"action":        actionOf(result.Operation, c.command, serverSubject(result.Resource.ID)),
			"next_actions":  []action{},
			"root_password": nil,
		},
	}, err
}

// instanceSpec is what a request asks for.
func (c call) instanceSpec(body newServer) (simcloud.InstanceSpec, error) {
	spec := simcloud.InstanceSpec{Name: body.Name, UserData: body.UserData, Labels: body.Labels}
	if err := errors.Join(body.check(), checkLabels(body.Labels)); err != nil {
		return spec, err
	}
	types, err := all(c.ctx(), c.cloud.ListInstanceTypes)
	if err != nil {
		return spec, err
	}
	i := slices.IndexFunc(types, func(t simcloud.InstanceType) bool { return body.ServerType.is(t.Name) })
	if i < 0 {
		return spec, wrong("server_type", "server type %s not found", body.ServerType)
	}
	spec.Type = types[i].ID
	if body.Location != "" {
		zone, err := c.place(c.ctx(), body.Location, "")
		if err != nil {
			return spec, err
		}
		spec.Zone = zone.ID
	}
	for _, key := range body.SSHKeys {
		spec.SSHKeys = append(spec.SSHKeys, idOf("key-", key))
	}
	for n, network := range body.Networks {
		to, err := c.attachment(c.ctx(), "networks", attachment{Network: network})
		if err != nil {
			return spec, err
		}
		if n == 0 {
			spec.Network = to.Network
			continue
		}
		spec.Networks = append(spec.Networks, to)
	}
	spec.PublicFamilies = body.publicFamilies()
	spec.NoPublicAddress = len(spec.PublicFamilies) == 0
	return spec, nil
}

// check judges a creation by itself.
func (b newServer) check() error {
	switch {
	case b.Name == "":
		return missing("name")
	case b.ServerType == nil:
		return missing("server_type")
	case b.Image == nil:
		return missing("image")
	case b.StartAfterCreate != nil && !*b.StartAfterCreate:
		return unsupported("servers that do not start")
	case len(b.Volumes) > 0:
		return unsupported("servers with volumes at their creation")
	case b.Automount != nil && *b.Automount:
		return unsupported("the mounting of volumes")
	case len(b.Firewalls) > 0:
		return unsupported("firewalls")
	case b.PlacementGroup != nil && *b.PlacementGroup != 0:
		return unsupported("placement groups")
	case b.PublicNet != nil && (b.PublicNet.IPv4 != nil || b.PublicNet.IPv6 != nil):
		return unsupported("primary IPs")
	}
	return nil
}

func (c call) updateServer() (edge.Reply, error) {
	body, err := decodeChange[changed](c)
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.cloud.UpdateInstance(c.ctx(), c.id, simcloud.InstanceUpdate{Name: body.Name, Labels: body.Labels})
	if err != nil {
		return edge.Reply{}, err
	}
	reply, err := c.serverReply(200, result.Resource)
	reply.Operation = result.Operation.ID
	return reply, err
}

func (c call) deleteServer() (edge.Reply, error) {
	op, err := c.cloud.DeleteInstance(c.ctx(), c.id)
	if err != nil {
		return edge.Reply{}, err
	}
	reply := c.acted(op, serverSubject(c.id))
	reply.Status = 200
	return reply, nil
}

// power is an operation of the cloud that changes whether an instance runs.
type power func(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error)

func (c call) powered(change power) (edge.Reply, error) {
	if err := c.refuseBody(); err != nil {
		return edge.Reply{}, err
	}
	result, err := change(c.ctx(), c.id)
	if err != nil {
		return edge.Reply{}, err
	}
	return c.acted(result.Operation, serverSubject(c.id)), nil
}

func (c call) startServer() (edge.Reply, error)  { return c.powered(c.cloud.StartInstance) }
func (c call) stopServer() (edge.Reply, error)   { return c.powered(c.cloud.StopInstance) }
func (c call) rebootServer() (edge.Reply, error) { return c.powered(c.cloud.RebootInstance) }

func (c call) rebuildServer() (edge.Reply, error) {
	body, err := decode[struct {
		Image    *reference `json:"image"`
		UserData *string    `json:"user_data"`
	}](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if body.Image == nil {
		return edge.Reply{}, missing("image")
	}
	var result simcloud.Result[simcloud.Instance]
	err = c.atomically(func(ctx context.Context) error {
		instance, err := c.cloud.GetInstance(ctx, c.id)
		if err != nil {
			return err
		}
		if instance.Protected {
			return refuse(simcloud.Protected, codeProtected, "the server is protected from being rebuilt")
		}
		result, err = c.cloud.RebuildInstance(ctx, c.id, simcloud.InstanceRebuild{UserData: body.UserData})
		return err
	})
	if err != nil {
		return edge.Reply{}, err
	}
	reply := answered(201, "action", actionOf(result.Operation, c.command, serverSubject(c.id)))
	reply.Body.(map[string]any)["root_password"] = nil //nolint:forcetypeassert // it is made here
	reply.Operation = result.Operation.ID
	return reply, nil
}
