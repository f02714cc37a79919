package ec2

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

type createGroupRequest struct {
	Name        string             `aws:"GroupName,required"`
	Description string             `aws:"GroupDescription,required"`
	VPC         string             `aws:"VpcId"`
	Tags        []tagSpecification `aws:"TagSpecification"`
}

type createdGroup struct {
	ID   string        `aws:"groupId"`
	Tags []service.Tag `aws:"tagSet"`
}

// groupSubject is what a request says of the group that it creates.
func groupSubject(f query.Form) fault.Subject { return fault.Subject{Name: f.Text("GroupName")} }

// createGroup makes a group, which lets everything out, as each new one does.
func createGroup(c service.Call, in createGroupRequest) (out createdGroup, _ *simcloud.Meta, err error) {
	switch {
	case in.Name == simcloud.DefaultSecurityGroup:
		return out, nil, service.Refuse(simcloud.Invalid, "InvalidParameterValue", "Cannot use reserved security group name: %s", in.Name)
	case strings.HasPrefix(in.Name, "sg-"):
		return out, nil, service.Refuse(simcloud.Invalid, "InvalidParameterValue", "Invalid group name '%s': must not begin with sg-", query.Clip(in.Name))
	}
	spec := simcloud.SecurityGroupSpec{Name: in.Name, Description: in.Description, Rules: []simcloud.SecurityGroupRuleSpec{
		{Direction: simcloud.Egress, CIDR: everywhere},
	}}
	if spec.Labels, err = labelsOf(in.Tags, "security-group"); err != nil {
		return out, nil, err
	}
	if spec.Network, err = network(c, in.VPC); err != nil {
		return out, nil, err
	}
	all, err := groups(c)
	if err != nil {
		return out, nil, err
	}
	if slices.ContainsFunc(all, func(g simcloud.SecurityGroup) bool { return g.Network == spec.Network && g.Name == spec.Name }) {
		return out, nil, service.Refuse(simcloud.AlreadyExists, "InvalidGroup.Duplicate",
			"The security group '%s' already exists for VPC '%s'", query.Clip(in.Name), vpcID(spec.Network))
	}
	made, err := c.Cloud.CreateSecurityGroup(c.Ctx(), spec)
	if err != nil {
		return out, nil, err
	}
	return createdGroup{string(made.Resource.ID), service.TagList(groupTags(made.Resource.Meta))}, &made.Resource.Meta, nil
}

// network returns the network that a VPC is; without one the first, which is the default VPC.
func network(c service.Call, vpc string) (simcloud.ID, error) {
	all, err := service.All(c, c.Cloud.ListNetworks)
	if err != nil {
		return "", err
	}
	if vpc == "" && len(all) > 0 {
		return all[0].ID, nil
	}
	for _, n := range all {
		if vpcID(n.ID) == vpc {
			return n.ID, nil
		}
	}
	return "", service.Refuse(simcloud.NotFound, "InvalidVpcID.NotFound", "The vpc ID '%s' does not exist", query.Clip(vpc))
}

// named is how the actions of one group name it.
type named struct {
	ID   string `aws:"GroupId"`
	Name string `aws:"GroupName"`
}

// aboutGroup: the actions of one group are about the one that they name by id.
func aboutGroup(core string) func(query.Form) (string, simcloud.ID) {
	return func(f query.Form) (string, simcloud.ID) { return core, groupNamed(f.Text("GroupId")) }
}

// group returns the group that a request names: by its id, or by its name in the default VPC.
func (n named) group(c service.Call) (g simcloud.SecurityGroup, err error) {
	switch {
	case n.ID == "" && n.Name == "":
		return g, service.Refuse(simcloud.Invalid, "MissingParameter", "The request must contain the parameter groupName or groupId")
	case n.ID != "" && n.Name != "":
		return g, service.Refuse(simcloud.Invalid, "InvalidParameterCombination", "The parameters groupName and groupId must not be used together")
	case n.ID != "":
		return groupByID(c, n.ID)
	}
	return groupByName(c, n.Name)
}

func groupByID(c service.Call, id string) (g simcloud.SecurityGroup, err error) {
	if !strings.HasPrefix(id, "sg-") {
		return g, service.Refuse(simcloud.Invalid, "InvalidGroupId.Malformed", "Invalid id: \"%s\" (expecting \"sg-...\")", query.Clip(id))
	}
	if g, err = c.Cloud.GetSecurityGroup(c.Ctx(), simcloud.ID(id)); simcloud.CodeOf(err) == simcloud.NotFound {
		err = service.Refuse(simcloud.NotFound, "InvalidGroup.NotFound", "The security group '%s' does not exist", query.Clip(id))
	}
	return g, err
}

// groupByName returns a group of the default VPC, the only one whose groups can be called by name.
func groupByName(c service.Call, name string) (g simcloud.SecurityGroup, err error) {
	first, err := network(c, "")
	all, errGroups := groups(c)
	if err := cmp.Or(err, errGroups); err != nil {
		return g, err
	}
	if i := slices.IndexFunc(all, func(g simcloud.SecurityGroup) bool { return g.Name == name && g.Network == first }); i >= 0 {
		return all[i], nil
	}
	return g, noGroupNamed(name)
}

func noGroupNamed(name string) error {
	return service.Refuse(simcloud.NotFound, "InvalidGroup.NotFound", "The security group '%s' does not exist in default VPC", query.Clip(name))
}

type deletedGroup struct {
	Return bool   `aws:"return"`
	ID     string `aws:"groupId"`
}

// deleteGroup deletes a group that nothing has and no rule of another group names.
func deleteGroup(c service.Call, in named) (out deletedGroup, _ *simcloud.Meta, err error) {
	g, err := in.group(c)
	if err != nil {
		return out, nil, err
	}
	if g.Name == simcloud.DefaultSecurityGroup {
		return out, nil, service.Refuse(simcloud.Protected, "CannotDelete", "the specified group: \"%s\" name: \"%s\" cannot be deleted by a user", g.ID, g.Name)
	}
	_, err = c.Cloud.DeleteSecurityGroup(c.Ctx(), g.ID)
	if simcloud.CodeOf(err) == simcloud.InUse {
		err = service.Refuse(simcloud.InUse, "DependencyViolation", "resource %s has a dependent object", g.ID)
	}
	if err != nil {
		return out, nil, err
	}
	return deletedGroup{true, string(g.ID)}, &g.Meta, nil
}
