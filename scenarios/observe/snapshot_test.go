package observe_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// TestOldSnapshotsStay: a snapshot does not change when the world does.
func TestOldSnapshotsStay(t *testing.T) {
	s := observe.NewStore("default")
	s.SetObject("nodes", "a", map[string]any{"metadata": map[string]any{"name": "a"}})
	before := s.Snapshot()
	s.SetObject("nodes", "b", map[string]any{"metadata": map[string]any{"name": "b"}})
	s.SetObject("nodes", "a", nil)
	s.Capture("x", 1)
	if len(before.Objects["nodes"]) != 1 || before.Objects["nodes"]["a"] == nil || len(before.Captured) != 0 {
		t.Errorf("the snapshot has changed: %v", before.Objects["nodes"])
	}
}
