package hcloud

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// listActionsOf answers the actions of one resource, the oldest first. Those of a subnet
// that is gone are not among them: the cloud does not know its network any more.
func (c call) listActionsOf() (edge.Reply, error) {
	concerns, err := c.concerning(c.ctx())
	if err != nil {
		return edge.Reply{}, err
	}
	operations, err := all(c.ctx(), c.cloud.ListOperations)
	if err != nil {
		return edge.Reply{}, err
	}
	actions := []action{}
	for _, op := range operations {
		if _, known := commands[op.Verb]; !known || !concerns[op.Resource] {
			continue
		}
		a, err := c.actionFor(c.ctx(), op)
		if err != nil {
			return edge.Reply{}, err
		}
		actions = append(actions, a)
	}
	return c.pageOfActions(actions)
}

// concerning are the resources of the cloud whose operations are actions of the resource
// that the path names.
func (c call) concerning(ctx context.Context) (map[simcloud.Attachment]bool, error) {
	kind := kinds[c.prefix]
	concerns := map[simcloud.Attachment]bool{{Kind: kind, ID: c.id}: true}
	var err error
	switch kind {
	case simcloud.KindInstance:
		_, err = c.cloud.GetInstance(ctx, c.id)
	case simcloud.KindLoadBalancer:
		_, err = c.cloud.GetLoadBalancer(ctx, c.id)
	case simcloud.KindDocument:
		_, err = c.document(ctx, c.id)
	default:
		err = c.concerningNetwork(ctx, concerns)
	}
	return concerns, err
}

// concerningNetwork adds what a network consists of.
func (c call) concerningNetwork(ctx context.Context, concerns map[simcloud.Attachment]bool) error {
	if _, err := c.cloud.GetNetwork(ctx, c.id); err != nil {
		return err
	}
	w, err := c.wiring(ctx)
	for _, s := range w.subnets {
		concerns[simcloud.Attachment{Kind: simcloud.KindSubnet, ID: s.ID}] = s.Network == c.id
	}
	for _, t := range w.tables {
		concerns[simcloud.Attachment{Kind: simcloud.KindRouteTable, ID: t.ID}] = t.Network == c.id
	}
	return err
}

// pageOfActions answers the page of actions that was asked for, of those with a status that was asked for.
func (c call) pageOfActions(actions []action) (edge.Reply, error) {
	if wanted := c.r.URL.Query()["status"]; len(wanted) > 0 {
		actions = slices.DeleteFunc(actions, func(a action) bool { return !slices.Contains(wanted, a.Status) })
	}
	if err := sorted(c, actions, actionOrders()); err != nil {
		return edge.Reply{}, err
	}
	return page(c, "actions", actions, func(part []action) (any, error) { return part, nil })
}
