package octavia

import (
	"maps"
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// memberSpec is a member to create.
type memberSpec struct {
	Name           string    `json:"name"`
	Address        string    `json:"address"`
	ProtocolPort   int       `json:"protocol_port"`
	Weight         *int      `json:"weight"`
	SubnetID       *string   `json:"subnet_id"`
	Backup         *bool     `json:"backup"`
	AdminStateUp   *bool     `json:"admin_state_up"`
	MonitorAddress *string   `json:"monitor_address"`
	MonitorPort    *int      `json:"monitor_port"`
	Tags           *[]string `json:"tags"`
	ProjectID      string    `json:"project_id"`
}

// check judges a member by itself.
func (s memberSpec) check() error {
	switch {
	case !isAddress(s.Address):
		return bad("address '%.60s' of a member is not an IP address", s.Address)
	case s.ProtocolPort < 1 || s.ProtocolPort > maxPort:
		return bad("protocol_port %d of a member must be between 1 and %d", s.ProtocolPort, maxPort)
	case s.Weight != nil && *s.Weight == 0:
		return unsupported("simcloud does not simulate members of the weight 0, which get no new connections")
	case s.Weight != nil && (*s.Weight < 0 || *s.Weight > maxWeight):
		return bad("weight %d of a member must be between 0 and %d", *s.Weight, maxWeight)
	case s.MonitorPort != nil && (*s.MonitorPort < 0 || *s.MonitorPort > maxPort):
		return bad("monitor_port %d of a member must be between 1 and %d", *s.MonitorPort, maxPort)
	case s.AdminStateUp != nil && !*s.AdminStateUp:
		return unsupported("simcloud does not simulate admin_state_up false")
	case s.MonitorAddress != nil && *s.MonitorAddress != "" && *s.MonitorAddress != s.Address:
		return unsupported("simcloud does not simulate monitor_address: members are asked at their own address")
	}
	return checkTexts(&s.Name, nil, s.Tags)
}

// maxWeight is the largest weight of a member.
const maxWeight = 256

// target is the target of a group that a member is: the instance to which its address belongs, or the address itself.
func (s memberSpec) target(instance simcloud.ID) simcloud.GroupTargetSpec {
	kept := options{optionAddress: s.Address}
	kept.text(service.OptionName, s.Name)
	setText(kept, optionSubnet, s.SubnetID)
	setText(kept, optionMonitorAt, s.MonitorAddress)
	if s.MonitorPort != nil {
		kept.number(optionMonitorPort, *s.MonitorPort, 0)
	}
	if s.Backup != nil && *s.Backup {
		kept[optionBackup] = "true"
	}
	if s.Tags != nil {
		kept.json(optionTags, *s.Tags, len(*s.Tags) == 0)
	}
	weight := 1
	set(&weight, s.Weight)
	spec := simcloud.GroupTargetSpec{Instance: instance, Port: s.ProtocolPort, Weight: weight, Options: kept}
	if instance == "" {
		spec.Address = s.Address
	}
	return spec
}

// targetsOf are the targets of a pool that members are.
func targetsOf(c service.Call, g simcloud.TargetGroup, specs []memberSpec) ([]simcloud.GroupTargetSpec, error) {
	if len(specs) == 0 {
		return nil, nil
	}
	owners, err := ownersIn(c, g)
	if err != nil {
		return nil, err
	}
	var targets []simcloud.GroupTargetSpec
	taken := map[simcloud.GroupTargetKey]bool{}
	for _, spec := range specs {
		if err := spec.check(); err != nil {
			return nil, err
		}
		target := spec.target(owners[simcloud.PlainAddress(spec.Address)])
		if taken[target.At(anyPort)] {
			return nil, twice(spec)
		}
		taken[target.At(anyPort)] = true
		targets = append(targets, target)
	}
	return targets, nil
}

func twice(spec memberSpec) error {
	return service.Refuse(simcloud.AlreadyExists, service.Code{Status: http.StatusConflict}, "Another member on this pool is already using ip %s on protocol_port %d", spec.Address, spec.ProtocolPort)
}

// ownersIn are the instances that private addresses in the network of a pool belong to, and those that the pool has already: the
// member of a server that is gone stays.
func ownersIn(c service.Call, g simcloud.TargetGroup) (map[string]simcloud.ID, error) {
	instances, err := service.All(c, c.Cloud.ListInstances)
	if err != nil {
		return nil, err
	}
	owners := map[string]simcloud.ID{}
	for _, target := range g.Targets {
		owners[simcloud.PlainAddress(target.Options[optionAddress])] = target.Instance
	}
	for _, i := range instances {
		for _, a := range i.Addresses {
			if isIn(a, i, g.Network) {
				owners[simcloud.PlainAddress(a.Address)] = i.ID
			}
		}
	}
	return owners, nil
}

// memberRequest is a member to create.
type memberRequest struct {
	Member memberSpec `json:"member"`
}

func createMember(c service.Call, in memberRequest) (any, *simcloud.Meta, error) {
	t, g, err := mutablePool(c, c.ID)
	if err != nil {
		return nil, nil, err
	}
	targets, err := targetsOf(c, g, []memberSpec{in.Member})
	if err != nil {
		return nil, nil, err
	}
	if _, err := c.Cloud.AddGroupTargets(c.Ctx(), g.ID, simcloud.GroupTargets{Targets: targets}); err != nil {
		if simcloud.CodeOf(err) == simcloud.AlreadyExists {
			err = twice(in.Member)
		}
		return nil, nil, err
	}
	if err := rechecked(c, t, g.ID); err != nil {
		return nil, nil, err
	}
	t, after, err := poolOf(c, g.ID)
	if err != nil {
		return nil, nil, err
	}
	c.Part = memberUUID(g, targets[0])
	i, err := memberIn(c, after)
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{"member": t.showMember(after, after.Targets[i])}, &g.Meta, nil
}

// membersRequest are all members that a pool is to have.
type membersRequest struct {
	Members []memberSpec `json:"members"`
}

// updateMembers gives a pool other members: those that are the same stay. Without a difference nothing begins.
func updateMembers(c service.Call, in membersRequest) (any, *simcloud.Meta, error) {
	t, g, err := mutablePool(c, c.ID)
	if err != nil {
		return nil, nil, err
	}
	wanted, err := targetsOf(c, g, in.Members)
	if err != nil {
		return nil, nil, err
	}
	if strings.EqualFold(c.Query().Get("additive_only"), "true") {
		wanted = append(wanted, others(g.Targets, wanted)...)
	}
	if sameTargets(g.Targets, wanted) {
		return nil, &g.Meta, nil
	}
	if _, err := c.Cloud.UpdateTargetGroup(c.Ctx(), g.ID, simcloud.TargetGroupUpdate{Targets: &wanted}); err != nil {
		return nil, nil, err
	}
	return nil, &g.Meta, rechecked(c, t, g.ID)
}

// byKey are targets by what tells them apart.
func byKey(targets []simcloud.GroupTargetSpec) map[simcloud.GroupTargetKey]simcloud.GroupTargetSpec {
	all := make(map[simcloud.GroupTargetKey]simcloud.GroupTargetSpec, len(targets))
	for _, target := range targets {
		all[target.At(anyPort)] = target
	}
	return all
}

// others are the targets that are not among the wanted ones.
func others(has []simcloud.GroupTarget, wanted []simcloud.GroupTargetSpec) []simcloud.GroupTargetSpec {
	want := byKey(wanted)
	var all []simcloud.GroupTargetSpec
	for _, h := range has {
		if _, is := want[h.At(anyPort)]; !is {
			all = append(all, h.GroupTargetSpec)
		}
	}
	return all
}

// sameTargets reports whether a pool has the wanted targets as they are to be.
func sameTargets(has []simcloud.GroupTarget, wanted []simcloud.GroupTargetSpec) bool {
	want := byKey(wanted)
	for _, h := range has {
		if w, is := want[h.At(anyPort)]; !is || !sameTarget(h.GroupTargetSpec, w) {
			return false
		}
	}
	return len(has) == len(want)
}

func sameTarget(a, b simcloud.GroupTargetSpec) bool {
	return a.At(anyPort) == b.At(anyPort) && a.Weight == b.Weight && maps.Equal(a.Options, b.Options)
}

// rechecked lets the health check of a pool ask its members where they want to be asked, and makes the load balancer busy.
func rechecked(c service.Call, t tree, pool simcloud.ID) error {
	g, err := c.Cloud.GetTargetGroup(c.Ctx(), pool)
	if err != nil {
		return err
	}
	var update simcloud.TargetGroupUpdate
	var targets []simcloud.GroupTargetSpec
	for _, target := range g.Targets {
		targets = append(targets, target.GroupTargetSpec)
	}
	if check := checkOf(g.Options, targets); check != nil {
		update.HealthCheck = check
	}
	return changePool(c, t, update, pool)
}

func deleteMember(c service.Call) (any, *simcloud.Meta, error) {
	t, g, err := mutablePool(c, c.ID)
	if err != nil {
		return nil, nil, err
	}
	i, err := memberIn(c, g)
	if err != nil {
		return nil, nil, err
	}
	gone := simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{g.Targets[i].GroupTargetSpec}}
	if _, err := c.Cloud.RemoveGroupTargets(c.Ctx(), g.ID, gone); err != nil {
		return nil, nil, err
	}
	return nil, &g.Meta, rechecked(c, t, g.ID)
}
