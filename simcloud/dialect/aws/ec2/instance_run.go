package ec2

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"net/netip"
	"regexp"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// The labels of what was made by RunInstances.
const (
	// labelImage is the image that was asked for, which nothing reads.
	labelImage = service.Reserved + "image"
	// labelReservation is the first instance of the request, at each further one.
	labelReservation = service.Reserved + "reservation"
	// labelLaunch has how many were asked for, and behind a slash the token of the client.
	labelLaunch = service.Reserved + "launch"
)

// The bounds of a request for instances.
const (
	maxRun   = 500 // they are made in one transaction
	maxToken = 64  // as EC2's documents have it
	maxImage = 255 // as a label may have
)

// unnamed is what instances are called of which a request says nothing.
const unnamed = "ec2-instance"

type runInstancesRequest struct {
	Image            string             `aws:"ImageId,required"`
	Min              *int               `aws:"MinCount,required"`
	Max              *int               `aws:"MaxCount,required"`
	Type             string             `aws:"InstanceType"`
	Subnet           string             `aws:"SubnetId"`
	Placement        placementAsked     `aws:"Placement"`
	PrivateIPAddress string             `aws:"PrivateIpAddress"`
	Groups           []string           `aws:"SecurityGroupId"`
	Tags             []tagSpecification `aws:"TagSpecification"`
	Token            string             `aws:"ClientToken"`
}

type placementAsked struct {
	Zone string `aws:"AvailabilityZone"`
}

// instanceSubject is what a request says of the instances that it makes.
func instanceSubject(f query.Form) fault.Subject {
	subject := fault.Subject{Labels: map[string]string{}, Zone: simcloud.ID(f.Text("Placement.AvailabilityZone"))}
	for spec := range f.Len("TagSpecification") {
		maps.Copy(subject.Labels, service.LabelsIn(f, fmt.Sprintf("TagSpecification.%d.Tag.", spec+1)))
	}
	subject.Name = subject.Labels["Name"]
	return subject
}

// runInstances makes instances: as many as it can between two numbers, or none.
func runInstances(c service.Call, in runInstancesRequest) (out reservation, _ *simcloud.Meta, err error) {
	if err := in.check(); err != nil {
		return out, nil, err
	}
	spec, err := in.spec(c)
	if err != nil {
		return out, nil, err
	}
	count, err := in.count(c)
	if err != nil {
		return out, nil, err
	}
	made, err := in.make(c, spec, count)
	if err != nil {
		return out, nil, err
	}
	names, err := groupNames(c, made)
	if err != nil {
		return out, nil, err
	}
	return reservationsOf(made, names)[0], &made[0].Meta, nil
}

// check refuses what no cloud could do.
func (in runInstancesRequest) check() error {
	refuse := func(format string, args ...any) error {
		return service.Refuse(simcloud.Invalid, "InvalidParameterValue", format, args...)
	}
	switch {
	case *in.Min < 1:
		return refuse("Invalid value '%d' for MinCount: must be at least 1", *in.Min)
	case *in.Max < *in.Min:
		return refuse("Invalid value '%d' for MaxCount: must be at least MinCount, which is %d", *in.Max, *in.Min)
	case *in.Max > maxRun:
		return refuse("Invalid value '%d' for MaxCount: simcloud makes at most %d instances at once", *in.Max, maxRun)
	case len(in.Image) > maxImage:
		return refuse("Invalid value '%s' for ImageId: must have at most %d characters", query.Clip(in.Image), maxImage)
	case len(in.Token) > maxToken:
		return refuse("Invalid value '%s' for ClientToken: must have at most %d characters", query.Clip(in.Token), maxToken)
	case in.PrivateIPAddress == "":
		return nil
	case *in.Max > 1:
		return service.Refuse(simcloud.Invalid, "InvalidParameterCombination", "PrivateIpAddress cannot be specified for more than one instance: MaxCount is %d", *in.Max)
	}
	if addr, err := netip.ParseAddr(in.PrivateIPAddress); err != nil || !addr.Is4() {
		return refuse("Invalid value '%s' for PrivateIpAddress: must be an IPv4 address of the subnet", query.Clip(in.PrivateIPAddress))
	}
	return nil
}

// spec is what each of the instances is to be.
func (in runInstancesRequest) spec(c service.Call) (spec simcloud.InstanceSpec, err error) {
	if spec.Labels, err = labelsOf(in.Tags, "instance"); err != nil {
		return spec, err
	}
	spec.Name = in.name(spec.Labels["Name"])
	spec.Labels[labelImage] = in.Image
	if in.Token != "" {
		spec.Labels[labelLaunch] = fmt.Sprintf("%d-%d/%s", *in.Min, *in.Max, in.Token)
	}
	spec.Type, spec.PrivateAddress = simcloud.ID(in.Type), in.PrivateIPAddress
	for _, id := range in.Groups {
		g, err := groupByID(c, id)
		if err != nil {
			return spec, err
		}
		spec.SecurityGroups = append(spec.SecurityGroups, g.ID)
	}
	return spec, in.place(c, &spec)
}

