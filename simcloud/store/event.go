package store

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const eventBucket = "events"

// eventBytes is the size of all events that are kept.
var eventBytes = Counter{"event-bytes"}

func eventSize(key, raw []byte) uint64 { return uint64(len(key) + len(raw)) }

// Cause is what changes the cloud: an operation, the request that has called
// for it, both, or neither.
type Cause struct {
	Operation simcloud.ID
	Request   string
}

// Cause returns what causes the events that are appended now.
func (tx *Tx) Cause() Cause { return tx.cause }

// SetCause says what causes the events to come, until the end of the update.
func (tx *Tx) SetCause(c Cause) { tx.cause = c }

// caused returns the event with its cause.
func (tx *Tx) caused(e simcloud.Event) simcloud.Event {
	e.OperationID, e.RequestID = tx.cause.Operation, tx.cause.Request
	return e
}

// appendEvent keeps an event and forgets those that no longer fit.
func (tx *Tx) appendEvent(e simcloud.Event) error {
	e = tx.caused(e)
	raw, err := encodeEvent(e)
	if err != nil {
		return err
	}
	bucket, key := tx.bucket(eventBucket), orderedKey(e.Revision)
	bucket.FillPercent = 1 // events come in order and never change
	if err := tx.put(bucket, key, raw); err != nil {
		return err
	}
	if err := eventBytes.Set(tx, eventBytes.Last(tx)+eventSize(key, raw)); err != nil {
		return err
	}
	return tx.forgetEvents()
}

// forgetEvents forgets the oldest events that no longer fit.
func (tx *Tx) forgetEvents() error {
	bucket, size := tx.bucket(eventBucket), eventBytes.Last(tx)
	if tx.oldest == 0 {
		if first, _ := bucket.Cursor().First(); first != nil {
			tx.oldest = order(first)
		}
	}
	last, before := tx.Revision(), size
	// Revisions have no gaps, so that the next one need not be looked for.
	for ; tx.oldest < last && tx.tooMany(last-tx.oldest+1, size); tx.oldest++ {
		key := orderedKey(tx.oldest)
		size -= min(size, eventSize(key, bucket.Get(key)))
		if err := tx.remove(bucket, key); err != nil {
			return err
		}
	}
	if size == before {
		return nil
	}
	return eventBytes.Set(tx, size)
}

// tooMany reports whether so many events of that size are too many for the oldest to stay.
func (tx *Tx) tooMany(count, size uint64) bool {
	return count > uint64(tx.db.opts.EventLimit) || size > uint64(tx.db.opts.EventBytes)
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

// trimEvents forgets the events that a file with higher limits has left, and
// counts them anew.
func (tx *Tx) trimEvents() error {
	if err := eventBytes.Set(tx, tx.countEventBytes()); err != nil {
		return err
	}
	return tx.forgetEvents()
}

func (tx *Tx) countEventBytes() (size uint64) {
	forEach(tx.bucket(eventBucket), func(key, raw []byte) { size += eventSize(key, raw) })
	return size
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
