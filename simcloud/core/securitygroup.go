package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

type securityGroupResult = simcloud.Result[simcloud.SecurityGroup]

// ListSecurityGroups lists security groups.
func (c *Cloud) ListSecurityGroups(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.SecurityGroup], error) {
	return list(ctx, c, store.SecurityGroups, opts, ofProject, noStates)
}

// GetSecurityGroup returns one security group.
func (c *Cloud) GetSecurityGroup(ctx context.Context, id simcloud.ID) (simcloud.SecurityGroup, error) {
	return get(ctx, c, store.SecurityGroups, id)
}

// CreateSecurityGroup makes a security group with its first rules.
func (m mutations) CreateSecurityGroup(
	ctx context.Context, spec simcloud.SecurityGroupSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.SecurityGroup], error) {
	req := request{verb: "CreateSecurityGroup", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (securityGroupResult, error) {
		group := simcloud.SecurityGroup{Description: spec.Description, Rules: []simcloud.SecurityGroupRule{}}
		if spec.Network != "" {
			network, err := t.networkFor(simcloud.KindSecurityGroup, spec.Network)
			if err != nil {
				return securityGroupResult{}, err
			}
			group.Network = network.ID
		}
		var err error
		if group.Meta, err = newMeta(t, store.SecurityGroups, spec.Name, spec.Labels); err != nil {
			return securityGroupResult{}, err
		}
		if err := t.addRules(&group, spec.Rules); err != nil {
			return securityGroupResult{}, err
		}
		return insert(t, store.SecurityGroups, group)
	})
}

// UpdateSecurityGroup changes what a group has apart from its rules.
func (m mutations) UpdateSecurityGroup(
	ctx context.Context, id simcloud.ID, update simcloud.SecurityGroupUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.SecurityGroup], error) {
	req := request{verb: "UpdateSecurityGroup", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return m.changeSecurityGroup(ctx, req, func(t *txn, group *simcloud.SecurityGroup) error {
		if update.Description != nil {
			group.Description = *update.Description
		}
		return rename(t, store.SecurityGroups, &group.Meta, update.Name, update.Labels)
	})
}

// AddSecurityGroupRules adds all rules or none.
func (m mutations) AddSecurityGroupRules(
	ctx context.Context, id simcloud.ID, rules simcloud.SecurityGroupRules, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.SecurityGroup], error) {
	req := request{verb: "AddSecurityGroupRules", ids: []simcloud.ID{id}, spec: rules, opts: simcloud.Options(opts)}
	return m.changeSecurityGroup(ctx, req, func(t *txn, group *simcloud.SecurityGroup) error {
		return t.addRules(group, rules.Rules)
	})
}

// RemoveSecurityGroupRules removes all rules or none.
func (m mutations) RemoveSecurityGroupRules(
	ctx context.Context, id simcloud.ID, rules simcloud.SecurityGroupRuleIDs, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.SecurityGroup], error) {
	req := request{verb: "RemoveSecurityGroupRules", ids: []simcloud.ID{id}, spec: rules, opts: simcloud.Options(opts)}
	return m.changeSecurityGroup(ctx, req, func(_ *txn, group *simcloud.SecurityGroup) error {
		for _, rule := range rules.Rules {
			i := slices.IndexFunc(group.Rules, func(r simcloud.SecurityGroupRule) bool { return r.ID == rule })
			if i < 0 {
				return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindSecurityGroup, group.ID), "rule %q not found", rule)
			}
			group.Rules = slices.Delete(group.Rules, i, i+1)
		}
		return nil
	})
}

// changeSecurityGroup is the frame of all mutations of a group that is there:
// edit decides what it becomes. The first id of the call is the group's.
func (m mutations) changeSecurityGroup(
	ctx context.Context, req request, edit func(*txn, *simcloud.SecurityGroup) error,
) (securityGroupResult, error) {
	return mutate(ctx, m, req, func(t *txn) (securityGroupResult, error) {
		before, err := getForUpdate(t, store.SecurityGroups, req.ids[0])
		if err != nil {
			return securityGroupResult{}, err
		}
		after := before
		after.Rules = append([]simcloud.SecurityGroupRule{}, before.Rules...)
		if err := edit(t, &after); err != nil {
			return securityGroupResult{}, err
		}
		return replace(t, store.SecurityGroups, before, after)
	})
}

// DeleteSecurityGroup deletes a group that nothing has and no rule of another group names.
func (m mutations) DeleteSecurityGroup(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteSecurityGroup", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		if _, err := getForUpdate(t, store.SecurityGroups, id); err != nil {
			return simcloud.Operation{}, err
		}
		if err := t.groupUnused(id); err != nil {
			return simcloud.Operation{}, err
		}
		return removeUnused(t, store.SecurityGroups, id)
	})
}

// maxUsers is how many of those that refer to a group an error names.
const maxUsers = 5

