package core

import "github.com/simcloud-dev/simcloud/simcloud"

func (i *inspection) sshKeys() {
	type fingerprint struct {
		project simcloud.ID
		text    string
	}
	seen := map[fingerprint]simcloud.ID{}
	for _, key := range i.state.SSHKeys {
		known := fingerprint{key.Project, key.Fingerprint}
		if other := seen[known]; other != "" {
			i.fail("%s and %s are the same key", other, key.ID)
		}
		seen[known] = key.ID
	}
	for _, instance := range i.state.Instances {
		for _, id := range instance.SSHKeys {
			i.refers(simcloud.KindInstance, instance.Meta, simcloud.KindSSHKey, id)
		}
	}
}