// place decides where the instances are: in a subnet, whose zone is its own, or in a zone.
func (in runInstancesRequest) place(c service.Call, spec *simcloud.InstanceSpec) error {
	spec.Zone = simcloud.ID(in.Placement.Zone)
	if in.Subnet == "" {
		return nil
	}
	all, err := allSubnets(c)
	if err != nil {
		return err
	}
	found, err := service.WithIDs(all, []string{in.Subnet}, func(s subnet) string { return s.ID }, "InvalidSubnetID.NotFound", "subnet")
	if err != nil {
		return err
	}
	if in.Placement.Zone != "" && in.Placement.Zone != found[0].Zone {
		return service.Refuse(simcloud.Invalid, "InvalidParameterValue", "The availability zone '%s' is not that of the subnet '%s', which is in %s",
			query.Clip(in.Placement.Zone), in.Subnet, found[0].Zone)
	}
	spec.Zone, spec.Network = simcloud.ID(found[0].Zone), NetworkID(found[0].VPCID)
	if !found[0].derived {
		spec.Subnet = simcloud.ID(in.Subnet)
	}
	return nil
}

// instanceNames are the names that an instance of the cloud can have.
var instanceNames = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9._]{0,240}[A-Za-z0-9])?$`)

// name is what the instances are called, which is also the hostname where the cloud makes none of addresses: as their
// tag says, or else after the request.
func (in runInstancesRequest) name(tag string) string {
	switch {
	case instanceNames.MatchString(tag):
		return tag
	case in.Token != "":
		h := fnv.New32a()
		_, _ = h.Write([]byte(in.Token)) // never fails
		return fmt.Sprintf("ec2-%08x", h.Sum32())
	default:
		return unnamed
	}
}

// count is how many instances the quota leaves room for. Whether it has room for the least is judged when all are made.
func (in runInstancesRequest) count(c service.Call) (int, error) {
	if *in.Min == *in.Max {
		return *in.Max, nil
	}
	quota, err := c.Cloud.GetQuota(c.Ctx(), simcloud.QuotaID(simcloud.CallerFrom(c.Ctx()).Project, simcloud.QuotaInstances))
	if err != nil || quota.Limit == simcloud.Unlimited {
		return *in.Max, err
	}
	return max(*in.Min, min(*in.Max, quota.Limit-quota.Used)), nil
}

// make makes so many instances. Where the zone takes no more, as many as are enough will do. Of a request that is
// repeated with its token it returns the same ones.
func (in runInstancesRequest) make(c service.Call, spec simcloud.InstanceSpec, count int) (made []simcloud.Instance, err error) {
	name, labels := spec.Name, spec.Labels
	for n := range count {
		if n > 0 {
			spec.Name = fmt.Sprintf("%s-%d", name, n+1)
			spec.Labels = maps.Clone(labels)
			spec.Labels[labelReservation] = string(made[0].ID)
		}
		var opts []simcloud.CallOption
		if in.Token != "" {
			opts = append(opts, simcloud.IdempotencyKey(fmt.Sprintf("ec2:RunInstances:%s:%d", in.Token, n)))
		}
		result, err := c.Cloud.CreateInstance(c.Ctx(), spec, opts...)
		switch code := simcloud.CodeOf(err); {
		case code == simcloud.Capacity && n >= *in.Min:
			return made, nil
		case code == simcloud.Conflict && in.Token != "":
			return nil, service.Refuse(simcloud.Conflict, "IdempotentParameterMismatch", "The client token '%s' was used for a request with other parameters", query.Clip(in.Token))
		case code == simcloud.AlreadyExists && in.PrivateIPAddress != "":
			return nil, service.Refuse(simcloud.AlreadyExists, "InvalidIPAddress.InUse", "Address %s is in use", in.PrivateIPAddress)
		case err != nil:
			return nil, err
		}
		now, err := c.Cloud.GetInstance(c.Ctx(), result.Resource.ID)
		if err != nil {
			return nil, err
		}
		made = append(made, now)
	}
	return made, nil
}

// imageOf is the image of an instance: what was asked for, or else the one that all others have.
func imageOf(i simcloud.Instance) string { return cmp.Or(i.Labels[labelImage], "ami-simcloud") }

// tokenOf is the token of the request that has made an instance; empty for one that was made in another way.
func tokenOf(i simcloud.Instance) string {
	_, token, _ := strings.Cut(i.Labels[labelLaunch], "/")
	return token
}

// reservationID is the request that has made an instance: those of one have that of the first.
func reservationID(i simcloud.Instance) string {
	return service.Numbered("r-", cmp.Or(simcloud.ID(i.Labels[labelReservation]), i.ID))
}

// reservationsOf shows instances, those of one request together, given the names of their security groups.
func reservationsOf(all []simcloud.Instance, groups map[simcloud.ID]string) []reservation {
	shown := make([]reservation, 0, len(all))
	at := make(map[string]int, len(all))
	for _, i := range all {
		id := reservationID(i)
		if place, known := at[id]; known && i.Labels[labelReservation] != "" {
			shown[place].Instances = append(shown[place].Instances, shownInstance(i, groups))
			continue
		}
		at[id] = len(shown)
		shown = append(shown, reservation{ID: id, OwnerID: service.Account(i.Project), Instances: []instance{shownInstance(i, groups)}})
	}
	return shown
}
