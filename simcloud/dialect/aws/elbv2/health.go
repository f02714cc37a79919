package elbv2

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeHealthRequest struct {
	ARN     string   `aws:"TargetGroupArn,required"`
	Targets []target `aws:"Targets"`
}

type healthDescriptions struct {
	Targets []healthDescription `aws:"TargetHealthDescriptions"`
}

// healthDescription is a target with its health. The CCM uses both without a look.
type healthDescription struct {
	Target    target `aws:"Target"`
	CheckPort string `aws:"HealthCheckPort"`
	Health    health `aws:"TargetHealth"`
}

type health struct {
	State       string `aws:"State"`
	Reason      string `aws:"Reason"`
	Description string `aws:"Description"`
}

// describeHealth shows the targets of a group, or those that the request names.
func describeHealth(c service.Call, in describeHealthRequest) (out healthDescriptions, err error) {
	g, err := groupOf(c, in.ARN)
	if err != nil {
		return out, err
	}
	serving, err := stateOfUse(c, g)
	if err != nil {
		return out, err
	}
	wanted := make([]simcloud.GroupTargetKey, len(in.Targets))
	for i, t := range in.Targets {
		wanted[i] = t.key(g)
		if err := t.check(g, wanted[i]); err != nil {
			return out, err
		}
		if !registered(g, wanted[i]) {
			out.Targets = append(out.Targets, shown(g, wanted[i], health{"unused", "Target.NotRegistered", "Target is not registered to the target group"}))
		}
	}
	for _, t := range g.Targets {
		key := t.At(g.Port)
		if len(wanted) > 0 && !slices.Contains(wanted, key) {
			continue
		}
		i, err := machineOf(c, t)
		if err != nil {
			return out, err
		}
		d := shown(g, key, healthOf(i, t, serving))
		d.Target.Zone = t.Options[optionZone]
		out.Targets = append(out.Targets, d)
	}
	return out, nil
}

// machineOf is the instance that is a target, the zero one if it does not exist. What is behind an address counts as running.
func machineOf(c service.Call, t simcloud.GroupTarget) (simcloud.Instance, error) {
	if t.Address != "" {
		return simcloud.Instance{State: simcloud.InstanceRunning}, nil
	}
	i, err := c.Cloud.GetInstance(c.Ctx(), t.Instance)
	if absent(err) {
		err = nil
	}
	return i, err
}

func shown(g simcloud.TargetGroup, at simcloud.GroupTargetKey, has health) healthDescription {
	d := healthDescription{Target: target{ID: cmp.Or(string(at.Instance), at.Address), Port: &at.Port}, CheckPort: checkOf(g).At, Health: has}
	if d.CheckPort == portOfTarget {
		d.CheckPort = strconv.Itoa(at.Port)
	}
	return d
}

// stateOfUse is the state of all targets of a group that no active load balancer uses; no state for one that is used.
func stateOfUse(c service.Call, g simcloud.TargetGroup) (health, error) {
	unused := health{"unused", "Target.NotInUse", "Target group is not configured to receive traffic from the load balancer"}
	if g.LoadBalancer == "" {
		return unused, nil
	}
	lb, err := c.Cloud.GetLoadBalancer(c.Ctx(), g.LoadBalancer)
	switch {
	case absent(err):
		return unused, nil
	case err == nil && lb.State == simcloud.LoadBalancerProvisioning:
		return health{"initial", "Elb.RegistrationInProgress", "Target registration is in progress"}, nil
	default:
		return health{}, err
	}
}

// healthOf is the health of a target by its instance, which is the zero one if it does not exist. The group is used unless the
// state of its use is one. A target that is draining has no reason: it is registered, and the only reason for that state
// is that it is being deregistered.
func healthOf(i simcloud.Instance, t simcloud.GroupTarget, use health) health {
	switch {
	case i.State == "":
		return health{"unused", "Target.InvalidState", "Target is in the terminated or invalid state"}
	case !up(i):
		return health{"unused", "Target.InvalidState", "Target is in the " + ec2.StateName(i.State) + " state"}
	case use.State != "":
		return use
	case t.Health == simcloud.TargetHealthy:
		return health{State: "healthy"}
	case t.Health == simcloud.TargetDraining:
		return health{State: "draining"}
	default:
		return health{"unhealthy", "Target.FailedHealthChecks", "Health checks failed"}
	}
}
