package store

import "github.com/simcloud-dev/simcloud/simcloud"

// Publisher learns of events once they are on disk, in their order and from one goroutine.
type Publisher interface {
	// Watched reports whether anyone waits for events. Of a commit that begins
	// while no one does, the publisher gets none, and is renewed.
	Watched() bool
	// Publish gets the events of a commit. It may keep them.
	Publish([]simcloud.EncodedEvent)
	// Renew says that events up to a revision are new or have changed: they are in the store.
	Renew(revision uint64)
}

// SetPublisher has p learn of the events to come. It must not be called while updates run.
func (db *DB) SetPublisher(p Publisher) { db.publisher = p }

// MostPublished is how many events of one commit are kept for the publisher.
// Of more it learns that they are in the store.
const MostPublished = 4096

// tell keeps an event, with its JSON, for the publisher.
func (tx *Tx) tell(e simcloud.Event, raw []byte) {
	if !tx.publishes() {
		return
	}
	if len(tx.events) == MostPublished {
		tx.rewritten, tx.events = true, nil
		return
	}
	e.Object = objectOf(raw, e.Object)
	tx.events = append(tx.events, simcloud.EncodedEvent{Event: e, JSON: raw})
}

// publishes reports whether events are kept for the publisher.
func (tx *Tx) publishes() bool { return tx.db.publisher != nil && !tx.rewritten }

// publishing returns what tells the publisher of the transaction, to be called
// when that is on disk.
func (tx *Tx) publishing() func() {
	publisher, revision := tx.db.publisher, tx.Revision()
	switch {
	case publisher == nil:
	case tx.rewritten:
		return func() { publisher.Renew(revision) }
	case len(tx.events) > 0:
		return func() { publisher.Publish(tx.events) }
	}
	return func() {}
}
