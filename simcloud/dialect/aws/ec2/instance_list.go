package ec2

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeInstancesRequest struct {
	IDs     []string         `aws:"InstanceId"`
	Filters []service.Filter `aws:"Filter"`
	service.Pages
}

type reservations struct {
	Reservations []reservation `aws:"reservationSet"`
	NextToken    string        `aws:"nextToken"`
}

// instancePages is how many instances a page has.
var instancePages = service.PageSize{Least: 5, Most: 1000}

// instanceIDs are what an id of an instance may be.
var instanceIDs = regexp.MustCompile(`^i-[0-9a-z]{1,40}$`)

// aboutInstances: a request for one instance, and nothing else, reads that one.
func aboutInstances(f query.Form) (core string, id simcloud.ID) {
	if one := f.Text("InstanceId.1"); f.Len("InstanceId") == 1 && instanceIDs.MatchString(one) {
		return "GetInstance", simcloud.ID(one)
	}
	return "ListInstances", ""
}

func describeInstances(c service.Call, in describeInstancesRequest) (out reservations, err error) {
	if len(in.IDs) > 0 && in.MaxResults != nil {
		return out, service.Refuse(simcloud.Invalid, "InvalidParameterCombination", "The parameters instancesSet and maxResults must not be used together")
	}
	found, err := in.instances(c)
	if err != nil {
		return out, err
	}
	page, next, err := in.page(c, found)
	if err != nil {
		return out, err
	}
	names, err := groupNames(c, page)
	return reservations{Reservations: reservationsOf(page, names), NextToken: next}, err
}

// page chooses what a request asks for of the instances that it is about. One instance alone is all of it: no fault rule takes it from
// its page, so that its answer can be remembered.
func (in describeInstancesRequest) page(c service.Call, found []simcloud.Instance) ([]simcloud.Instance, string, error) {
	if in.one() != "" {
		return found, "", nil
	}
	found, err := instanceFilters.Choose(found, in.Filters)
	if err != nil {
		return nil, "", err
	}
	return service.Cut(c, found, func(i simcloud.Instance) string { return string(i.ID) }, in.Pages, instancePages, []any{in.IDs, in.Filters})
}

// one is the instance of a request that is for one and nothing else, as that of a CCM for each Node is; empty for any other request.
func (in describeInstancesRequest) one() string {
	if len(in.IDs) == 1 && len(in.Filters) == 0 && in.MaxResults == nil && in.NextToken == "" {
		return in.IDs[0]
	}
	return ""
}

// instances are those that a request is about: of the cloud, and for a while of those that it no longer has. An unknown
// id fails the whole request.
func (in describeInstancesRequest) instances(c service.Call) ([]simcloud.Instance, error) {
	found, missing, err := lookUp(c, in.IDs)
	if err != nil || len(in.IDs) > 0 && len(missing) == 0 || len(in.IDs) == 0 && leaveOutGone(in.Filters) {
		return found, err
	}
	gone, err := goneInstances(c, missing...)
	if err != nil {
		return nil, err
	}
	known := map[simcloud.ID]bool{}
	for _, i := range gone {
		known[i.ID] = true
	}
	if missing = slices.DeleteFunc(missing, func(id string) bool { return known[simcloud.ID(id)] }); len(missing) > 0 {
		return nil, noInstances(missing)
	}
	return append(found, gone...), nil
}

// instances returns those of the cloud with the ids, or all when there are no ids. An unknown id fails the whole request.
func instances(c service.Call, ids []string) ([]simcloud.Instance, error) {
	found, missing, err := lookUp(c, ids)
	if err == nil && len(missing) > 0 {
		err = noInstances(missing)
	}
	return found, err
}

// lookUp returns the instances of the cloud with the ids, or all when there are no ids, and the ids that it does not have.
func lookUp(c service.Call, ids []string) (found []simcloud.Instance, missing []string, err error) {
	wanted := map[simcloud.ID]bool{}
	for _, id := range ids {
		if !instanceIDs.MatchString(id) {
			return nil, nil, service.Refuse(simcloud.Invalid, "InvalidInstanceID.Malformed", "Invalid id: %q", query.Clip(id))
		}
		wanted[simcloud.ID(id)] = true
	}
	if len(ids) == 1 {
		one, err := c.Cloud.GetInstance(c.Ctx(), simcloud.ID(ids[0]))
		if simcloud.CodeOf(err) == simcloud.NotFound {
			return nil, ids, nil
		}
		return []simcloud.Instance{one}, nil, err
	}
	all, err := service.All(c, c.Cloud.ListInstances)
	if err != nil || len(ids) == 0 {
		return all, nil, err
	}
	for _, i := range all {
		if wanted[i.ID] {
			found = append(found, i)
			delete(wanted, i.ID)
		}
	}
	return found, slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !wanted[simcloud.ID(id)] }), nil
}

// noInstances is the error for instances that do not exist.
func noInstances(ids []string) error {
	if len(ids) == 1 {
		return service.Refuse(simcloud.NotFound, "InvalidInstanceID.NotFound", "The instance ID '%s' does not exist", ids[0])
	}
	return service.Refuse(simcloud.NotFound, "InvalidInstanceID.NotFound", "The instance IDs '%s' do not exist", strings.Join(ids, ", "))
}

// instanceFilters are the filters of instances.
var instanceFilters = service.Filters[simcloud.Instance]{
	Tags: func(i simcloud.Instance) map[string]string { return service.Tags(i.Meta) },
	Facts: map[string]service.Facts[simcloud.Instance]{
		"availability-zone":   func(i simcloud.Instance) []string { return []string{string(i.Zone)} },
		"dns-name":            func(i simcloud.Instance) []string { return one(instanceOf(i).DNSName) },
		"instance.group-id":   func(i simcloud.Instance) []string { return texts(i.SecurityGroups, idText) },
		"instance-id":         func(i simcloud.Instance) []string { return []string{string(i.ID)} },
		"instance-state-code": func(i simcloud.Instance) []string { return []string{strconv.Itoa(stateOf(i.State).Code)} },
		"instance-state-name": func(i simcloud.Instance) []string { return []string{stateOf(i.State).Name} },
		"instance-type":       func(i simcloud.Instance) []string { return []string{string(i.Type)} },
		"ip-address":          func(i simcloud.Instance) []string { return one(instanceOf(i).IPAddress) },
		"private-dns-name":    func(i simcloud.Instance) []string { return one(privateName(i)) },
		"private-ip-address":  func(i simcloud.Instance) []string { return one(instanceOf(i).PrivateIPAddress) },
		"subnet-id":           func(i simcloud.Instance) []string { return ofNetwork(i, subnetOf(i)) },
		"vpc-id":              func(i simcloud.Instance) []string { return ofNetwork(i, vpcID(i.Network)) },
	},
}

// ofNetwork is a text as the facts of a filter; none for an instance that has gone from its network.
func ofNetwork(i simcloud.Instance, text string) []string {
	if i.State == gone {
		return nil
	}
	return []string{text}
}

func idText(id simcloud.ID) string { return string(id) }

// one is a text as the facts of a filter; none when it is empty.
func one(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
