package store

import "time"

// Commit is what the file took in one commit.
type Commit struct {
	// Updates is how many updates shared it.
	Updates int
	// Took is how long they and the commit took, until they were on disk.
	Took time.Duration
	// Failed is whether nothing of it was kept.
	Failed bool
}

// observe tells of a commit that began then.
func (db *DB) observe(updates int, began time.Time, err error) {
	if db.opts.Observe != nil {
		db.opts.Observe(Commit{Updates: updates, Took: time.Since(began), Failed: err != nil})
	}
}
