package store

import (
	"bytes"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Change is what a write did to the place of one resource.
type Change struct {
	Kind simcloud.Kind
	// Sequence is the place, that of the resource in the order of creation.
	Sequence uint64
	// Project is whose the resource is, or was; empty for what all share.
	Project simcloud.ID
	// Before is what was there, in JSON; nil when nothing was.
	Before []byte
	// Time is when it happened, and Revision what the cloud was at until then.
	Time     time.Time
	Revision uint64
	// Commit is the number of the commit that it is part of. See [Tx.Commit].
	Commit uint64
}

// Recorder learns of all changes, in their order and from one goroutine.
type Recorder interface {
	// Record gets the changes of a commit before a reader can see them.
	Record([]Change)
	// Forget takes the changes of the last Record back: the commit has failed.
	Forget()
	// Renew says that a commit puts other resources in the place of all: the
	// changes so far are those of another cloud.
	Renew()
}

// SetRecorder has r learn of the changes to come. It must not be called while updates run.
func (db *DB) SetRecorder(r Recorder) { db.recorder = r }

// Commit returns the number of the commit that the transaction shows: it sees
// the changes with this number or a lower one, and no others.
func (tx *Tx) Commit() uint64 { return uint64(tx.bolt.ID()) }

// at says when the changes that follow happen.
func (tx *Tx) at(now time.Time) { tx.now, tx.since = now, tx.Revision() }

// note keeps what is at a place that is about to change, for a resource of that project.
func (tx *Tx) note(kind simcloud.Kind, project simcloud.ID, key, before []byte) {
	if tx.db.recorder == nil || tx.renewed {
		return
	}
	tx.changes = append(tx.changes, Change{
		Kind: kind, Sequence: order(key), Project: project, Before: bytes.Clone(before),
		Time: tx.now, Revision: tx.since, Commit: tx.Commit(),
	})
}

// record tells the recorder what is about to be committed, and returns what
// takes it back.
func (tx *Tx) record() (forget func()) {
	recorder := tx.db.recorder
	switch {
	case recorder == nil:
	case tx.renewed:
		recorder.Renew()
	case len(tx.changes) > 0:
		recorder.Record(tx.changes)
		return recorder.Forget
	}
	return func() {}
}
