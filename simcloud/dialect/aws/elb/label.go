package elb

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// The labels of a load balancer that have what the cloud does not know.
const (
	labelCheck      = service.Reserved + "health-check" // the check as JSON
	labelAttributes = service.Reserved + "attributes"   // the attributes as JSON
	labelSubnets    = service.Reserved + "subnets"      // ids with spaces between them
)

// maxLabel is how long the value of a label may be.
const maxLabel = 255

// labels are those that a load balancer gets beside its own.
type labels map[string]string

// put sets a label, whose value must be short enough.
func (l labels) put(key, value, parameter string) error {
	if len(value) > maxLabel {
		return service.Refuse(simcloud.Invalid, "ValidationError", "%s has %d bytes in simcloud: must have at most %d", parameter, len(value), maxLabel)
	}
	l[key] = value
	return nil
}

// putJSON sets a label to a value as JSON.
func (l labels) putJSON(key string, value any, parameter string) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return l.put(key, string(text), parameter)
}

// with returns the labels of a load balancer with others in their place. Of those that the dialect keeps for itself an
// empty one is removed.
func (l labels) with(have map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, have)
	maps.Copy(all, l)
	maps.DeleteFunc(all, func(key, value string) bool { return value == "" && strings.HasPrefix(key, service.Reserved) })
	return all
}

// subnetsOf are the subnets of a load balancer, by their ids.
func subnetsOf(lb simcloud.LoadBalancer) []string { return strings.Fields(lb.Labels[labelSubnets]) }
