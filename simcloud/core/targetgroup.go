package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

type targetGroupResult = simcloud.Result[simcloud.TargetGroup]

// ListTargetGroups lists target groups.
func (c *Cloud) ListTargetGroups(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.TargetGroup], error) {
	return list(ctx, c, store.TargetGroups, opts, ofProject, noStates)
}

// GetTargetGroup returns one target group.
func (c *Cloud) GetTargetGroup(ctx context.Context, id simcloud.ID) (simcloud.TargetGroup, error) {
	return get(ctx, c, store.TargetGroups, id)
}

// CreateTargetGroup makes a target group with its first targets.
func (m mutations) CreateTargetGroup(
	ctx context.Context, spec simcloud.TargetGroupSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.TargetGroup], error) {
	req := request{verb: "CreateTargetGroup", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (targetGroupResult, error) {
		group := simcloud.TargetGroup{
			Protocol: spec.Protocol, Port: spec.Port, HealthCheck: copyCheck(spec.HealthCheck), ProxyProtocol: spec.ProxyProtocol,
			Targets: []simcloud.GroupTarget{}, Options: copyLabels(spec.Options),
		}
		network, err := t.networkFor(simcloud.KindTargetGroup, spec.Network)
		if err != nil {
			return targetGroupResult{}, err
		}
		group.Network = network.ID
		if err := t.joinBalancer(&group, spec.PartOf); err != nil {
			return targetGroupResult{}, err
		}
		if group.Meta, err = newMeta(t, store.TargetGroups, spec.Name, spec.Labels); err != nil {
			return targetGroupResult{}, err
		}
		if err := t.addGroupTargets(&group, spec.Targets); err != nil {
			return targetGroupResult{}, err
		}
		return insert(t, store.TargetGroups, group)
	})
}

// UpdateTargetGroup changes what a group has apart from its targets.
func (m mutations) UpdateTargetGroup(
	ctx context.Context, id simcloud.ID, update simcloud.TargetGroupUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.TargetGroup], error) {
	req := request{verb: "UpdateTargetGroup", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return m.changeTargetGroup(ctx, req, func(t *txn, group *simcloud.TargetGroup) error {
		if update.HealthCheck != nil {
			group.HealthCheck = copyCheck(update.HealthCheck)
		}
		if update.Targets != nil {
			if err := t.replaceGroupTargets(group, *update.Targets); err != nil {
				return err
			}
		}
		if update.NoHealthCheck {
			group.HealthCheck = nil
		}
		if update.Options != nil {
			group.Options = copyLabels(*update.Options)
		}
		if update.PartOf != nil {
			if err := t.joinBalancer(group, *update.PartOf); err != nil {
				return err
			}
		}
		set(&group.ProxyProtocol, update.ProxyProtocol)
		if group.ProxyProtocol && group.Protocol.Shared(simcloud.ProtocolTCP) == "" {
			return invalid(string(simcloud.KindTargetGroup), "proxyProtocol", "may only be set with a protocol over TCP")
		}
		return rename(t, store.TargetGroups, &group.Meta, update.Name, update.Labels)
	})
}

// AddGroupTargets adds all targets or none.
func (m mutations) AddGroupTargets(
	ctx context.Context, id simcloud.ID, targets simcloud.GroupTargets, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.TargetGroup], error) {
	req := request{verb: "AddGroupTargets", ids: []simcloud.ID{id}, spec: targets, opts: simcloud.Options(opts)}
	return m.changeTargetGroup(ctx, req, func(t *txn, group *simcloud.TargetGroup) error {
		return t.addGroupTargets(group, targets.Targets)
	})
}

// RemoveGroupTargets removes all targets or none.
func (m mutations) RemoveGroupTargets(
	ctx context.Context, id simcloud.ID, targets simcloud.GroupTargets, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.TargetGroup], error) {
	req := request{verb: "RemoveGroupTargets", ids: []simcloud.ID{id}, spec: targets, opts: simcloud.Options(opts)}
	return m.changeTargetGroup(ctx, req, func(_ *txn, group *simcloud.TargetGroup) error {
		for _, spec := range targets.Targets {
			i := groupTargetAt(*group, spec)
			if i < 0 {
				return noGroupTarget(*group, spec)
			}
			group.Targets = slices.Delete(group.Targets, i, i+1)
		}
		return nil
	})
}

// changeTargetGroup is the frame of all mutations of a group that is there:
// edit decides what it becomes. The first id of the call is the group's.
func (m mutations) changeTargetGroup(
	ctx context.Context, req request, edit func(*txn, *simcloud.TargetGroup) error,
) (targetGroupResult, error) {
	return mutate(ctx, m, req, func(t *txn) (targetGroupResult, error) {
		before, err := getForUpdate(t, store.TargetGroups, req.ids[0])
		if err != nil {
			return targetGroupResult{}, err
		}
		after := copyTargetGroup(before)
		if err := edit(t, &after); err != nil {
			return targetGroupResult{}, err
		}
		return replace(t, store.TargetGroups, before, after)
	})
}

