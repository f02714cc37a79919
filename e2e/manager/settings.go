package manager

import (
	"fmt"
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
// Invalid for a config that the CCM would not read, for flags that have
// no such placeholder, and for a binary that cannot be run.
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
	binary, err := c.otherBinary(s.Binary)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settings = control.Settings{Config: maps.Clone(s.Config), Flags: slices.Clone(s.Flags), Proxied: s.Proxied, Binary: binary}
	return nil
}

// otherBinary finds the program that is to run in place of the CCM's own; nil for its own. It answers Invalid when it does
// not exist, and for a CCM that is no program of this host.
func (c *CCM) otherBinary(named *string) (*string, error) {
	if named == nil || *named == "" {
		return nil, nil //nolint:nilnil // the CCM's own
	}
	invalid := func(detail string) error {
		return simcloud.InvalidFields("ccm", []simcloud.FieldError{{Field: "ccm.binary", Detail: detail}})
	}
	if _, is := c.launcher.(onHost); !is {
		return nil, invalid(fmt.Sprintf("%s is no program of this host, so that %q cannot run in its place", c.subject.Name, *named))
	}
	path, err := findCommand(*named)
	if err != nil {
		return nil, invalid(err.Error())
	}
	return &path, nil
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
