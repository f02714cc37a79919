package steptest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// CCM is a CCM that is always well and notes what it is told.
type CCM struct {
	Mu        sync.Mutex
	Runs      bool
	exits     []observe.Exit
	ReadsNo   bool // cloud config
	Log       string
	WasKilled bool
	token     int
	Page      string // what it answers besides
	Ended     func() // is called when it ends
	did       []string
	Err       error // of every verb
}

func (c *CCM) note(format string, args ...any) error {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.did = append(c.did, fmt.Sprintf(format, args...))
	return c.Err
}

func (c *CCM) run(running bool, what string) error {
	err := c.note("%s", what)
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if err == nil {
		c.Runs = running
	}
	if c.Ended != nil && !running {
		c.Ended()
	}
	return err
}

func (c *CCM) Said() string {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return strings.Join(c.did, ", ")
}

func (c *CCM) Start(context.Context) error   { return c.run(true, "start") }
func (c *CCM) Stop(context.Context) error    { return c.run(false, "stop") }
func (c *CCM) Kill(context.Context) error    { return c.run(false, "kill") }
func (c *CCM) Restart(context.Context) error { return c.run(true, "restart") }
func (c *CCM) Pause() error                  { return c.note("pause") }
func (c *CCM) Resume() error                 { return c.note("resume") }
func (c *CCM) LogTail(int) []string          { return []string{"I1121 all is well"} }
func (c *CCM) ReadsCloudConfig() bool        { return !c.ReadsNo }

func (c *CCM) Running() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Runs
}

func (c *CCM) Exits() []observe.Exit {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.exits
}

func (c *CCM) Configure(s step.CCMSettings) error {
	if s.Proxied {
		return c.note("configure proxied")
	}
	if len(s.Config)+len(s.Flags) == 0 {
		return nil
	}
	return c.note("configure %v %v", s.Config, s.Flags)
}

func (c *CCM) StartFailing(context.Context) (string, error) {
	return c.Log, c.note("start failing")
}

func (c *CCM) KillAt(_ context.Context, p step.KillPoint) error { return c.note("kill at %+v", p) }

func (c *CCM) Killed() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.WasKilled
}

func (c *CCM) Get(_ context.Context, path string) (int, []byte, error) {
	return 200, []byte("# of " + path + "\nup{a=\"b\"} 2\n" + c.Page), c.note("get %s", path)
}

func (c *CCM) TokenID() simcloud.ID {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return simcloud.ID(fmt.Sprintf("tok-%d", c.token+2))
}

func (c *CCM) RenewToken(context.Context) error {
	c.Mu.Lock()
	c.token++
	c.Mu.Unlock()
	return c.note("renewToken")
}

func (c *CCM) RevokeToken(context.Context) error { return c.note("revokeToken") }