// groupUnused answers InUse with what refers to a group.
func (t *txn) groupUnused(id simcloud.ID) error {
	ref := store.Ref{Kind: simcloud.KindSecurityGroup, ID: id}
	instances, err := refsTo(t, store.Instances, ref)
	balancers, errLB := refsTo(t, store.LoadBalancers, ref)
	groups, errGroup := refsTo(t, store.SecurityGroups, ref)
	if err := cmp.Or(err, errLB, errGroup); err != nil {
		return err
	}
	users := slices.Concat(instances, balancers, groups)
	if len(users) == 0 {
		return nil
	}
	more := ""
	if len(users) > maxUsers {
		more = fmt.Sprintf(" and %d more", len(users)-maxUsers)
		users = users[:maxUsers]
	}
	return simcloud.Errorf(simcloud.InUse, simcloud.Ref(ref.Kind, id), "these refer to it: %s%s", strings.Join(users, ", "), more)
}

// refsTo names the resources of a bucket that refer to another one.
func refsTo[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], to store.Ref) ([]string, error) {
	found, err := b.Referring(t.tx, to)
	refs := make([]string, len(found))
	for i := range found {
		refs[i] = simcloud.Ref(b.Kind(), P(&found[i]).GetMeta().ID)
	}
	return refs, err
}

// addRules gives a group more rules, each with an id.
func (t *txn) addRules(group *simcloud.SecurityGroup, specs []simcloud.SecurityGroupRuleSpec) error {
	ref := simcloud.Ref(simcloud.KindSecurityGroup, group.ID)
	limit := cmp.Or(t.cloud.config.Load().MaxSecurityGroupRules, simcloud.DefaultSecurityGroupRules)
	if total := len(group.Rules) + len(specs); len(specs) > 0 && total > limit {
		return simcloud.Errorf(simcloud.Capacity, ref, "the group may have %d rules: with these it would have %d", limit, total)
	}
	return t.appendRules(group, specs)
}

// appendRules is addRules without the limit.
func (t *txn) appendRules(group *simcloud.SecurityGroup, specs []simcloud.SecurityGroupRuleSpec) error {
	ref := simcloud.Ref(simcloud.KindSecurityGroup, group.ID)
	known := map[simcloud.SecurityGroupRuleSpec]simcloud.ID{}
	for _, rule := range group.Rules {
		known[rule.Traffic()] = rule.ID
	}
	for i, spec := range specs {
		if err := t.knownGroup(*group, i, spec.Group); err != nil {
			return err
		}
		if same, there := known[spec.Traffic()]; there {
			return simcloud.Errorf(simcloud.AlreadyExists, ref, "rules[%d] is rule %s already", i, same)
		}
		n, err := store.RuleCounter.Next(t.tx)
		if err != nil {
			return err
		}
		rule := simcloud.SecurityGroupRule{ID: simcloud.ID(fmt.Sprintf("sgr-%d", n)), SecurityGroupRuleSpec: spec.Normal()}
		group.Rules = append(group.Rules, rule)
		known[spec.Traffic()] = rule.ID
	}
	return nil
}

// knownGroup answers Invalid when a rule names a group that the project does not have, or of another network.
func (t *txn) knownGroup(of simcloud.SecurityGroup, i int, id simcloud.ID) error {
	if id == "" || id == of.ID {
		return nil
	}
	field := fmt.Sprintf("rules[%d].group", i)
	other, err := t.groupNamed(simcloud.KindSecurityGroup, field, id)
	if err != nil {
		return err
	}
	if of.Network != "" && other.Network != "" && of.Network != other.Network {
		return invalid(string(simcloud.KindSecurityGroup), field, "%s is of %s: must be of %s", id, other.Network, of.Network)
	}
	return nil
}

// groupNamed returns a group of the caller's project that a field names.
func (t *txn) groupNamed(kind simcloud.Kind, field string, id simcloud.ID) (simcloud.SecurityGroup, error) {
	group, err := find(t.tx, store.SecurityGroups, t.caller.Project, id)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		err = invalid(string(kind), field, "security group %q not found", id)
	}
	return group, err
}

// groupsFor returns the groups of an instance or load balancer in a network, and answers
// Invalid when the project does not have one of them, or one is of another network.
func (t *txn) groupsFor(kind simcloud.Kind, network simcloud.ID, ids []simcloud.ID) ([]simcloud.ID, error) {
	var groups []simcloud.ID
	for i, id := range ids {
		field := fmt.Sprintf("securityGroups[%d]", i)
		group, err := t.groupNamed(kind, field, id)
		if err != nil {
			return nil, err
		}
		if group.Network != "" && group.Network != network {
			return nil, invalid(string(kind), field, "%s is of %s: must be of %s or of no network", id, group.Network, network)
		}
		groups = append(groups, id)
	}
	return groups, nil
}

// groupsLeft returns those of the groups that are still there.
func (t *txn) groupsLeft(ids []simcloud.ID) []simcloud.ID {
	var left []simcloud.ID
	for _, id := range ids {
		if store.SecurityGroups.Has(t.tx, id) {
			left = append(left, id)
		}
	}
	return left
}
