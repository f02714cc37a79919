package e2e

import (
	"context"
	"errors"
	"path/filepath"
)

// Standby is a second replica of the CCM, with the same settings, the same
// token and the same ServiceAccount, and with files of its own. Nobody starts it
// but who asks; together with the CCM it needs leader election, which the
// harness turns off unless the flags say otherwise.
func (c *Cluster) Standby() *CCM { return c.standby }

// makeCCMs makes both replicas, which do not run yet.
func (c *Cluster) makeCCMs(cfg Config) {
	token := &ccmToken{cluster: c, file: filepath.Join(c.Dir, "ccm", "token")}
	c.CCM = newCCM(c, "ccm", cfg.Subject, token)
	c.standby = newCCM(c, "ccm-standby", cfg.Subject, token)
	c.standby.leader = c.CCM
	c.CCM.launcher, c.standby.launcher = cfg.launcherFor(c.CCM), cfg.launcherFor(c.standby)
}

// stopCCMs stops both replicas, and takes back the orders to kill them.
func (c *Cluster) stopCCMs(ctx context.Context) error {
	return errors.Join(c.standby.Stop(ctx), c.CCM.Stop(ctx), c.standby.disarm(ctx), c.CCM.disarm(ctx))
}
