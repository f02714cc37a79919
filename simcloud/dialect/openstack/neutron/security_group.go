package neutron

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// securityGroup is a security group of the cloud.
type securityGroup struct {
	standard
	Name     string      `json:"name"`
	Stateful bool        `json:"stateful"`
	Shared   bool        `json:"shared"`
	Rules    []groupRule `json:"security_group_rules"`
}

func newSecurityGroup(g simcloud.SecurityGroup) securityGroup {
	shown := securityGroup{
		standard: standardOf(service.SecurityGroups.UUID(g.ID), g.Meta), Name: nameOf(g.Meta), Stateful: true, Rules: []groupRule{},
	}
	shown.Description = g.Description
	for _, rule := range g.Rules {
		shown.Rules = append(shown.Rules, newGroupRule(g, rule))
	}
	return shown
}

// groupUUIDs are the ids of security groups.
func groupUUIDs(ids []simcloud.ID) []string {
	uuids := []string{}
	for _, id := range ids {
		uuids = append(uuids, service.SecurityGroups.UUID(id))
	}
	return uuids
}

// allSecurityGroups are those of the project.
func allSecurityGroups(c service.Call) ([]securityGroup, error) {
	groups, err := service.All(c, c.Cloud.ListSecurityGroups)
	var all []securityGroup
	for _, g := range groups {
		all = append(all, newSecurityGroup(g))
	}
	return all, err
}

func securityGroupFilters() filters[securityGroup] {
	return filters[securityGroup]{
		"name":     one(func(g securityGroup) string { return g.Name }),
		"stateful": one(func(g securityGroup) string { return strconv.FormatBool(g.Stateful) }),
		"shared":   one(func(g securityGroup) string { return strconv.FormatBool(g.Shared) }),
	}
}

func getSecurityGroup(c service.Call) (any, error) {
	g, err := c.Cloud.GetSecurityGroup(c.Ctx(), c.ID)
	return map[string]any{"security_group": newSecurityGroup(g)}, err
}

type securityGroupRequest struct {
	Group *struct {
		Name        *string `json:"name"`
		Description *string `json:"description"`
		ProjectID   string  `json:"project_id"`
		TenantID    string  `json:"tenant_id"`
	} `json:"security_group"`
}

// securityGroupSubject is what a request says of the group that it creates.
func securityGroupSubject(body []byte) fault.Subject {
	var in securityGroupRequest
	if json.Unmarshal(body, &in) != nil || in.Group == nil || in.Group.Name == nil {
		return fault.Subject{}
	}
	return fault.Subject{Name: service.LegalName(*in.Group.Name, groupFallback)}
}

// groupFallback is the name in the cloud of a group whose name has nothing that the cloud takes.
const groupFallback = "security-group"

// everything are the ranges of all addresses, by the versions of IP.
var everything = map[string]string{ethertypeIPv4: "0.0.0.0/0", ethertypeIPv6: "::/0"}

// createSecurityGroup makes a group with the two rules that each new one has: they let everything out.
func createSecurityGroup(c service.Call, in securityGroupRequest) (any, *simcloud.Meta, error) {
	if in.Group == nil {
		return nil, nil, service.Wrong("security_group", "must be an object")
	}
	if err := ownProject(c, in.Group.ProjectID, in.Group.TenantID); err != nil {
		return nil, nil, err
	}
	text := deref(in.Group.Name)
	if text == simcloud.DefaultSecurityGroup {
		return nil, nil, refuse(simcloud.AlreadyExists, http.StatusConflict, "SecurityGroupDefaultAlreadyExists", "Default security group already exists.")
	}
	name, labels := keepName(text, groupFallback, nil)
	made, err := c.Cloud.CreateSecurityGroup(c.Ctx(), simcloud.SecurityGroupSpec{
		Name: name, Labels: labels, Description: deref(in.Group.Description),
		Rules: []simcloud.SecurityGroupRuleSpec{
			{Direction: simcloud.Egress, CIDR: everything[ethertypeIPv4]}, {Direction: simcloud.Egress, CIDR: everything[ethertypeIPv6]},
		},
	})
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{"security_group": newSecurityGroup(made.Resource)}, &made.Resource.Meta, nil
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func updateSecurityGroup(c service.Call, in securityGroupRequest) (any, *simcloud.Meta, error) {
	if in.Group == nil {
		return nil, nil, service.Wrong("security_group", "must be an object with the attributes to change")
	}
	if in.Group.ProjectID != "" || in.Group.TenantID != "" {
		return nil, nil, refuse(simcloud.Invalid, http.StatusBadRequest, "HTTPBadRequest", "Cannot update read-only attribute project_id")
	}
	update := simcloud.SecurityGroupUpdate{Description: in.Group.Description}
	if in.Group.Name != nil {
		g, err := c.Cloud.GetSecurityGroup(c.Ctx(), c.ID)
		if err != nil {
			return nil, nil, err
		}
		name, labels := keepName(*in.Group.Name, groupFallback, g.Labels)
		update.Name, update.Labels = &name, &labels
	}
	changed, err := c.Cloud.UpdateSecurityGroup(c.Ctx(), c.ID, update)
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{"security_group": newSecurityGroup(changed.Resource)}, &changed.Resource.Meta, nil
}

func deleteSecurityGroup(c service.Call) (any, *simcloud.Meta, error) {
	g, err := c.Cloud.GetSecurityGroup(c.Ctx(), c.ID)
	if err != nil {
		return nil, nil, err
	}
	_, err = c.Cloud.DeleteSecurityGroup(c.Ctx(), c.ID)
	return nil, &g.Meta, err
}
