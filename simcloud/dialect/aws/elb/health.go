package elb

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeHealthRequest struct {
	Name      string     `aws:"LoadBalancerName,required"`
	Instances []instance `aws:"Instances"`
}

type instanceStates struct {
	States []instanceState `aws:"InstanceStates"`
}

// instanceState is whether an instance gets traffic, and why not.
type instanceState struct {
	ID          string `aws:"InstanceId"`
	State       string `aws:"State"`
	Reason      string `aws:"ReasonCode"`
	Description string `aws:"Description"`
}

// describeHealth shows the instances that are registered, or those of them that the request names.
func describeHealth(c service.Call, in describeHealthRequest) (out instanceStates, err error) {
	lb, err := find(c, in.Name)
	if err != nil {
		return out, err
	}
	if len(in.Instances) == 0 {
		in.Instances = instancesOf(lb)
	}
	for _, asked := range in.Instances {
		i := slices.IndexFunc(lb.Targets, func(t simcloud.Target) bool { return string(t.Instance) == asked.ID })
		if i < 0 {
			return out, service.Refuse(simcloud.Invalid, "InvalidInstance", "Could not find EC2 instance %.40s among those of load balancer %s.", asked.ID, lb.Name)
		}
		out.States = append(out.States, stateOf(lb.Targets[i]))
	}
	return out, nil
}

func stateOf(t simcloud.Target) instanceState {
	if t.Health == simcloud.TargetHealthy {
		return instanceState{string(t.Instance), "InService", "N/A", "N/A"}
	}
	return instanceState{string(t.Instance), "OutOfService", "Instance", "The instance does not run, or has failed its health checks."}
}
