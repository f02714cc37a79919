package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// isDefaultGroup reports whether a group is one that instances without groups get: while the configuration has such groups,
// that is the one of a network with the name for it, whoever has made it.
func (t *txn) isDefaultGroup(group simcloud.SecurityGroup) bool {
	return t.cloud.config.Load().DefaultSecurityGroups && group.Name == simcloud.DefaultSecurityGroup && group.Network != ""
}

// defaultGroup returns the default group of a network, the oldest of them; false when there is no such group.
func (t *txn) defaultGroup(network simcloud.ID) (group simcloud.SecurityGroup, ok bool, err error) {
	groups, err := store.SecurityGroups.Referring(t.tx, store.Ref{Kind: simcloud.KindNetwork, ID: network})
	for _, group := range groups {
		if t.isDefaultGroup(group) {
			return group, true, err
		}
	}
	return group, false, err
}

// groupsOfNew returns the groups that an instance begins with: those that it asks for, or else the default group
// of its network, which is made if it is missing.
func (t *txn) groupsOfNew(network simcloud.ID, asked []simcloud.ID) ([]simcloud.ID, error) {
	if len(asked) > 0 || !t.cloud.config.Load().DefaultSecurityGroups {
		return t.groupsFor(simcloud.KindInstance, network, asked)
	}
	group, ok, err := t.defaultGroup(network)
	if err == nil && !ok {
		group, err = t.makeDefaultGroup(network)
	}
	if err != nil {
		return nil, err
	}
	return []simcloud.ID{group.ID}, nil
}

// makeDefaultGroup makes the default group of a network. It lets in all that has the group, and everything out. Neither a
// group of the same name in another network nor a limit of rules is in its way: no caller has asked for it.
func (t *txn) makeDefaultGroup(network simcloud.ID) (group simcloud.SecurityGroup, err error) {
	id, err := store.SecurityGroups.NewID(t.tx)
	if err != nil {
		return group, err
	}
	group = simcloud.SecurityGroup{
		Meta:    simcloud.Meta{ID: id, Name: simcloud.DefaultSecurityGroup, Project: t.caller.Project},
		Network: network, Description: "of what names no group", Rules: []simcloud.SecurityGroupRule{},
	}
	rules := []simcloud.SecurityGroupRuleSpec{
		{Direction: simcloud.Ingress, Group: id}, {Direction: simcloud.Egress, CIDR: "0.0.0.0/0"}, {Direction: simcloud.Egress, CIDR: "::/0"},
	}
	if err := t.appendRules(&group, rules); err != nil {
		return group, err
	}
	return group, store.SecurityGroups.Insert(t.tx, t.now, &group)
}

// dropDefaultGroup deletes the default group of a network that is to go, unless something refers to it, which then is in
// the way of the network too.
func (t *txn) dropDefaultGroup(network simcloud.ID) error {
	group, ok, err := t.defaultGroup(network)
	if err != nil || !ok || t.groupUnused(group.ID) != nil {
		return err
	}
	return store.SecurityGroups.Delete(t.tx, t.now, group.ID)
}
