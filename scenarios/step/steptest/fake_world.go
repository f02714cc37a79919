package steptest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// Controls are the controls of a fake cluster. They note what they are told.
type Controls struct {
	CCM, Standby *CCM
	Control      *Control
	Pods         *Pods
	NoPackets    bool
}

// NewControls makes controls that have been told nothing.
func NewControls() Controls {
	return Controls{CCM: &CCM{}, Standby: &CCM{}, Control: &Control{}, Pods: &Pods{}}
}

// Control controls the machines, the API and the cloud of a fake cluster.
type Control struct {
	mu          sync.Mutex
	did         []string
	Err         error
	CannotDelay bool
	CannotLag   bool
	// Lags are what it was told, in order.
	Lags []control.Lag
	// Restarted is called when the cloud starts again.
	Restarted func()
}

func (c *Control) note(format string, args ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did = append(c.did, fmt.Sprintf(format, args...))
	return c.Err
}

// Said is what it was told, in order.
func (c *Control) Said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.did, ", ")
}

// Boot is noted.
func (c *Control) Boot(_ context.Context, spec control.Machine) error {
	return c.note("boot %+v", spec)
}

// Kill is noted.
func (c *Control) Kill(name string) error { return c.note("kill %s", name) }

// Freeze is noted.
func (c *Control) Freeze(name string) error { return c.note("freeze %s", name) }

// Thaw is noted.
func (c *Control) Thaw(name string) error { return c.note("thaw %s", name) }

// Partition is noted.
func (c *Control) Partition(name string) error { return c.note("partition %s", name) }

// Heal is noted.
func (c *Control) Heal(name string) error { return c.note("heal %s", name) }

// RestartAPIServer is noted.
func (c *Control) RestartAPIServer(context.Context) error {
	return c.note("restart the API server")
}

// Allow is noted.
func (c *Control) Allow(context.Context) error { return c.note("allow") }

// Forbid is noted.
func (c *Control) Forbid(_ context.Context, verbs, resources []string) error {
	return c.note("forbid %v of %v", verbs, resources)
}

// Delay is noted.
func (c *Control) Delay(_ context.Context, verbs, resources []string, by time.Duration) error {
	return c.note("delay %v of %v by %s", verbs, resources, by)
}

// Undelay is noted.
func (c *Control) Undelay(context.Context) error { return c.note("undelay") }

// CanDelay is true unless CannotDelay is.
func (c *Control) CanDelay() bool { return !c.CannotDelay }

// Lag is noted.
func (c *Control) Lag(_ context.Context, lag control.Lag) error {
	c.mu.Lock()
	c.Lags = append(c.Lags, lag)
	c.mu.Unlock()
	return c.note("%s %v for %s", lag.Kind, lag.Resources, lag.For)
}

// CatchUp is noted.
func (c *Control) CatchUp(context.Context) error { return c.note("catch up") }

// CanLag is true unless CannotLag is.
func (c *Control) CanLag() bool { return !c.CannotLag }

// Reseed is noted.
func (c *Control) Reseed(_ context.Context, seed uint64) error { return c.note("seed %d", seed) }

// RestartCloud is noted, after Restarted was called.
func (c *Control) RestartCloud(context.Context) error {
	if c.Restarted != nil {
		c.Restarted()
	}
	return c.note("restart the cloud")
}

// Pods answers commands one after the other as tests say; the last answer is that to all after it.
type Pods struct {
	mu      sync.Mutex
	Did     []string
	Answers []End
}

// End is how a command ends.
type End struct {
	step.PodResult
	Err error
}

// Exec notes the command and answers as a test has set.
func (p *Pods) Exec(_ context.Context, c step.PodCommand) (step.PodResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Did = append(p.Did, fmt.Sprintf("%+v", c))
	if len(p.Answers) == 0 {
		return step.PodResult{}, nil
	}
	end := p.Answers[0]
	if len(p.Answers) > 1 {
		p.Answers = p.Answers[1:]
	}
	return end.PodResult, end.Err
}
