package store

import (
	"encoding/json"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const eventBucket = "events"

// appendEvent keeps an event and forgets the one that no longer fits.
func (tx *Tx) appendEvent(e simcloud.Event) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	bucket := tx.bucket(eventBucket)
	if err := tx.put(bucket, orderedKey(e.Revision), raw); err != nil {
		return err
	}
	limit := uint64(tx.db.opts.EventLimit)
	for key, _ := bucket.Cursor().First(); key != nil && order(key)+limit <= e.Revision; key, _ = bucket.Cursor().First() {
		if err := tx.remove(bucket, orderedKey(order(key))); err != nil {
			return err
		}
	}
	return nil
}

// Events returns at most limit events after a revision, in their order. It
// answers Conflict when events after that revision are no longer kept, or when
// the file has not come to that revision.
func (tx *Tx) Events(after uint64, limit int) ([]simcloud.Event, error) {
	cursor := tx.bucket(eventBucket).Cursor()
	first, _ := cursor.First()
	switch last := tx.Revision(); {
	case after > last:
		return nil, simcloud.Errorf(simcloud.Conflict, "", "revision %d is not of this cloud, which is at %d: list again", after, last)
	case after == last:
		return nil, nil
	case first == nil || order(first) > after+1:
		return nil, simcloud.Errorf(simcloud.Conflict, "", "the events after revision %d are no longer kept: list again", after)
	}
	var events []simcloud.Event
	for key, raw := cursor.Seek(orderedKey(after + 1)); key != nil && len(events) < limit; key, raw = cursor.Next() {
		var e simcloud.Event
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}
