package scenarios

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// fakeCCM is a CCM that is always well and notes what it is told.
type fakeCCM struct {
	mu      sync.Mutex
	running bool
	exits   []observe.Exit
	readsNo bool // cloud config
	log     string
	killed  bool
	token   int
	page    string // what it answers besides
	ended   func() // is called when it ends
	did     []string
	err     error // of every verb
}

func (c *fakeCCM) note(format string, args ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did = append(c.did, fmt.Sprintf(format, args...))
	return c.err
}

func (c *fakeCCM) run(running bool, what string) error {
	err := c.note("%s", what)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.running = running
	}
	if c.ended != nil && !running {
		c.ended()
	}
	return err
}

func (c *fakeCCM) said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.did, ", ")
}

func (c *fakeCCM) Start(context.Context) error   { return c.run(true, "start") }
func (c *fakeCCM) Stop(context.Context) error    { return c.run(false, "stop") }
func (c *fakeCCM) Kill(context.Context) error    { return c.run(false, "kill") }
func (c *fakeCCM) Restart(context.Context) error { return c.run(true, "restart") }
func (c *fakeCCM) Pause() error                  { return c.note("pause") }
func (c *fakeCCM) Resume() error                 { return c.note("resume") }
func (c *fakeCCM) LogTail(int) []string          { return []string{"I1121 all is well"} }
func (c *fakeCCM) ReadsCloudConfig() bool        { return !c.readsNo }

func (c *fakeCCM) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}

func (c *fakeCCM) Exits() []observe.Exit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exits
}

func (c *fakeCCM) Configure(s CCMSettings) error {
	if s.Proxied {
		return c.note("configure proxied")
	}
	if len(s.Config)+len(s.Flags) == 0 {
		return nil
	}
	return c.note("configure %v %v", s.Config, s.Flags)
}

func (c *fakeCCM) StartFailing(context.Context) (string, error) {
	return c.log, c.note("start failing")
}

func (c *fakeCCM) KillAt(_ context.Context, p KillPoint) error { return c.note("kill at %+v", p) }

func (c *fakeCCM) Killed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killed
}

func (c *fakeCCM) Get(_ context.Context, path string) (int, []byte, error) {
	return 200, []byte("# of " + path + "\nup{a=\"b\"} 2\n" + c.page), c.note("get %s", path)
}

func (c *fakeCCM) TokenID() simcloud.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return simcloud.ID(fmt.Sprintf("tok-%d", c.token+2))
}

func (c *fakeCCM) RenewToken(context.Context) error {
	c.mu.Lock()
	c.token++
	c.mu.Unlock()
	return c.note("renewToken")
}

func (c *fakeCCM) RevokeToken(context.Context) error { return c.note("revokeToken") }