// copyTargetGroup copies what edits change in place.
func copyTargetGroup(group simcloud.TargetGroup) simcloud.TargetGroup {
	group.Targets = append([]simcloud.GroupTarget{}, group.Targets...)
	return group
}

// DeleteTargetGroup deletes a group that no listener names.
func (m mutations) DeleteTargetGroup(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteTargetGroup", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		group, err := getForUpdate(t, store.TargetGroups, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		if group.LoadBalancer != "" {
			return simcloud.Operation{}, simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindTargetGroup, id),
				"listeners of %s forward to it", simcloud.Ref(simcloud.KindLoadBalancer, group.LoadBalancer))
		}
		return removeUnused(t, store.TargetGroups, id)
	})
}

// addGroupTargets gives a group more targets.
func (t *txn) addGroupTargets(group *simcloud.TargetGroup, specs []simcloud.GroupTargetSpec) error {
	for i, spec := range specs {
		if err := t.addGroupTarget(group, i, spec); err != nil {
			return err
		}
	}
	return nil
}

// addGroupTarget gives a group one more target, which is at i in the request.
func (t *txn) addGroupTarget(group *simcloud.TargetGroup, i int, spec simcloud.GroupTargetSpec) error {
	instance, err := t.groupMachine(*group, i, spec)
	if err != nil {
		return err
	}
	if err := groupTargetFree(*group, spec); err != nil {
		return err
	}
	spec.Address = simcloud.PlainAddress(spec.Address)
	spec.Port, spec.Weight, spec.Options = spec.At(group.Port).Port, orDefault(spec.Weight, 1), copyLabels(spec.Options)
	group.Targets = append(group.Targets, simcloud.GroupTarget{GroupTargetSpec: spec, Health: healthOf(instance, "")})
	return nil
}

// groupTargetFree answers AlreadyExists when a group has a target.
func groupTargetFree(group simcloud.TargetGroup, spec simcloud.GroupTargetSpec) error {
	if groupTargetAt(group, spec) < 0 {
		return nil
	}
	return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindTargetGroup, group.ID),
		"%s is a target at port %d", targetText(spec.Key()), spec.At(group.Port).Port)
}

// replaceGroupTargets gives a group other targets. What is known of the health of those that stay is kept.
func (t *txn) replaceGroupTargets(group *simcloud.TargetGroup, specs []simcloud.GroupTargetSpec) error {
	before := *group
	group.Targets = []simcloud.GroupTarget{}
	for i, spec := range specs {
		at := groupTargetAt(before, spec)
		if at < 0 {
			if err := t.addGroupTarget(group, i, spec); err != nil {
				return err
			}
			continue
		}
		if err := groupTargetFree(*group, spec); err != nil {
			return err
		}
		kept := before.Targets[at]
		kept.Weight, kept.Options = orDefault(spec.Weight, 1), copyLabels(spec.Options)
		group.Targets = append(group.Targets, kept)
	}
	return nil
}

// groupMachine is what is behind a new target: an instance, or what stands for the machine behind an address.
func (t *txn) groupMachine(group simcloud.TargetGroup, i int, spec simcloud.GroupTargetSpec) (simcloud.Instance, error) {
	if spec.Address != "" {
		return behindAddress, nil
	}
	return t.groupInstance(group, i, spec.Instance)
}

// groupInstance is the instance of a new target: one of the caller's project, in the network of the group.
func (t *txn) groupInstance(group simcloud.TargetGroup, i int, id simcloud.ID) (simcloud.Instance, error) {
	kind, field := string(simcloud.KindTargetGroup), fmt.Sprintf("targets[%d].instance", i)
	instance, err := find(t.tx, store.Instances, t.caller.Project, id)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return instance, invalid(kind, field, "instance %q not found", id)
	}
	if err == nil && !slices.Contains(instance.Networks(), group.Network) {
		err = invalid(kind, field, "%s is in %v: must be in %s", id, instance.Networks(), group.Network)
	}
	return instance, err
}

func groupTargetAt(group simcloud.TargetGroup, spec simcloud.GroupTargetSpec) int {
	at := spec.At(group.Port)
	return slices.IndexFunc(group.Targets, func(target simcloud.GroupTarget) bool { return target.At(group.Port) == at })
}

func noGroupTarget(group simcloud.TargetGroup, spec simcloud.GroupTargetSpec) error {
	return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindTargetGroup, group.ID),
		"%s is not a target at port %d", targetText(spec.Key()), spec.At(group.Port).Port)
}
