package ec2

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// aboutState: an action of the states of instances is about the first that it names.
func aboutState(core string) func(query.Form) (string, simcloud.ID) {
	return func(f query.Form) (string, simcloud.ID) { return core, instanceNamed(f.Text("InstanceId.1")) }
}

// namedInstances are the instances that a request names by their ids.
func namedInstances(c service.Call) (ids []simcloud.ID) {
	for _, id := range service.Texts(c.Form, "InstanceId.") {
		if named := instanceNamed(id); named != "" {
			ids = append(ids, named)
		}
	}
	return ids
}

type instancesRequest struct {
	IDs []string `aws:"InstanceId,required"`
}

type stopRequest struct {
	instancesRequest
	// Force stops an instance without its consent, which none has here.
	Force *bool `aws:"Force"`
}

type stateChanges struct {
	Changes []stateChange `aws:"instancesSet"`
}

// stateChange is how an action has changed the state of an instance.
type stateChange struct {
	ID       string        `aws:"instanceId"`
	Current  instanceState `aws:"currentState"`
	Previous instanceState `aws:"previousState"`
}

func startInstances(c service.Call, in instancesRequest) (stateChanges, *simcloud.Meta, error) {
	return shift(c, in.IDs, "started", func(i simcloud.Instance) (simcloud.InstanceState, error) {
		switch i.State {
		case simcloud.InstancePending:
			return i.State, nil
		case simcloud.InstanceStopping, simcloud.InstanceTerminating, gone:
			return "", errWrongState
		default:
			changed, err := c.Cloud.StartInstance(c.Ctx(), i.ID)
			return changed.Resource.State, err
		}
	})
}

func stopInstances(c service.Call, in stopRequest) (stateChanges, *simcloud.Meta, error) {
	return shift(c, in.IDs, "stopped", func(i simcloud.Instance) (simcloud.InstanceState, error) {
		switch i.State {
		case simcloud.InstanceStopping:
			return i.State, nil
		case simcloud.InstancePending, simcloud.InstanceTerminating, gone:
			return "", errWrongState
		default:
			changed, err := c.Cloud.StopInstance(c.Ctx(), i.ID)
			return changed.Resource.State, err
		}
	})
}

// terminateInstances ends instances. One that has ended stays so.
func terminateInstances(c service.Call, in instancesRequest) (stateChanges, *simcloud.Meta, error) {
	return shift(c, in.IDs, "terminated", func(i simcloud.Instance) (simcloud.InstanceState, error) {
		if i.State == simcloud.InstanceTerminating || i.State == gone {
			return i.State, nil
		}
		if _, err := c.Cloud.DeleteInstance(c.Ctx(), i.ID); err != nil {
			return "", err
		}
		now, err := c.Cloud.GetInstance(c.Ctx(), i.ID)
		if simcloud.CodeOf(err) == simcloud.NotFound {
			return gone, nil
		}
		return now.State, err
	})
}

func rebootInstances(c service.Call, in instancesRequest) (out returned, first *simcloud.Meta, err error) {
	_, first, err = shift(c, in.IDs, "rebooted", func(i simcloud.Instance) (simcloud.InstanceState, error) {
		if stateOf(i.State) != running {
			return "", errWrongState
		}
		changed, err := c.Cloud.RebootInstance(c.Ctx(), i.ID)
		return changed.Resource.State, err
	})
	return returned{err == nil}, first, err
}

// errWrongState is the error for an instance whose state does not allow what is asked for.
var errWrongState = simcloud.Errorf(simcloud.Conflict, string(simcloud.KindInstance), "the state of the instance does not allow it")

// shift changes the states of instances: of all of them, or of none. Those that are gone are asked too.
func shift(
	c service.Call, ids []string, what string, change func(simcloud.Instance) (simcloud.InstanceState, error),
) (out stateChanges, first *simcloud.Meta, err error) {
	found, err := describeInstancesRequest{IDs: ids}.instances(c)
	if err != nil {
		return out, nil, err
	}
	slices.SortFunc(found, func(a, b simcloud.Instance) int { return service.Order(string(a.ID), string(b.ID)) })
	for _, i := range found {
		state, err := change(i)
		switch code := simcloud.CodeOf(err); {
		case code == simcloud.Conflict, code == simcloud.Locked:
			return out, nil, service.Refuse(code, "IncorrectInstanceState", "The instance '%s' is not in a state from which it can be %s: it is %s",
				i.ID, what, stateOf(i.State).Name)
		case code == simcloud.Protected:
			return out, nil, service.Refuse(code, "OperationNotPermitted",
				"The instance '%s' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.", i.ID)
		case err != nil:
			return out, nil, err
		}
		out.Changes = append(out.Changes, stateChange{string(i.ID), stateOf(state), stateOf(i.State)})
		if first == nil {
			first = &i.Meta
		}
	}
	return out, first, nil
}
