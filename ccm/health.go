package ccm

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
)

// Reachable returns an error once the cloud has not answered for the
// healthGracePeriod of the config. No answer is also one that is not in the
// cloud's own words, or that refuses the token.
func (c *Cloud) Reachable() error { return c.health.Check() }

// recheckPeriod is how often a cloud that does not answer is asked, so that
// its return is noticed before the next call of a controller.
const recheckPeriod = 5 * time.Second

// watchHealth looks after the cloud each time that it ceases to answer, until it is back.
func (c *Cloud) watchHealth(stop <-chan struct{}) {
	ctx := wait.ContextForChannel(stop)
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.health.Failed:
			_ = wait.PollUntilContextCancel(ctx, recheckPeriod, false, c.recheck)
		}
	}
}

// recheck reports whether the cloud answers, and has said at least once whether
// the config fits it. Without a call of a controller that tells, it asks.
func (c *Cloud) recheck(ctx context.Context) (bool, error) {
	if c.checked.Load() && c.health.Answers() {
		return true, nil
	}
	err := config.Check(ctx, c.api, c.config)
	var mistake *config.Error
	switch {
	case call.Unreachable(err):
		klog.ErrorS(err, "The cloud still does not answer")
		return false, nil
	case errors.As(err, &mistake):
		klog.ErrorS(err, "The cloud answers again, and the cloud config does not fit it")
	case err != nil:
		klog.ErrorS(err, "The cloud answers, but not whether the cloud config fits it")
		return c.checked.Load(), nil
	default:
		klog.InfoS("The cloud answers again", "endpoint", c.config.Endpoint)
	}
	c.checked.Store(true)
	return true, nil
}
