package store

import "github.com/simcloud-dev/simcloud/simcloud"

// manyEvents appends events of one transaction, with a revision each. What
// every event alone would write and look for, the counters above all, is
// written and looked for once, by finish.
type manyEvents struct {
	tx     *Tx
	bucket bucket
	last   uint64 // revision
	size   uint64 // of what was appended
}

func (tx *Tx) manyEvents() *manyEvents {
	return &manyEvents{tx: tx, bucket: tx.bucket(eventBucket), last: tx.Revision()}
}

// append gives the event the next revision and keeps it.
func (m *manyEvents) append(e simcloud.Event) error {
	m.last++
	e.Revision = m.last
	e = m.tx.caused(e)
	raw, err := encodeEvent(e)
	if err != nil {
		return err
	}
	m.tx.tell(e, raw)
	m.bucket.FillPercent = 1 // events come in order and never change
	key := orderedKey(m.last)
	m.size += eventSize(key, raw)
	return m.tx.put(m.bucket, key, raw)
}

// finish makes the events part of the file's history. Nothing else may have
// raised the revision since the first was appended.
func (m *manyEvents) finish() error {
	if m.size == 0 {
		return nil
	}
	if err := revision.Set(m.tx, m.last); err != nil {
		return err
	}
	if err := eventBytes.Set(m.tx, eventBytes.Last(m.tx)+m.size); err != nil {
		return err
	}
	return m.tx.forgetEvents()
}
