package ec2

import (
	"regexp"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeGroupsRequest struct {
	IDs     []string         `aws:"GroupId"`
	Names   []string         `aws:"GroupName"`
	Filters []service.Filter `aws:"Filter"`
	service.Pages
}

type securityGroups struct {
	Groups    []securityGroup `aws:"securityGroupInfo"`
	NextToken string          `aws:"nextToken"`
}

// securityGroup is a security group as EC2 shows it.
type securityGroup struct {
	ID          string            `aws:"groupId"`
	Name        string            `aws:"groupName"`
	Description string            `aws:"groupDescription"`
	VPCID       string            `aws:"vpcId"`
	OwnerID     string            `aws:"ownerId"`
	Permissions []permission      `aws:"ipPermissions"`
	Egress      []permission      `aws:"ipPermissionsEgress"`
	Tags        []service.Tag     `aws:"tagSet"`
	tags        map[string]string // as Tags
}

// groupPages is how many security groups a page has.
var groupPages = service.PageSize{Least: 5, Most: 1000}

// groupIDs are what an id of a security group may be.
var groupIDs = regexp.MustCompile(`^sg-[0-9a-z]{1,40}$`)

// groupNamed is the security group of the cloud that an id stands for; empty for one that is not an id of a group.
func groupNamed(id string) simcloud.ID {
	if groupIDs.MatchString(id) {
		return simcloud.ID(id)
	}
	return ""
}

// aboutGroups: a request for one group by its id reads that one.
func aboutGroups(f query.Form) (core string, id simcloud.ID) {
	if one := groupNamed(f.Text("GroupId.1")); f.Len("GroupId") == 1 && one != "" {
		return "GetSecurityGroup", one
	}
	return "ListSecurityGroups", ""
}

func describeGroups(c service.Call, in describeGroupsRequest) (out securityGroups, err error) {
	all, err := groupsWithIDs(c, in.IDs)
	if err != nil {
		return out, err
	}
	if all, err = withNames(all, in.Names); err != nil {
		return out, err
	}
	if all, err = groupFilters.Choose(all, in.Filters); err != nil {
		return out, err
	}
	out.Groups, out.NextToken, err = service.Cut(c, all, func(g securityGroup) string { return g.ID }, in.Pages, groupPages, []any{in.IDs, in.Names, in.Filters})
	return out, err
}

// groupsWithIDs are the groups that have one of the ids, or all when there are no ids.
func groupsWithIDs(c service.Call, ids []string) ([]securityGroup, error) {
	if len(ids) == 1 {
		one, err := groupByID(c, ids[0])
		return []securityGroup{groupOf(one)}, err
	}
	found, err := groups(c)
	if err != nil {
		return nil, err
	}
	all := make([]securityGroup, len(found))
	for i, g := range found {
		all[i] = groupOf(g)
	}
	return service.WithIDs(all, ids, func(g securityGroup) string { return g.ID }, "InvalidGroup.NotFound", "security group")
}

// groups are all security groups.
func groups(c service.Call) ([]simcloud.SecurityGroup, error) {
	return service.All(c, c.Cloud.ListSecurityGroups)
}

// withNames returns the groups that have one of the names, or all when there are no names.
func withNames(all []securityGroup, names []string) ([]securityGroup, error) {
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(g securityGroup) bool { return g.Name == name }) {
			return nil, noGroupNamed(name)
		}
	}
	return slices.DeleteFunc(all, func(g securityGroup) bool { return !slices.Contains(names, g.Name) }), nil
}

func groupOf(g simcloud.SecurityGroup) securityGroup {
	tags := groupTags(g.Meta)
	shown := securityGroup{
		ID: string(g.ID), Name: g.Name, Description: g.Description, OwnerID: service.Account(g.Project),
		Permissions: permissionsOf(g, simcloud.Ingress), Egress: permissionsOf(g, simcloud.Egress), Tags: service.TagList(tags), tags: tags,
	}
	if g.Network != "" {
		shown.VPCID = vpcID(g.Network)
	}
	return shown
}

// groupTags are the tags of a group. The CCM fails when an instance has two groups with the tag of its cluster, so
// only the default group of a network has it without a label.
func groupTags(m simcloud.Meta) map[string]string {
	tags := service.OwnTags(m)
	if m.Name == simcloud.DefaultSecurityGroup {
		service.AddCluster(tags)
	}
	return tags
}

// groupFilters are the filters of security groups.
var groupFilters = service.Filters[securityGroup]{
	Tags: func(g securityGroup) map[string]string { return g.tags },
	Facts: map[string]service.Facts[securityGroup]{
		"description":             func(g securityGroup) []string { return one(g.Description) },
		"group-id":                func(g securityGroup) []string { return []string{g.ID} },
		"group-name":              func(g securityGroup) []string { return []string{g.Name} },
		"owner-id":                func(g securityGroup) []string { return []string{g.OwnerID} },
		"vpc-id":                  func(g securityGroup) []string { return one(g.VPCID) },
		"ip-permission.cidr":      func(g securityGroup) []string { return ofPermissions(g, permission.ranges) },
		"ip-permission.from-port": func(g securityGroup) []string { return ofPermissions(g, permission.from) },
		"ip-permission.group-id":  func(g securityGroup) []string { return ofPermissions(g, permission.groups) },
		"ip-permission.ipv6-cidr": func(g securityGroup) []string { return ofPermissions(g, permission.ranges6) },
		"ip-permission.protocol":  func(g securityGroup) []string { return ofPermissions(g, permission.protocol) },
		"ip-permission.to-port":   func(g securityGroup) []string { return ofPermissions(g, permission.to) },
	},
}

// ofPermissions are the texts that the permissions of a group have for a filter.
func ofPermissions(g securityGroup, texts func(permission) []string) []string {
	var all []string
	for _, p := range g.Permissions {
		all = append(all, texts(p)...)
	}
	return all
}

// membership shows the groups that an instance is in.
func membership(ids []simcloud.ID, names map[simcloud.ID]string) []group {
	shown := make([]group, len(ids))
	for i, id := range ids {
		shown[i] = group{ID: string(id), Name: names[id]}
	}
	return shown
}

// groupNames are the names of the groups that instances are in.
func groupNames(c service.Call, instances []simcloud.Instance) (map[simcloud.ID]string, error) {
	if !slices.ContainsFunc(instances, func(i simcloud.Instance) bool { return len(i.SecurityGroups) > 0 }) {
		return nil, nil
	}
	all, err := groups(c)
	names := make(map[simcloud.ID]string, len(all))
	for _, g := range all {
		names[g.ID] = g.Name
	}
	return names, err
}
