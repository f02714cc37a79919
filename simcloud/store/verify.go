package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// verification checks a whole file when it is opened: that each value has its
// sum and is of its type (events: see checks), that indices have what the resources say, and events
// no gap. What it finds wrong makes the file a damaged one.
type verification struct {
	// steps need nothing of each other, and last all of them.
	steps, last []func(*Tx) error
	checks      checks
	// projects are those that resources may be of.
	projects map[simcloud.ID]bool
}

// checks are what a verification may leave out.
type checks struct {
	// projects: whether resources have their projects. Tx.Check leaves it to
	// the rules of the cloud, whose words say more.
	projects bool
	// events: whether the JSON of each event is an event. Opening leaves it to
	// the sums: events are most of a file, and a cloud may never need them.
	events bool
}

// verifyChunk is how many resources or events one step reads.
const verifyChunk = 8192

func newVerification(tx *Tx, wanted checks) (*verification, error) {
	v := &verification{checks: wanted}
	if wanted.projects {
		v.projects = map[simcloud.ID]bool{}
		forEach(Projects.names(tx), func(name, _ []byte) { v.projects[simcloud.ID(name)] = true })
	}
	for _, k := range kinds() {
		k.verify(tx, v)
	}
	for _, t := range append(tables(), Table[any]{metaBucket}, Table[uint64]{counterBucket}) {
		v.steps = append(v.steps, t.verify)
	}
	for _, s := range singles() {
		v.steps = append(v.steps, s.verify)
	}
	v.events(tx)
	return v, tx.damage
}

// verify checks the file, whose pages are valid, while there are no writes.
func (db *DB) verify(wanted checks) error {
	var v *verification
	if err := db.bolt.View(func(btx *bolt.Tx) (err error) {
		v, err = newVerification(db.tx(btx), wanted)
		return err
	}); err != nil {
		return err
	}
	if err := db.sideBySide(v.steps); err != nil {
		return err
	}
	return db.sideBySide(v.last)
}

// verify is DB.verify within a transaction that writes.
func (tx *Tx) verify() error {
	v, err := newVerification(tx, checks{projects: true, events: true})
	if err != nil {
		return err
	}
	for _, step := range append(v.steps, v.last...) {
		if err := step(tx); err != nil {
			return err
		}
	}
	return nil
}

