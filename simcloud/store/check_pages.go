package store

import (
	"fmt"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
)

// checkPages checks what the file is made of.
func (tx *Tx) checkPages() (problems []error) {
	// bbolt's own check runs in a goroutine of its own, where what points out
	// of the file would end the program: that is looked for first.
	if err := tx.touch(); err != nil {
		return []error{err}
	}
	for err := range tx.bolt.Check() {
		problems = append(problems, err)
	}
	return problems
}

// touch reads every page, and looks for every key from its root.
func (tx *Tx) touch() (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	if err := tx.touchPages(); err != nil {
		return err
	}
	return tx.bolt.ForEach(func(name []byte, _ *bolt.Bucket) error {
		bucket := tx.bolt.Bucket(name)
		if bucket == nil {
			return fmt.Errorf("%w: the bucket %q cannot be found", ErrDamaged, name)
		}
		return bucket.ForEach(func(key, _ []byte) error {
			if bucket.Get(key) == nil {
				return fmt.Errorf("%w: %s/%q cannot be found", ErrDamaged, name, key)
			}
			return nil
		})
	})
}

// touchPages finds pages that say that they go on beyond the end of the file.
func (tx *Tx) touchPages() error {
	count := int(tx.bolt.Size()) / tx.bolt.DB().Info().PageSize
	for id := 0; id < count; id++ {
		info, err := tx.bolt.Page(id)
		if err != nil {
			return err
		}
		if info != nil && info.Type != "free" && (info.OverflowCount < 0 || id+info.OverflowCount >= count) {
			return fmt.Errorf("%w: page %d goes on for %d pages of %d", ErrDamaged, id, info.OverflowCount, count)
		}
		if info != nil && info.Type != "free" {
			id += info.OverflowCount // what follows is no page of its own
		}
	}
	return nil
}
