package core

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// setGroupHealth sets the health of the targets that are known instances, in the
// target groups of one of them. No operation stands in its way.
func (t *txn) setGroupHealth(instance store.Ref, known map[simcloud.ID]simcloud.Instance) error {
	groups, err := store.TargetGroups.Referring(t.tx, instance)
	if err != nil {
		return err
	}
	for _, before := range groups {
		group := copyTargetGroup(before)
		for i, target := range group.Targets {
			if is, given := known[target.Instance]; given {
				group.Targets[i].Health = healthOf(is, target.Reported)
			}
		}
		if err := t.saveGroup(before, group); err != nil {
			return err
		}
	}
	return nil
}

// saveGroup keeps a group if it has changed.
func (t *txn) saveGroup(before, after simcloud.TargetGroup) error {
	if same(before, after) {
		return nil
	}
	return store.TargetGroups.Update(t.tx, t.now, &after)
}

func (t *txn) reportGroupTarget(id simcloud.ID, spec simcloud.GroupTargetSpec, health simcloud.TargetHealth) error {
	before, err := store.TargetGroups.Get(t.tx, id)
	if err != nil {
		return err
	}
	group := copyTargetGroup(before)
	i := groupTargetAt(group, spec)
	if i < 0 {
		return noGroupTarget(group, spec)
	}
	is, err := t.machineOf(spec.Instance, spec.Address)
	if err != nil {
		return err
	}
	group.Targets[i].Reported, group.Targets[i].Health = health, healthOf(is, health)
	return t.saveGroup(before, group)
}

func hasGroupReports(group simcloud.TargetGroup) bool {
	return slices.ContainsFunc(group.Targets, func(t simcloud.GroupTarget) bool { return t.Reported != "" })
}

// forgetGroupReports is forgetReports for the targets of groups.
func (t *txn) forgetGroupReports() error {
	groups, err := store.TargetGroups.All(t.tx)
	if err != nil {
		return err
	}
	for _, before := range groups {
		group := copyTargetGroup(before)
		for i, target := range group.Targets {
			is, err := t.machineOf(target.Instance, target.Address)
			if err != nil {
				return err
			}
			group.Targets[i].Reported, group.Targets[i].Health = "", healthOf(is, "")
		}
		if err := t.saveGroup(before, group); err != nil {
			return err
		}
	}
	return nil
}
