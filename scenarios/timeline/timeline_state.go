package timeline

import (
	"encoding/json"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
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

// stateText is the JSON of an object as people read it; empty for none.
func stateText(object map[string]any) string {
	if object == nil {
		return ""
	}
	raw, err := json.MarshalIndent(shown(object), "", "  ")
	if err != nil {
		return ""
	}
	text := string(raw)
	if len(text) > mostState {
		text = strings.ToValidUTF8(text[:mostState], "") + "\n… (longer than a report shows)"
	}
	return text
}

// redacted stands for a text that may be a secret.
const redacted = "(redacted)"

// shown is a value without what the API server notes for itself, and without secrets.
func shown(value any) any {
	switch value := value.(type) {
	case map[string]any:
		clean := make(map[string]any, len(value))
		for key, v := range value {
			switch text, isText := v.(string); {
			case key == "managedFields":
			case isText && text != "" && secretKey(key):
				clean[key] = redacted
			default:
				clean[key] = shown(v)
			}
		}
		return clean
	case []any:
		clean := make([]any, len(value))
		for i, v := range value {
			clean[i] = shown(v)
		}
		return clean
	default:
		return value
	}
}

// secretKey reports whether a field of this name can hold a secret.
func secretKey(key string) bool {
	key = strings.ToLower(key)
	for _, word := range []string{"secret", "token", "password", "userdata"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}

// WithoutStates is a timeline that does not have what the objects were, which is most of its size.
func WithoutStates(all []scenarios.TimelineEntry) []scenarios.TimelineEntry {
	for i := range all {
		all[i].Object, all[i].Exchange = nil, nil
	}
	return all
}
