package store

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const eventBucket = "events"

// appendEvent keeps an event and forgets the one that no longer fits.
func (tx *Tx) appendEvent(e simcloud.Event) error {
	raw, err := encodeEvent(e)
	if err != nil {
		return err
	}
	bucket := tx.bucket(eventBucket)
	bucket.FillPercent = 1 // events come in order and never change
	if err := tx.put(bucket, orderedKey(e.Revision), raw); err != nil {
		return err
	}
	// Revisions have no gaps, so the one to forget need not be looked for.
	if limit := uint64(tx.db.opts.EventLimit); e.Revision > limit {
		return tx.remove(bucket, orderedKey(e.Revision-limit))
	}
	return nil
}

// encodeEvent writes an event without reading its object once more.
func encodeEvent(e simcloud.Event) ([]byte, error) {
	object := e.Object
	e.Object = nullJSON
	head, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	head, ok := bytes.CutSuffix(head, nullTail)
	if !ok {
		return nil, fmt.Errorf("an event that ends in %q", head)
	}
	return append(append(head, object...), '}'), nil
}

var (
	nullJSON = json.RawMessage("null")
	nullTail = []byte("null}")
)

// trimEvents forgets the events that a file with a higher limit has left.
func (tx *Tx) trimEvents() error {
	cursor := tx.bucket(eventBucket).Cursor()
	for key, _ := cursor.First(); key != nil && tx.tooOld(key); key, _ = cursor.First() {
		if err := cursor.Delete(); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) tooOld(key []byte) bool {
	return order(key)+uint64(tx.db.opts.EventLimit) <= tx.Revision()
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
