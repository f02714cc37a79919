package manager

import (
	"context"
	"errors"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// killOrder is a kill that was ordered.
type killOrder struct {
	cancel context.CancelFunc // ends the waiting for the call
	done   chan struct{}      // closed when the waiting has ended; nil when nothing is ordered
	fired  bool
}

// errKilledAtCall ends a start during which the CCM was to be killed.
var errKilledAtCall = errors.New("killed at a call, as ordered")

// killHold is how long an answer is held, which is of no matter: whoever waits for it is dead at once.
const killHold = simcloud.Duration(time.Hour)

// killRule names the fault rule that holds the call.
func (c *CCM) killRule() string { return c.name + "-kill" }

// KillAt orders the CCM to be killed (SIGKILL) at a call of its own, and returns at
// once. It happens once, and the CCM stays dead until it is started. An order that has not
// been carried out is replaced. It is done by a fault rule, so it works with any
// CCM, and is gone when all rules are cleared or the cloud restarts. The standby
// calls with the same token: whichever of the two makes the call, the one whose method this is gets killed.
func (c *CCM) KillAt(ctx context.Context, p control.KillPoint) error {
	if p.Call < 0 {
		return simcloud.InvalidFields("ccm", []simcloud.FieldError{{Field: "call", Detail: "is below 1, which is the first call"}})
	}
	if err := c.forgetKill(ctx); err != nil {
		return err
	}
	rule, err := c.deps.Cloud.Admin.AddFault(ctx, ruleAt(p, c.killRule(), c.TokenID()))
	if err != nil {
		return err
	}
	waiting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	c.mu.Lock()
	c.kill = killOrder{cancel: cancel, done: done}
	c.mu.Unlock()
	go func() {
		defer close(done)
		if c.deps.Cloud.Sim().Faults().AwaitCaught(waiting, rule.ID) == nil {
			c.killNow(waiting)
		}
	}()
	return nil
}

// ruleAt is the fault rule that holds the call: before the operation, or before the answer.
func ruleAt(p control.KillPoint, name string, token simcloud.ID) fault.Rule {
	effect := fault.Effect{Hang: &fault.Hang{}}
	if p.After {
		effect = fault.Effect{Delay: &fault.Delay{Duration: killHold}}
	}
	return fault.Rule{
		Name:   name,
		Match:  fault.Match{Operation: p.Operation, Caller: string(token)},
		When:   fault.When{Skip: uint64(max(1, p.Call) - 1), Times: 1},
		Effect: effect,
	}
}

// killNow kills the CCM while the cloud holds its call.
func (c *CCM) killNow(ctx context.Context) {
	c.mu.Lock()
	giveUp := c.giveUp
	c.mu.Unlock()
	if giveUp != nil {
		giveUp(errKilledAtCall)
	}
	if err := c.Kill(ctx); err != nil {
		c.deps.Log.Error("the cloud controller manager was not killed as ordered", "error", err)
		return
	}
	c.mu.Lock()
	c.kill.fired = true
	c.mu.Unlock()
}

// Killed reports whether the latest order of KillAt has been carried out: the CCM is dead then.
func (c *CCM) Killed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kill.fired
}

// Disarm takes back the order of KillAt and returns when nothing comes of it any
// more: whether it was carried out before that, so that the CCM is dead, or never will be.
func (c *CCM) Disarm(ctx context.Context) (killed bool, err error) {
	c.mu.Lock()
	order := c.kill
	c.mu.Unlock()
	if order.done == nil {
		return false, nil
	}
	// The rule goes first: a call that it held after the waiting has ended would be held for ever.
	err = c.deps.Cloud.Admin.DeleteFault(ctx, simcloud.ID(c.killRule()))
	order.cancel()
	<-order.done
	if errors.Is(err, simcloud.NotFound) {
		err = nil
	}
	return c.Killed(), err
}

// forgetKill takes back the order to kill, and forgets it.
func (c *CCM) forgetKill(ctx context.Context) error {
	_, err := c.Disarm(ctx)
	c.mu.Lock()
	c.kill = killOrder{}
	c.mu.Unlock()
	return err
}
