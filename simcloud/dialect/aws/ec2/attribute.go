package ec2

import (
	"maps"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// labelSourceDestCheck is false at an instance that takes packets which are not for its own addresses. The
// cloud does not check that.
const labelSourceDestCheck = service.Reserved + "source-dest-check"

// checksSource reports whether an instance only takes packets for its own addresses.
func checksSource(i simcloud.Instance) bool {
	return i.Labels[labelSourceDestCheck] != strconv.FormatBool(false)
}

// aboutAttribute: the action is about the instance that it names.
func aboutAttribute(f query.Form) (core string, id simcloud.ID) {
	if named := f.Text("InstanceId"); instanceIDs.MatchString(named) {
		id = simcloud.ID(named)
	}
	return "UpdateInstance", id
}

type modifyInstanceRequest struct {
	ID              string     `aws:"InstanceId,required"`
	SourceDestCheck *attribute `aws:"SourceDestCheck,required"`
}

type attribute struct {
	Value *bool `aws:"Value,required"`
}

// modifyInstanceAttribute changes the one attribute that a CCM changes. Before each route it sets the value that is
// there: the cloud changes nothing then.
func modifyInstanceAttribute(c service.Call, in modifyInstanceRequest) (out returned, _ *simcloud.Meta, err error) {
	instance, err := inNetwork(c, in.ID)
	if err != nil {
		return out, nil, err
	}
	labels := map[string]string{}
	maps.Copy(labels, instance.Labels)
	delete(labels, labelSourceDestCheck)
	if !*in.SourceDestCheck.Value {
		labels[labelSourceDestCheck] = strconv.FormatBool(false)
	}
	changed, err := c.Cloud.UpdateInstance(c.Ctx(), instance.ID, simcloud.InstanceUpdate{Labels: &labels})
	if err != nil {
		return out, nil, err
	}
	return returned{true}, &changed.Resource.Meta, nil
}
