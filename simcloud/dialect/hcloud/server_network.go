package hcloud

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// serverAttachment is a network that a server is to be attached to.
type serverAttachment struct {
	attachment
	AliasIPs []string `json:"alias_ips"`
}

type instanceResult = simcloud.Result[simcloud.Instance]

func (c call) attachServerToNetwork() (edge.Reply, error) {
	body, err := decode[serverAttachment](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if body.Network == 0 {
		return edge.Reply{}, missing("network")
	}
	return c.rewired(func(ctx context.Context, i simcloud.Instance) (instanceResult, error) {
		to, err := c.attachment(ctx, "network", body.attachment)
		if err != nil {
			return instanceResult{}, err
		}
		if i.AttachedTo(to.Network) {
			return instanceResult{}, refuse(simcloud.AlreadyExists, codeServerAttached, "the server is attached to the network already")
		}
		result, err := c.cloud.AttachInstanceNetwork(ctx, i.ID, to)
		if errors.Is(err, simcloud.Conflict) {
			return result, refuse(simcloud.Conflict, codeNetworksOverlap, "the IP range of the network overlaps with one of the server networks")
		}
		if err != nil {
			return result, unattachable(to, err)
		}
		return c.addAliases(ctx, result, to.Network, body.AliasIPs)
	})
}

func (c call) detachServerFromNetwork() (edge.Reply, error) {
	body, err := decode[struct {
		Network int64 `json:"network"`
	}](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if body.Network == 0 {
		return edge.Reply{}, missing("network")
	}
	from := idOf(networkPrefix, body.Network)
	return c.rewired(func(ctx context.Context, i simcloud.Instance) (instanceResult, error) {
		switch {
		case from == i.Network:
			return instanceResult{}, unsupported("detaching a server from the network that it was created in")
		case !i.AttachedTo(from):
			return instanceResult{}, wrong("network", "the server is not attached to the network")
		}
		return c.cloud.DetachInstanceNetwork(ctx, i.ID, from)
	})
}

// changeAliasIPs gives a server these aliases in a network, and no others.
func (c call) changeAliasIPs() (edge.Reply, error) {
	body, err := decode[struct {
		Network  int64    `json:"network"`
		AliasIPs []string `json:"alias_ips"`
	}](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if body.Network == 0 {
		return edge.Reply{}, missing("network")
	}
	network := idOf(networkPrefix, body.Network)
	return c.rewired(func(ctx context.Context, i simcloud.Instance) (result instanceResult, err error) {
		if !i.AttachedTo(network) {
			return result, wrong("network", "the server is not attached to the network")
		}
		result = instanceResult{Resource: i}
		has := privateIPv4s(i, network)
		for n, alias := range has {
			if n == 0 || slices.Contains(body.AliasIPs, alias) { // the first is no alias
				continue
			}
			if result, err = c.cloud.RemoveInstanceAddress(ctx, i.ID, simcloud.ID(alias)); err != nil {
				return result, err
			}
		}
		more := slices.DeleteFunc(slices.Clone(body.AliasIPs), func(alias string) bool { return slices.Contains(has[min(1, len(has)):], alias) })
		if result, err = c.addAliases(ctx, result, network, more); err != nil || result.Operation.ID != "" {
			return result, err
		}
		return c.cloud.UpdateInstance(ctx, i.ID, simcloud.InstanceUpdate{}) // an action too, though nothing changes
	})
}

// addAliases adds addresses of a network to the instance of a result.
func (c call) addAliases(ctx context.Context, result instanceResult, network simcloud.ID, aliases []string) (instanceResult, error) {
	for _, alias := range aliases {
		added, err := c.cloud.AddInstanceAddress(ctx, result.Resource.ID, simcloud.AddressSpec{
			Scope: simcloud.ScopePrivate, Network: network, Address: alias,
		})
		if errors.Is(err, simcloud.Invalid) || errors.Is(err, simcloud.AlreadyExists) {
			return result, refuse(simcloud.AlreadyExists, codeIPNotAvailable, "the IP address %s is not available", alias)
		}
		if err != nil {
			return result, err
		}
		result = added
	}
	return result, nil
}

// rewired changes the networks of the server of the call, all or nothing, and answers its action.
func (c call) rewired(change func(ctx context.Context, i simcloud.Instance) (instanceResult, error)) (edge.Reply, error) {
	var result instanceResult
	err := c.atomically(func(ctx context.Context) error {
		i, err := c.cloud.GetInstance(ctx, c.id)
		if err != nil {
			return err
		}
		result, err = change(ctx, i)
		return err
	})
	if err != nil {
		return edge.Reply{}, err
	}
	reply := c.acted(result.Operation, serverSubject(c.id))
	reply.Meta = &result.Resource.Meta
	return reply, nil
}

// privateIPv4s are the addresses that an instance has of a network. The first is its address there, the others are aliases.
func privateIPv4s(i simcloud.Instance, network simcloud.ID) []string {
	var all []string
	for _, a := range i.Addresses {
		if a.Scope == simcloud.ScopePrivate && isIPv4(a.Address) && cmp.Or(a.Network, i.Network) == network {
			all = append(all, a.Address)
		}
	}
	return all
}
