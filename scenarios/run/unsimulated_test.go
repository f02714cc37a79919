package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestUnsimulated: what simcloud lacks is counted by what was asked for, and neither other errors nor faults are.
func TestUnsimulated(t *testing.T) {
	t.Parallel()
	call := func(operation, name string, code simcloud.Code, fault simcloud.ID) any {
		return observe.CallValue(simcloud.JournalEntry{Operation: operation, Name: name, Code: code, Message: "not here", Fault: fault}, 0)
	}
	got := unsimulated([]any{
		call("Unknown", "openstack:octavia:ListFlavors", simcloud.Unimplemented, ""), call("Unknown", "openstack:octavia:ListFlavors", simcloud.Unimplemented, ""),
		call("GetDeletion", "GetDeletion", simcloud.Unimplemented, ""),
		call("GetInstance", "openstack:nova:GetServer", "", ""), call("GetInstance", "openstack:nova:GetServer", simcloud.NotFound, ""),
		call("GetInstance", "openstack:nova:GetServer", simcloud.Unimplemented, "fault-1"),
	})
	if diff := cmp.Diff(map[string]int{"openstack:octavia:ListFlavors: not here": 2, "GetDeletion: not here": 1}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if none := unsimulated([]any{call("GetInstance", "openstack:nova:GetServer", simcloud.NotFound, "")}); none != nil {
		t.Errorf("nothing is missing: %v", none)
	}
}
