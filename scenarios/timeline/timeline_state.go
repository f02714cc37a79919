package timeline

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud/redact"
)

// mostState is how long the JSON of an object is at most, and mostStates that of all of a timeline together, in bytes.
const (
	mostState  = 8 << 10
	mostStates = 1 << 20
)

// stateLocked is what an object was after a change, and what it was before where no earlier moment has that; nil when the
// timeline has no room.
func (r *Recorder) stateLocked(name string, before, after map[string]any) *scenarios.ObjectState {
	s := &scenarios.ObjectState{Name: name, State: stateText(after)}
	if !r.stated[name] {
		s.Before = stateText(before)
	}
	if r.stateBytes += len(s.State) + len(s.Before); r.stateBytes > mostStates {
		return nil
	}
	r.stated[name] = true
	return s
}

// stateText is the JSON of an object as people read it, without its secrets; empty for none.
func stateText(object map[string]any) string {
	if object == nil {
		return ""
	}
	raw, err := json.MarshalIndent(withoutManagedFields(object), "", "  ")
	if err != nil {
		return ""
	}
	var secrets redact.Redactor
	text := secrets.Body(raw, false)
	if len(text) > mostState {
		text = strings.ToValidUTF8(text[:mostState], "") + "\n… (longer than a report shows)"
	}
	return text
}

// withoutManagedFields is an object of the cluster without what the API server notes for itself.
func withoutManagedFields(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	if metadata["managedFields"] == nil {
		return object
	}
	object, metadata = maps.Clone(object), maps.Clone(metadata)
	delete(metadata, "managedFields")
	object["metadata"] = metadata
	return object
}

// WithoutStates is a timeline that does not have what the objects were, which is most of its size.
func WithoutStates(all []scenarios.TimelineEntry) []scenarios.TimelineEntry {
	for i := range all {
		all[i].Object, all[i].Exchange = nil, nil
	}
	return all
}
