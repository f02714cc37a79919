package steptest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// CCM is a CCM that is always well and notes what it is told.
type CCM struct {
	Mu        sync.Mutex
	Runs      bool
	exits     []control.Exit
	ReadsNo   bool   // cloud config
	NoBinary  string // that could run in its place
	Silent    bool   // it logs nothing
	Log       string
	WasKilled bool
	token     int
	Page      string // what it answers besides
	Began     func() // is called when it starts
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
	switch {
	case running && c.Began != nil:
		c.Began()
	case !running && c.Ended != nil:
		c.Ended()
	}
	return err
}

// Said is what it was told, in order.
func (c *CCM) Said() string {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return strings.Join(c.did, ", ")
}

// Start is noted.
func (c *CCM) Start(context.Context) error { return c.run(true, "start") }

// Stop is noted.
func (c *CCM) Stop(context.Context) error { return c.run(false, "stop") }

// Kill is noted.
func (c *CCM) Kill(context.Context) error { return c.run(false, "kill") }

// Restart is noted.
func (c *CCM) Restart(context.Context) error { return c.run(true, "restart") }

// Pause is noted.
func (c *CCM) Pause() error { return c.note("pause") }

// Resume is noted.
func (c *CCM) Resume() error { return c.note("resume") }

// LogTail is always the same line, unless it is silent.
func (c *CCM) LogTail(int) []string {
	if c.Silent {
		return nil
	}
	return []string{"I1121 all good"}
}

// ReadsCloudConfig is true unless ReadsNo is.
func (c *CCM) ReadsCloudConfig() bool { return !c.ReadsNo }

// Running follows from what it was told last.
func (c *CCM) Running() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Runs
}

// Exits are those that a test has set.
func (c *CCM) Exits() []control.Exit {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.exits
}

// Configure is noted.
func (c *CCM) Configure(s control.Settings) error {
	if s.Proxied {
		return c.note("configure proxied")
	}
	if s.Binary != nil {
		if *s.Binary != "" && *s.Binary == c.NoBinary {
			return simcloud.InvalidFields("ccm", []simcloud.FieldError{{Field: "ccm.binary", Detail: "cannot run " + c.NoBinary}})
		}
		return c.note("configure %v %v as %q", s.Config, s.Flags, *s.Binary)
	}
	if len(s.Config)+len(s.Flags) == 0 {
		return nil
	}
	return c.note("configure %v %v", s.Config, s.Flags)
}

// StartFailing is noted.
func (c *CCM) StartFailing(context.Context) (string, error) {
	return c.Log, c.note("start failing")
}

// KillAt is noted.
func (c *CCM) KillAt(_ context.Context, p control.KillPoint) error { return c.note("kill at %+v", p) }

// Killed is what a test has set.
func (c *CCM) Killed() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.WasKilled
}

// Get is noted.
func (c *CCM) Get(_ context.Context, path string) (int, []byte, error) {
	return 200, []byte("# of " + path + "\nup{a=\"b\"} 2\n" + c.Page), c.note("get %s", path)
}

// TokenID is another one after each RenewToken.
func (c *CCM) TokenID() simcloud.ID {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return simcloud.ID(fmt.Sprintf("tok-%d", c.token+2))
}

// RenewToken is noted.
func (c *CCM) RenewToken(context.Context) error {
	c.Mu.Lock()
	c.token++
	c.Mu.Unlock()
	return c.note("renewToken")
}

// RevokeToken is noted.
func (c *CCM) RevokeToken(context.Context) error { return c.note("revokeToken") }
