package store

import (
	"errors"
	"fmt"
	"os"

	"github.com/simcloud-dev/simcloud/simcloud/store/boltfile"
)

// errChecked takes back a transaction that has changed nothing.
var errChecked = errors.New("checked")

// Check reads the whole file and reports everything that does not agree with
// the rest: pages, indices with data, events with revisions, counters with ids.
// There are no writes meanwhile.
func (db *DB) Check() error {
	var found error
	check := func(tx *Tx) error {
		if found = errors.Join(append(tx.checkPages(), tx.Check())...); found == nil {
			found = db.verify(checks{events: true})
		}
		return errChecked
	}
	run := db.UpdateAlone
	if db.opts.ReadOnly {
		run = db.View
	}
	if err := run(check); !errors.Is(err, errChecked) {
		return err
	}
	return found
}

// Check is DB.Check as of the transaction, without the pages.
func (tx *Tx) Check() error {
	var problems []error
	for _, k := range kinds() {
		problems = append(problems, k.check(tx)...)
	}
	for _, s := range singles() {
		problems = append(problems, s.verify(tx))
	}
	problems = append(problems, tx.checkSecrets()...)
	return errors.Join(append(problems, tx.checkUsage(), tx.checkEvents())...)
}

// checkEvents finds gaps: each revision is one event.
func (tx *Tx) checkEvents() error {
	var last uint64
	var err error
	forEach(tx.bucket(eventBucket), func(key, _ []byte) {
		if last != 0 && order(key) != last+1 && err == nil {
			err = fmt.Errorf("event %d follows event %d", order(key), last)
		}
		last = order(key)
	})
	if last != tx.Revision() {
		err = errors.Join(err, fmt.Errorf("the last event is %d at revision %d", last, tx.Revision()))
	}
	if kept, size := eventBytes.Last(tx), tx.countEventBytes(); kept != size {
		err = errors.Join(err, fmt.Errorf("the events have %d bytes, the file says %d", size, kept))
	}
	return err
}

// check compares the index with what the resources say.
func (b Bucket[T, P]) check(tx *Tx) []error {
	all, err := b.All(tx)
	if err != nil {
		return []error{err}
	}
	var problems []error
	fail := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s: "+format, append([]any{b.kind}, args...)...))
	}
	wanted := map[string]bool{}
	for i := range all {
		meta := P(&all[i]).GetMeta()
		key, raw := b.raw(tx, meta.ID)
		if raw == nil {
			fail("%s cannot be found by its id", meta.ID)
			continue
		}
		if meta.Version > tx.Revision() {
			fail("%s has version %d at revision %d", meta.ID, meta.Version, tx.Revision())
		}
		if order(key) > b.counter().Last(tx) {
			fail("%s is beyond the counter %d", meta.ID, b.counter().Last(tx))
		}
		for _, e := range b.entries(&all[i]) {
			wanted[string(e)+string(key)] = true
		}
	}
	forEach(b.index(tx), func(key, _ []byte) {
		if !wanted[string(key)] {
			fail("the index has %q, the data has not", key)
		}
		delete(wanted, string(key))
	})
	for key := range wanted {
		fail("the index lacks %q", key)
	}
	return problems
}

// checkPages checks what the file is made of, and asks bbolt too.
func (tx *Tx) checkPages() []error {
	if err := checkPages(tx.db.file); err != nil {
		return []error{err} // bbolt's check would run for ever, or panic in a goroutine of its own
	}
	var problems []error
	for err := range tx.bolt.Check() {
		problems = append(problems, damaged(err))
	}
	return problems
}

// checkPages checks the structure of a file. It marks what is wrong with it as
// damage, unless the disk cannot be read.
func checkPages(file *os.File) error {
	err := boltfile.Check(file)
	if err == nil || errors.As(err, new(*os.PathError)) {
		return err
	}
	return damaged(err)
}
