package run

import (
	"context"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// ccmOf makes a CCM of the harness one of scenarios.
type ccmOf struct{ *manager.CCM }

// Exits are the times that the CCM ended unasked, or panicked.
func (c ccmOf) Exits() []observe.Exit {
	var exits []observe.Exit
	for _, e := range c.CCM.Exits() {
		exits = append(exits, observe.Exit{Time: e.Time, Reason: e.Reason, Log: e.Log})
	}
	return exits
}

// secretsOf are what a CCM and its standby were given.
func secretsOf(c *manager.CCM) []observe.Secret {
	var all []observe.Secret
	for _, s := range c.Secrets() {
		all = append(all, observe.Secret(s))
	}
	return all
}

// Configure sets what the next starts begin with.
func (c ccmOf) Configure(s step.CCMSettings) error { return c.CCM.Configure(manager.Settings(s)) }

// KillAt lets a call to come kill the CCM.
func (c ccmOf) KillAt(ctx context.Context, p step.KillPoint) error {
	return c.CCM.KillAt(ctx, manager.KillPoint(p))
}
