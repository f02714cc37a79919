package store

import (
	"bytes"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Deletion is what the event of a deletion says besides the resource.
type Deletion struct {
	Revision uint64
	Time     time.Time
	ID       simcloud.ID
	Project  simcloud.ID
}

// Renewal is the revision at which a reset or a snapshot last replaced all resources; 0 for never.
// The resources of events up to it were another cloud's, whose ids may return.
var Renewal = Counter{"renewal"}

// typeMark is before the type of an encoded event. What is before that is a number and a time.
var typeMark = []byte(`,"type":`)

// Deletions returns the deletions of a kind that are among the events after a revision, oldest first. It decodes no
// other events.
func (tx *Tx) Deletions(kind simcloud.Kind, after uint64) (found []Deletion, err error) {
	wanted := []byte(`"` + string(simcloud.Deleted) + `","kind":"` + string(kind) + `",`)
	cursor := tx.bucket(eventBucket).Cursor()
	for key, raw := cursor.Seek(orderedKey(after + 1)); key != nil; key, raw = cursor.Next() {
		_, typ, _ := bytes.Cut(raw, typeMark)
		if !bytes.HasPrefix(typ, wanted) {
			continue
		}
		e, err := decodeEvent(raw)
		if err != nil {
			return nil, err
		}
		found = append(found, Deletion{Revision: e.Revision, Time: e.Time, ID: e.ID, Project: e.Project})
	}
	return found, nil
}

// OldestEvent returns the revision of the oldest event that is kept; 0 when none is.
func (tx *Tx) OldestEvent() uint64 {
	first, _ := tx.bucket(eventBucket).Cursor().First()
	return order(first)
}

// Event returns the event of a revision; false when it is not kept.
func (tx *Tx) Event(revision uint64) (simcloud.Event, bool, error) {
	raw := tx.bucket(eventBucket).Get(orderedKey(revision))
	if raw == nil {
		return simcloud.Event{}, false, nil
	}
	e, err := decodeEvent(raw)
	e.Object = bytes.Clone(e.Object)
	return e.Event, true, err
}