// sideBySide runs the steps in transactions of their own, as many at a time as
// there are processors, and returns the error of the first that fails.
func (db *DB) sideBySide(steps []func(*Tx) error) error {
	errs := make([]error, len(steps))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(steps)) {
		workers.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(steps)); n = next.Add(1) - 1 {
				errs[n] = guarded(func() error {
					return db.bolt.View(func(btx *bolt.Tx) error { return db.tx(btx).whole(steps[n]) })
				})
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// between calls fn for the keys of a bucket from one on to before another; nil
// is the first, or the end.
func (b bucket) between(from, to []byte, fn func(key, value []byte) error) error {
	cursor := b.Cursor()
	key, value := cursor.Seek(from)
	for ; key != nil && (to == nil || string(key) < string(to)); key, value = cursor.Next() {
		if b.tx.damage != nil {
			return b.tx.damage
		}
		if err := fn(key, value); err != nil {
			return err
		}
	}
	return b.tx.damage
}

// chunks calls fn for parts that together are all of a bucket whose keys are numbers.
func (b bucket) chunks(fn func(from, to []byte)) {
	raw := b.Bucket.Cursor()
	for from, _ := raw.First(); from != nil; {
		to, _ := raw.Seek(orderedKey(order(from) + verifyChunk))
		if bytes.Compare(to, from) <= 0 {
			to = nil // keys that are no numbers: the rest is one part
		}
		fn(bytes.Clone(from), bytes.Clone(to))
		from = to
	}
}

// digest tells sets of keys apart, in whatever order their keys are added.
type digest struct {
	mu         sync.Mutex
	count, sum uint64
}

var digestSeed = maphash.MakeSeed()

func (d *digest) add(key []byte) {
	d.count++
	d.sum += maphash.Bytes(digestSeed, key)
}

// join adds the keys of another digest.
func (d *digest) join(other *digest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count += other.count
	d.sum += other.sum
}

func (b Bucket[T, P]) verify(tx *Tx, v *verification) {
	var wanted, found digest // what the index must have, and has
	b.data(tx).chunks(func(from, to []byte) {
		v.steps = append(v.steps, func(tx *Tx) error { return b.verifyData(tx, v, from, to, &wanted) })
	})
	letters := []byte{byKey, byLabel, byName, byProject, byRef, byState}
	for n := range letters {
		var from, to []byte
		if n > 0 {
			from = letters[n : n+1]
		}
		if n+1 < len(letters) {
			to = letters[n+1 : n+2]
		}
		v.steps = append(v.steps, func(tx *Tx) error {
			var part digest
			defer found.join(&part)
			return b.index(tx).between(from, to, func(key, _ []byte) error {
				part.add(key)
				return nil
			})
		})
	}
	v.last = append(v.last, func(tx *Tx) error {
		if wanted.count != found.count || wanted.sum != found.sum {
			return b.problem(tx)
		}
		return b.verifyNames(tx)
	})
}

// problem says what is wrong with a bucket, of which something is.
func (b Bucket[T, P]) problem(tx *Tx) error {
	problems := b.check(tx)
	if len(problems) == 0 {
		return fmt.Errorf("%w: %s: the index and the data differ", ErrDamaged, b.kind)
	}
	return damaged(problems[0])
}

func (b Bucket[T, P]) verifyData(tx *Tx, v *verification, from, to []byte, index *digest) error {
	var entries digest
	defer index.join(&entries)
	var buffer []byte
	last, revision := b.counter().Last(tx), tx.Revision()
	return b.data(tx).between(from, to, func(key, raw []byte) error {
		item, err := b.decode(raw)
		if err != nil {
			return damaged(err)
		}
		meta := P(&item).GetMeta()
		switch {
		case len(key) != 8 || string(b.key(tx, meta.ID)) != string(key):
			return fmt.Errorf("%w: %s: %s cannot be found by its id", ErrDamaged, b.kind, meta.ID)
		case meta.Version > revision:
			return fmt.Errorf("%w: %s: %s has version %d at revision %d", ErrDamaged, b.kind, meta.ID, meta.Version, revision)
		case order(key) > last:
			return fmt.Errorf("%w: %s: %s is beyond the counter %d", ErrDamaged, b.kind, meta.ID, last)
		case v.checks.projects && b.needsProject(meta) && !v.projects[meta.Project]:
			return fmt.Errorf("%w: %s is of project %q, which is not there", ErrDamaged, simcloud.Ref(b.kind, meta.ID), meta.Project)
		}
		for _, entry := range b.entries(&item) {
			buffer = append(append(buffer[:0], entry...), key...)
			entries.add(buffer)
		}
		return nil
	})
}

// needsProject reports whether a resource has a project that must be there:
// tokens and operations may outlive theirs.
func (b Bucket[T, P]) needsProject(meta *simcloud.Meta) bool {
	return meta.Project != "" && b.kind != simcloud.KindToken && b.kind != simcloud.KindOperation
}

// verifyNames checks that there are no more names than resources, each of which has one.
func (b Bucket[T, P]) verifyNames(tx *Tx) error {
	if b.prefix != "" {
		return nil
	}
	names, resources := 0, 0
	forEach(b.names(tx), func(_, _ []byte) { names++ })
	forEach(b.data(tx), func(_, _ []byte) { resources++ })
	if names != resources {
		return fmt.Errorf("%w: %s: %d names for %d resources", ErrDamaged, b.kind, names, resources)
	}
	return nil
}

// verify checks that each value is one of its type.
func (t Table[T]) verify(tx *Tx) error {
	return tx.bucket(t.name).between(nil, nil, func(key, raw []byte) error {
		if _, err := t.decode(key, raw); err != nil {
			return damaged(err)
		}
		return nil
	})
}

// events checks that there is an event of each revision from the first that is
// kept, and that they have the size that is counted.
func (v *verification) events(tx *Tx) {
	var count, size atomic.Uint64
	tx.bucket(eventBucket).chunks(func(from, to []byte) {
		v.steps = append(v.steps, func(tx *Tx) error {
			return tx.bucket(eventBucket).between(from, to, func(key, raw []byte) error {
				count.Add(1)
				size.Add(eventSize(key, raw))
				if !v.checks.events {
					return nil
				}
				return verifyEvent(key, raw)
			})
		})
	})
	v.last = append(v.last, func(tx *Tx) error {
		raw := tx.bucket(eventBucket).Bucket.Cursor()
		first, _ := raw.First()
		last, _ := raw.Last()
		switch has := count.Load(); {
		case order(last) != tx.Revision():
			return fmt.Errorf("%w: the last event is %d at revision %d", ErrDamaged, order(last), tx.Revision())
		case has > 0 && has != order(last)-order(first)+1:
			return fmt.Errorf("%w: there are %d events from %d to %d", ErrDamaged, has, order(first), order(last))
		}
		if kept := eventBytes.Last(tx); kept != 0 && kept != size.Load() { // 0: see trim
			return fmt.Errorf("%w: the events have %d bytes, the file says %d", ErrDamaged, size.Load(), kept)
		}
		return nil
	})
}

// verifyEvent checks that an event is one, of its own revision.
func verifyEvent(key, raw []byte) error {
	var event simcloud.Event
	if err := json.Unmarshal(raw, &event); err != nil {
		return fmt.Errorf("%w: event %d: %w", ErrDamaged, order(key), err)
	}
	if event.Revision != order(key) || len(key) != 8 {
		return fmt.Errorf("%w: event %d has revision %d", ErrDamaged, order(key), event.Revision)
	}
	return nil
}
