package ec2

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// gone is the state of an instance that the cloud no longer has. No instance of the cloud has it.
const gone simcloud.InstanceState = "terminated"

// shownGone is how long an instance is shown once it is gone.
const shownGone = simcloud.Duration(time.Hour)

// variantHidden is the answer to [simcloud.VariantAWSTerminated] that instances which are gone are not shown.
const variantHidden = "hidden"

// goneInstances are the instances that have gone a while ago: of these ids, or all, the last gone first. They have what EC2 still
// knows of one: no address, no network, no group and no name but their tags.
func goneInstances(c service.Call, ids ...string) ([]simcloud.Instance, error) {
	if chosen, err := c.Variant(simcloud.VariantAWSTerminated); err != nil || chosen == variantHidden {
		return nil, err
	}
	wanted := make([]simcloud.ID, len(ids))
	for i, id := range ids {
		wanted[i] = simcloud.ID(id)
	}
	events, err := dialect.Deletions(c.Ctx(), c.Cloud, simcloud.KindInstance, shownGone, wanted...)
	if err != nil {
		return nil, err
	}
	found := make([]simcloud.Instance, 0, len(events))
	for _, e := range slices.Backward(events) {
		var was simcloud.Instance
		if err := json.Unmarshal(e.Object, &was); err != nil {
			return nil, err
		}
		if !c.Shows(was.Zone) {
			continue
		}
		now := simcloud.Instance{Meta: was.Meta, State: gone, Type: was.Type, Region: was.Region, Zone: was.Zone}
		now.Updated = e.Time
		found = append(found, now)
	}
	return found, nil
}

// leaveOutGone reports whether filters leave out all that is gone, by its state, so that it need not be looked for.
func leaveOutGone(filters []service.Filter) bool {
	mayFit := func(value string) bool { return value == terminated.Name || strings.ContainsAny(value, `*?\`) }
	return slices.ContainsFunc(filters, func(f service.Filter) bool {
		return f.Name == "instance-state-name" && !slices.ContainsFunc(f.Values, mayFit)
	})
}

// inNetwork returns an instance for an action that is about its place in a network. One that is gone has none.
func inNetwork(c service.Call, id string) (simcloud.Instance, error) {
	found, missing, err := lookUp(c, []string{id})
	if err != nil {
		return simcloud.Instance{}, err
	}
	if len(missing) == 0 {
		return found[0], nil
	}
	was, err := goneInstances(c, id)
	switch {
	case err != nil:
		return simcloud.Instance{}, err
	case len(was) > 0:
		return was[0], service.Refuse(simcloud.Conflict, "InvalidInstanceID", "The terminated instance '%s' is not in a valid state for this operation", id)
	default:
		return simcloud.Instance{}, noInstances(missing)
	}
}
