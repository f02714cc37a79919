package store

import (
	"bytes"
	"encoding/json"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// RedactEvents removes from the kept events what a project that is gone had:
// a later project of its name must not read it. Each event keeps its revision,
// because revisions have no gaps. Those of the project itself and of its quotas
// stay readable for admins; each other one becomes a deletion without its
// project, its object and its cause.
func (tx *Tx) RedactEvents(project simcloud.ID) error {
	found, err := tx.eventsOf(project)
	if err != nil {
		return err
	}
	tx.rewritten = true
	bucket, size := tx.bucket(eventBucket), eventBytes.Last(tx)
	for _, event := range found {
		raw, err := encodeEvent(redacted(event))
		if err != nil {
			return err
		}
		key := orderedKey(event.Revision)
		size += eventSize(key, raw) - eventSize(key, bucket.Get(key))
		if err := tx.put(bucket, key, raw); err != nil {
			return err
		}
	}
	return eventBytes.Set(tx, size)
}

// eventsOf returns the kept events of a project.
func (tx *Tx) eventsOf(project simcloud.ID) (found []simcloud.Event, err error) {
	name, err := json.Marshal(project)
	if err != nil {
		return nil, err
	}
	mark := append([]byte(`"project":`), name...)
	err = tx.bucket(eventBucket).ForEach(func(_, raw []byte) error {
		if !bytes.Contains(raw, mark) {
			return nil // decoding all would take long
		}
		var event simcloud.Event
		if err := json.Unmarshal(raw, &event); err != nil {
			return err
		}
		if event.Project == project {
			found = append(found, event)
		}
		return nil
	})
	return found, err
}

// redacted is what remains of an event of a project that is gone.
func redacted(e simcloud.Event) simcloud.Event {
	switch e.Kind {
	case simcloud.KindProject, simcloud.KindQuota, simcloud.KindToken:
		e.Project = ""
		return e
	default:
		return simcloud.Event{Revision: e.Revision, Time: e.Time, Type: simcloud.Deleted, Kind: e.Kind, ID: e.ID, Object: nullJSON}
	}
}

// Redacted reports whether an event is one that RedactEvents has left without its object.
func Redacted(e *simcloud.Event) bool { return e.Object == nil || bytes.Equal(e.Object, nullJSON) }
