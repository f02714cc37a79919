// Package compute specifies where instances run, and what they have: regions,
// zones, instance types, instances, volumes and SSH keys.
package simtest

// testCompute runs the subtests of this room.
func testCompute(s suite) {
	for _, part := range []func(suite){
		testRegions, testZones, testZoneUpdate, testZoneCapacity, testZoneStates, testInstanceTypes,
		testInstances, testInstanceRefusals, testInstanceUpdate, testInstanceStates, testInstanceDeletion,
		testInstanceVerbs, testInstanceAddresses, testVolumes, testVolumeAttachment, testSSHKeys,
	} {
		part(s)
	}
}
