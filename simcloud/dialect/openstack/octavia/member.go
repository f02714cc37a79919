package octavia

import (
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// member is a target of a pool, as Octavia shows it.
type member struct {
	common
	Address        string  `json:"address"`
	ProtocolPort   int     `json:"protocol_port"`
	Weight         int     `json:"weight"`
	Backup         bool    `json:"backup"`
	SubnetID       *string `json:"subnet_id"`
	MonitorAddress *string `json:"monitor_address"`
	MonitorPort    *int    `json:"monitor_port"`
}

// memberUUID is the id of a member: that of its address and port in its pool.
func memberUUID(pool simcloud.TargetGroup, target simcloud.GroupTargetSpec) string {
	return service.NamedUUID("member", fmt.Sprintf("%s/%s/%d", pool.ID, target.Options[optionAddress], target.Port))
}

// showMember is a member as Octavia shows it.
func (t tree) showMember(g simcloud.TargetGroup, target simcloud.GroupTarget) member {
	kept := target.Options
	m := member{
		common:  t.commonOf(memberUUID(g, target.GroupTargetSpec), operatingOf(t.LoadBalancer, g, target), g.Meta, kept),
		Address: kept[optionAddress], ProtocolPort: target.Port, Weight: target.Weight, Backup: kept[optionBackup] == "true",
		SubnetID: textOrNull(kept[optionSubnet]), MonitorAddress: textOrNull(kept[optionMonitorAt]),
	}
	m.Name = kept[service.OptionName]
	if n := numberIn(kept, optionMonitorPort, 0); n != 0 {
		m.MonitorPort = &n
	}
	return m
}

func listMembers(c service.Call) (any, error) {
	t, g, err := poolOf(c, c.ID)
	if err != nil {
		return nil, err
	}
	shown := make([]member, len(g.Targets))
	for i, target := range g.Targets {
		shown[i] = t.showMember(g, target)
	}
	return listed(c, "members", shown, func(m member) string { return m.ID })
}

// memberIn is the place of a member among the targets of a pool.
func memberIn(c service.Call, g simcloud.TargetGroup) (int, error) {
	i := slices.IndexFunc(g.Targets, func(target simcloud.GroupTarget) bool { return memberUUID(g, target.GroupTargetSpec) == c.Part })
	if i < 0 {
		return i, c.Service.Missing(simcloud.KindTargetGroup, memberWord, c.Part)
	}
	return i, nil
}

func getMember(c service.Call) (any, error) {
	t, g, err := poolOf(c, c.ID)
	if err != nil {
		return nil, err
	}
	i, err := memberIn(c, g)
	if err != nil {
		return nil, err
	}
	return map[string]any{"member": t.showMember(g, g.Targets[i])}, nil
}
