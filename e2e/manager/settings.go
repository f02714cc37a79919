package manager

import (
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// ReadsCloudConfig reports whether the command reads the cloud config that the
// harness writes. One that does not cannot be told anything by Settings.Config.
func (c *CCM) ReadsCloudConfig() bool {
	return c.subject.has(phFlags) || c.subject.has(phCloudConfig)
}

// Configure sets what the CCM gets at the next starts, until Reset. It answers
// Invalid for a config that the CCM would not read, and for flags that have
// no such placeholder.
func (c *CCM) Configure(s control.Settings) error {
	if c.leader != nil {
		return c.leader.Configure(s)
	}
	if len(s.Config) > 0 && !c.ReadsCloudConfig() {
		return simcloud.InvalidFields("ccm", []simcloud.FieldError{{
			Field: "ccm.config", Detail: c.subject.Name + " does not read " + phCloudConfig + ", so that nothing can be set there",
		}})
	}
	if err := checkPlaceholders(s.Flags, c.subject.ConfigFiles); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settings = control.Settings{Config: maps.Clone(s.Config), Flags: slices.Clone(s.Flags), Proxied: s.Proxied}
	return nil
}

// configured are the settings of the next start.
func (c *CCM) configured() control.Settings {
	if c.leader != nil {
		return c.leader.configured()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings
}
