package manager

import (
	"context"
	"errors"
	"path/filepath"
)

// New makes a CCM and its standby, which do not run yet.
func New(d Deps, spec CCMSpec, place Place) *CCM {
	token := &ccmToken{cloud: d.Cloud, file: filepath.Join(d.Dir, "ccm", "token")}
	api := newKubeAPI(d.Kube.Config)
	c := newCCM(d, "ccm", spec, token)
	c.standby = newCCM(d, "ccm-standby", spec, token)
	c.standby.leader = c
	for _, replica := range []*CCM{c, c.standby} {
		replica.api, replica.launcher = api, place.launcher(replica)
	}
	return c
}

// Standby is a second replica of the CCM, with the same settings, the same
// token and the same ServiceAccount, and with files of its own. It runs only when it
// is started; together with the CCM it needs leader election, which the
// harness turns off unless the flags say otherwise.
func (c *CCM) Standby() *CCM { return c.standby }

// StopAll stops the CCM and its standby, and takes back the orders to kill them.
func (c *CCM) StopAll(ctx context.Context) error {
	return errors.Join(c.standby.Stop(ctx), c.Stop(ctx), c.standby.forgetKill(ctx), c.forgetKill(ctx))
}

// Close stops all that runs for the CCM and its standby.
func (c *CCM) Close(ctx context.Context) error {
	return errors.Join(c.StopAll(ctx), c.api.close())
}
