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
	name, err := json.Marshal(project)
	if err != nil {
		return err
	}
	return tx.redact(append([]byte(`"project":`), name...), func(e *simcloud.Event) bool { return e.Project == project })
}

// redact removes from the kept events what those had that are wanted. It looks
// only at events with a text in their JSON.
func (tx *Tx) redact(text []byte, wanted func(*simcloud.Event) bool) error {
	found, err := tx.eventsThat(text, wanted)
	if err != nil || len(found) == 0 {
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

// eventsThat returns the kept events that are wanted, of those with a text in their JSON.
func (tx *Tx) eventsThat(text []byte, wanted func(*simcloud.Event) bool) (found []simcloud.Event, err error) {
	err = tx.bucket(eventBucket).ForEach(func(_, raw []byte) error {
		if !bytes.Contains(raw, text) {
			return nil // decoding all would take long
		}
		event, err := decodeEvent(raw)
		if err == nil && wanted(&event.Event) {
			event.Object = bytes.Clone(event.Object)
			found = append(found, event.Event)
		}
		return err
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
