// Package compute specifies where instances run, and what they have: regions,
// zones, instance types, instances, volumes and SSH keys.
package compute

import "github.com/simcloud-dev/simcloud/simcloud/simtest/suite"

// Test runs the subtests of this room.
func Test(s suite.Runner) {
	for _, part := range []func(suite.Runner){
		testRegions, testZones, testZoneUpdate, testZoneCapacity, testZoneStates, testInstanceTypes,
		testInstances, testHostnames, testInstanceRefusals, testInstanceUpdate, testInstanceStates, testInstanceDeletion,
		testInstanceVerbs, testInstanceAddresses, testVolumes, testVolumeAttachment, testSSHKeys,
	} {
		part(s)
	}
}
