package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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
	size, err := tx.putEvent(tx.bucket(eventBucket), e)
	if err != nil {
		return err
	}
	if err := eventBytes.Set(tx, eventBytes.Last(tx)+size); err != nil {
		return err
	}
	return tx.forgetEvents()
}

// putEvent writes an event, tells of it, and returns its size.
func (tx *Tx) putEvent(bucket bucket, e simcloud.Event) (size uint64, err error) {
	e = tx.caused(e)
	if err := tx.stamp.set(e.Time); err != nil {
		return 0, err
	}
	room := appendEventAt(make([]byte, sumBytes, sumBytes+256+len(e.Object)), tx.stamp.text, e)
	key, raw := orderedKey(e.Revision), room[sumBytes:]
	bucket.FillPercent = 1 // events come in order and never change
	tx.remember(bucket.Bucket, key)
	if err := bucket.Bucket.Put(key, bucket.sealInPlace(key, room)); err != nil {
		return 0, err
	}
	tx.tell(e, raw)
	return eventSize(key, raw), nil
}

// forgetEvents forgets the oldest events that no longer fit.
func (tx *Tx) forgetEvents() error {
	bucket, size := tx.bucket(eventBucket), eventBytes.Last(tx)
	if tx.oldest == 0 {
		if first, _ := bucket.Cursor().First(); first != nil {
			tx.oldest = order(first)
		}
	}
	last, before, cursor := tx.Revision(), size, bucket.Cursor()
	// Revisions have no gaps, so that the next one need not be looked for.
	for ; tx.oldest < last && tx.tooMany(last-tx.oldest+1, size); tx.oldest++ {
		key, raw := cursor.Seek(orderedKey(tx.oldest))
		if key == nil || order(key) != tx.oldest {
			continue
		}
		size -= min(size, eventSize(key, raw))
		tx.remember(bucket.Bucket, key)
		if err := cursor.Delete(); err != nil {
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

// stamp is a time and its text. The events of one call have one time.
type stamp struct {
	time time.Time
	text []byte
}

func (s *stamp) set(t time.Time) (err error) {
	if s.text == nil || s.time != t {
		s.time = t
		s.text, err = t.AppendText(nil)
	}
	return err
}

// encodeEvent returns json.Marshal of an event.
func encodeEvent(e simcloud.Event) ([]byte, error) {
	var at stamp
	if err := at.set(e.Time); err != nil {
		return nil, err
	}
	return appendEventAt(nil, at.text, e), nil
}

// appendEventAt appends json.Marshal of an event with the text of its time, without
// reading its object once more: a reset writes thousands at once.
func appendEventAt(raw, at []byte, e simcloud.Event) []byte {
	raw = strconv.AppendUint(append(raw, `{"revision":`...), e.Revision, 10)
	raw = append(append(append(raw, `,"time":"`...), at...), '"')
	raw = appendField(raw, `,"type":`, string(e.Type))
	raw = appendField(raw, `,"kind":`, string(e.Kind))
	raw = appendField(raw, `,"id":`, string(e.ID))
	if e.Project != "" {
		raw = appendField(raw, `,"project":`, string(e.Project))
	}
	if e.OperationID != "" {
		raw = appendField(raw, `,"operationID":`, string(e.OperationID))
	}
	if e.RequestID != "" {
		raw = appendField(raw, `,"requestID":`, e.RequestID)
	}
	return append(append(append(raw, `,"object":`...), e.Object...), '}')
}

// appendField appends a name and a string.
func appendField(raw []byte, name, value string) []byte {
	raw = append(raw, name...)
	if isEscaped(value) {
		quoted, _ := json.Marshal(value) // a string has JSON
		return append(raw, quoted...)
	}
	return append(append(append(raw, '"'), value...), '"')
}

// isEscaped reports whether encoding/json may write a text in another way.
func isEscaped(text string) bool {
	for _, c := range []byte(text) {
		if escaped[c] {
			return true
		}
	}
	return false
}

// escaped are the bytes of characters that encoding/json may write in another way.
var escaped = func() (bytes [256]bool) {
	for c := range bytes {
		bytes[c] = c < ' ' || c >= utf8.RuneSelf || strings.ContainsRune("\"\\<>&\x7f", rune(c))
	}
	return bytes
}()

var nullJSON = json.RawMessage("null")

// trimEvents forgets the events that a file with higher limits has left, and
// counts them again.
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
	encoded, _, err := tx.EncodedEvents(after, limit, func(*simcloud.EncodedEvent) bool { return true })
	var events []simcloud.Event
	for _, e := range encoded {
		events = append(events, e.Event)
	}
	return events, err
}

// EncodedEvents looks at no more events than limit, as Events does, and returns
// those that keep wants, and the revision of the last that it has looked at.
func (tx *Tx) EncodedEvents(
	after uint64, limit int, keep func(*simcloud.EncodedEvent) bool,
) (events []*simcloud.EncodedEvent, upTo uint64, err error) {
	cursor := tx.bucket(eventBucket).Cursor()
	first, _ := cursor.First()
	switch last := tx.Revision(); {
	case after > last:
		return nil, after, simcloud.Errorf(simcloud.Conflict, "", "revision %d is not of this cloud, which is at %d: list again", after, last)
	case after == last:
		return nil, after, nil
	case first == nil || order(first) > after+1:
		return nil, after, simcloud.Errorf(simcloud.Conflict, "", "the events after revision %d are no longer kept: list again", after)
	}
	upTo = after
	for key, raw := cursor.Seek(orderedKey(after + 1)); key != nil && upTo < after+uint64(limit); key, raw = cursor.Next() {
		upTo = order(key)
		e, err := decodeEvent(raw)
		if err != nil {
			return nil, upTo, err
		}
		if keep(&e) {
			e.JSON = bytes.Clone(raw)
			e.Object = objectOf(e.JSON, e.Object)
			events = append(events, &e)
		}
	}
	return events, upTo, nil
}

// objectMark is between the head of an encoded event and its object. No text in
// the head can look like it: JSON has a backslash before the quote within a text.
var objectMark = []byte(`,"object":`)

// decodeEvent reads an event without reading its object, which stays a part of raw.
func decodeEvent(raw []byte) (e simcloud.EncodedEvent, err error) {
	at := bytes.Index(raw, objectMark)
	if at < 0 {
		return e, fmt.Errorf("an event without an object: %.100q", raw)
	}
	head := append(raw[:at:at], '}')
	err = json.Unmarshal(head, &e.Event)
	e.Object = json.RawMessage(raw[at+len(objectMark) : len(raw)-1])
	return e, err
}

// objectOf returns the part of an encoded event that is its object, which is the last.
func objectOf(raw []byte, object json.RawMessage) json.RawMessage {
	return json.RawMessage(raw[len(raw)-1-len(object) : len(raw)-1])
}

// manyEvents appends events of one transaction, with a revision each. What
// every event alone would write and look for, the counters above all, is
// written and looked for once, by finish.
type manyEvents struct {
	tx     *Tx
	bucket bucket
	last   uint64 // revision
	size   uint64 // of what was appended
}

// manyEvents has room for about so many events.
func (tx *Tx) manyEvents(expected int) *manyEvents {
	if tx.publishes() {
		tx.events = slices.Grow(tx.events, min(expected, MostPublished-len(tx.events)))
	}
	return &manyEvents{tx: tx, bucket: tx.bucket(eventBucket), last: tx.Revision()}
}

// append gives the event the next revision and keeps it.
func (m *manyEvents) append(e simcloud.Event) error {
	m.last++
	e.Revision = m.last
	size, err := m.tx.putEvent(m.bucket, e)
	m.size += size
	return err
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
