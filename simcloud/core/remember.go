package core

import (
	"bytes"
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// maxRemembered is how many answers are kept, and defaultAnswerBytes how much memory they may take unless it is configured.
// One more, and all are forgotten: they are quickly made again.
const (
	maxRemembered      = 4096
	defaultAnswerBytes = 32 << 20
)

// memory has answers that hold as long as what was read for them is the same.
type memory struct {
	limit int // of bytes

	mu      sync.Mutex
	answers map[memoryKey]answer
	bytes   int
}

// memoryKey is whose answer it is, and to what.
type memoryKey struct {
	project simcloud.ID
	role    simcloud.Role
	key     string
}

// answer is one that is kept. Its value is a text or bytes, or is small.
type answer struct {
	value any
	reads []seen
	// config was in force: handlers may go by it.
	config *simcloud.Config
}

// seen is something that was read for an answer, and how it was.
type seen interface {
	// same reports whether it is still so.
	same(tx *store.Tx) bool
	// size is about how much memory it takes.
	size() int
}

// answerOverhead is what an answer takes without its texts, and seenOverhead what each read does.
const (
	answerOverhead = 256
	seenOverhead   = 96
)

// sizeOf is about how much memory an answer takes with its key, in bytes.
func (m memoryKey) sizeOf(a answer) int {
	n := answerOverhead + len(m.key)
	if v := reflect.ValueOf(a.value); v.Kind() == reflect.String || v.Kind() == reflect.Slice {
		n += v.Len()
	}
	for _, r := range a.reads {
		n += r.size()
	}
	return n
}

// resourceSeen has the JSON of one resource; nil when there was none.
type resourceSeen struct {
	bucket bucket
	id     simcloud.ID
	raw    []byte
}

func (r resourceSeen) same(tx *store.Tx) bool {
	raw := r.bucket.Raw(tx, r.id)
	return (raw == nil) == (r.raw == nil) && bytes.Equal(raw, r.raw)
}

func (r resourceSeen) size() int { return seenOverhead + len(r.id) + len(r.raw) }

// idsSeen has the ids of the resources that fit a query.
type idsSeen struct {
	bucket bucket
	query  store.Query
	ids    []simcloud.ID
}

func (r idsSeen) same(tx *store.Tx) bool { return slices.Equal(r.bucket.IDs(tx, r.query), r.ids) }

func (r idsSeen) size() int {
	const id = 16 + 16 // its header and its text
	return seenOverhead + id*len(r.ids)
}

// maxListSeen is how many resources a list may have to be remembered: to read more of them takes no
// longer than to look whether they have changed.
const maxListSeen = 16

// listSeen has the resources of a short list. Where it has not all that fit the query, as a page
// or a list by what no index has, it is never the same.
type listSeen struct {
	ids   idsSeen
	items []resourceSeen
}

func seeList[T any, P store.Resource[T]](tx *store.Tx, b store.Bucket[T, P], query store.Query, items []T) listSeen {
	s := listSeen{ids: idsSeen{bucket: b, query: query}}
	for i := range items {
		id := P(&items[i]).GetMeta().ID
		s.ids.ids = append(s.ids.ids, id)
		s.items = append(s.items, resourceSeen{b, id, bytes.Clone(b.Raw(tx, id))})
	}
	return s
}

func (l listSeen) same(tx *store.Tx) bool {
	return l.ids.same(tx) && !slices.ContainsFunc(l.items, func(r resourceSeen) bool { return !r.same(tx) })
}

func (l listSeen) size() int {
	n := l.ids.size()
	for _, item := range l.items {
		n += item.size()
	}
	return n
}

// reads are those of a View whose answer is to be remembered.
type reads struct {
	views int // how many reads there were
	noted []seen
}

// note adds a read of a View whose answer is to be remembered.
func (c *Cloud) note(ctx context.Context, what func(tx *store.Tx) seen) {
	if w, _ := c.wholeOf(ctx); w != nil && w.reads != nil {
		w.reads.noted = append(w.reads.noted, what(w.tx))
	}
}

// Remember answers what fn returns on one state of the cloud, as View runs it, or what it
// returned before when all that it has read is the same.
func (c *Cloud) Remember(ctx context.Context, key string, fn func(context.Context) (any, error)) (value any, err error) {
	plain := func(ctx context.Context) (err error) {
		value, err = fn(ctx)
		return err
	}
	w, err := c.wholeOf(ctx)
	if err != nil || w != nil || c.polls.any.Load() || c.lookingAt(ctx, staleGets) != (reading{}) || c.lookingAt(ctx, staleLists) != (reading{}) {
		err = c.View(ctx, plain)
		return value, err
	}
	w = &whole{reads: &reads{}}
	err = c.view(ctx, func(tx *store.Tx, caller simcloud.Caller) error {
		config, at := c.config.Load(), memoryKey{caller.Project, caller.Role, key}
		if kept, ok := c.memory.get(at); ok && kept.holds(tx, config) {
			value = kept.value
			return nil
		}
		w.tx = tx
		if err := w.run(ctx, c, plain); err != nil {
			return err
		}
		if w.reads.views == len(w.reads.noted) {
			c.memory.keep(at, answer{value, w.reads.noted, config})
		}
		return nil
	})
	if c.polls.any.Load() { // the reads may count, as some operation has begun to wait for reads meanwhile
		err = c.View(ctx, plain)
	}
	return value, err
}

func (a answer) holds(tx *store.Tx, config *simcloud.Config) bool {
	return a.config == config && !slices.ContainsFunc(a.reads, func(r seen) bool { return !r.same(tx) })
}

func (m *memory) get(at memoryKey) (answer, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, ok := m.answers[at]
	return kept, ok
}

func (m *memory) keep(at memoryKey, a answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	size, limit := at.sizeOf(a), cmp.Or(m.limit, defaultAnswerBytes)
	if before, known := m.answers[at]; known {
		m.bytes -= at.sizeOf(before)
		delete(m.answers, at)
	}
	if size > limit {
		return
	}
	if m.answers == nil || len(m.answers) >= maxRemembered || m.bytes+size > limit {
		m.answers, m.bytes = map[memoryKey]answer{}, 0
	}
	m.answers[at] = a
	m.bytes += size
}

// size is about how much memory all answers take, in bytes.
func (m *memory) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}
