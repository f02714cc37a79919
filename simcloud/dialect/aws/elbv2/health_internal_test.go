package elbv2

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestHealthOf: what AWS says of a target follows from its instance, the use of its group, and what the cloud knows.
func TestHealthOf(t *testing.T) {
	t.Parallel()
	unused, initial := health{State: "unused", Reason: "Target.NotInUse"}, health{State: "initial", Reason: "Elb.RegistrationInProgress"}
	for _, test := range []struct {
		instance      simcloud.InstanceState
		health        simcloud.TargetHealth
		use           health
		state, reason string
	}{
		{simcloud.InstanceRunning, simcloud.TargetHealthy, health{}, "healthy", ""},
		{simcloud.InstanceRunning, simcloud.TargetUnhealthy, health{}, "unhealthy", "Target.FailedHealthChecks"},
		{simcloud.InstanceRunning, simcloud.TargetDraining, health{}, "draining", ""},
		{simcloud.InstanceRebooting, simcloud.TargetUnhealthy, health{}, "unhealthy", "Target.FailedHealthChecks"},
		{simcloud.InstanceRunning, simcloud.TargetHealthy, unused, "unused", "Target.NotInUse"},
		{simcloud.InstanceRunning, simcloud.TargetHealthy, initial, "initial", "Elb.RegistrationInProgress"},
		{simcloud.InstancePending, simcloud.TargetUnhealthy, health{}, "unused", "Target.InvalidState"},
		{simcloud.InstanceStopped, simcloud.TargetUnhealthy, unused, "unused", "Target.InvalidState"},
		{simcloud.InstanceTerminating, simcloud.TargetUnhealthy, health{}, "unused", "Target.InvalidState"},
		{"", simcloud.TargetUnhealthy, health{}, "unused", "Target.InvalidState"},
	} {
		got := healthOf(simcloud.Instance{State: test.instance}, simcloud.GroupTarget{Health: test.health}, test.use)
		if got.State != test.state || got.Reason != test.reason {
			t.Errorf("%+v: got %+v", test, got)
		}
	}
}
