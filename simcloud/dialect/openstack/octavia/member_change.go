package octavia

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// memberChange is what can be changed of a member: what is not there stays. Its address and its port are what it is.
type memberChange struct {
	Name           change[string]   `json:"name"`
	Weight         change[int]      `json:"weight"`
	Backup         change[bool]     `json:"backup"`
	AdminStateUp   *bool            `json:"admin_state_up"`
	MonitorAddress change[string]   `json:"monitor_address"`
	MonitorPort    change[int]      `json:"monitor_port"`
	Tags           change[[]string] `json:"tags"`
}

// memberUpdate is a change of one member.
type memberUpdate struct {
	Member memberChange `json:"member"`
}

// applied is a target of a pool as a request for a member that is like it, with the change.
func (m memberChange) applied(to simcloud.GroupTargetSpec) memberSpec {
	kept := to.Options
	backup, port, tags := kept[optionBackup] == "true", numberIn(kept, optionMonitorPort, 0), listIn(kept, optionTags)
	at := kept[optionMonitorAt]
	spec := memberSpec{
		Name: kept[service.OptionName], Address: kept[optionAddress], ProtocolPort: to.Port, Weight: &to.Weight, SubnetID: textOrNull(kept[optionSubnet]),
		Backup: &backup, AdminStateUp: m.AdminStateUp, MonitorAddress: &at, MonitorPort: &port, Tags: &tags,
	}
	m.Name.set(&spec.Name, "")
	m.Weight.set(&to.Weight, 1)
	m.Backup.set(&backup, false)
	m.Tags.set(&tags, nil)
	m.MonitorAddress.set(&at, "")
	m.MonitorPort.set(&port, 0)
	return spec
}

// updateMember changes one member of a pool, and leaves the others as they are.
func updateMember(c service.Call, in memberUpdate) (any, *simcloud.Meta, error) {
	t, g, err := mutablePool(c, c.ID)
	if err != nil {
		return nil, nil, err
	}
	i, err := memberIn(c, g)
	if err != nil {
		return nil, nil, err
	}
	spec := in.Member.applied(g.Targets[i].GroupTargetSpec)
	if err := spec.check(); err != nil {
		return nil, nil, err
	}
	var wanted []simcloud.GroupTargetSpec
	for _, target := range g.Targets {
		wanted = append(wanted, target.GroupTargetSpec)
	}
	wanted[i] = spec.target(wanted[i].Instance)
	if _, err := c.Cloud.UpdateTargetGroup(c.Ctx(), g.ID, simcloud.TargetGroupUpdate{Targets: &wanted}); err != nil {
		return nil, nil, err
	}
	if err := rechecked(c, t, g.ID); err != nil {
		return nil, nil, err
	}
	t, after, err := poolOf(c, g.ID)
	if err != nil {
		return nil, nil, err
	}
	if i, err = memberIn(c, after); err != nil {
		return nil, nil, err
	}
	return map[string]any{"member": t.showMember(after, after.Targets[i])}, &g.Meta, nil
}
