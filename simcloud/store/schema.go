package store

import "fmt"

// Version is the version of the file's layout that this program writes.
const Version = 1 + len(migrations)

var schema = Value[int]{"schema"}

// A migration brings a file from one version to the next.
type migration func(*Tx) error

// migrations[i] leads from version i+1 to i+2. They are never changed once
// released: files of all former versions pass through them.
var migrations = [...]migration{
	toVersion2,
	toVersion3,
	toVersion4,
	nameVIPNetworks,
	makeBuckets, // for Documents
	makeBuckets, // for SecurityGroups
	makeBuckets, // for TargetGroups
	// For a new kind of resource: makeBuckets.
}

// create makes an empty file usable.
func create(tx *Tx) error {
	if err := makeBuckets(tx); err != nil {
		return err
	}
	return schema.Put(tx, Version)
}

// makeBuckets makes the buckets that are not there.
func makeBuckets(tx *Tx) error {
	for _, name := range bucketNames() {
		if _, err := tx.bolt.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// checkVersion returns the version, and refuses what is not a data file, or comes from a newer program.
func checkVersion(tx *Tx) (version int, err error) {
	if tx.bolt.Bucket([]byte(metaBucket)) == nil {
		return 0, fmt.Errorf("%w: it is not a data file of simcloud", ErrDamaged)
	}
	version, ok, err := schema.Get(tx)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: its version: %w", ErrDamaged, err)
	case !ok || version < 1:
		return 0, fmt.Errorf("%w: it has no version", ErrDamaged)
	case version > Version:
		return 0, fmt.Errorf("%w: it has version %d, this program writes %d", ErrNewer, version, Version)
	}
	return version, missingBucket(tx, version)
}

func missingBucket(tx *Tx, version int) error {
	if version < Version {
		return nil // a migration makes what is missing
	}
	for _, name := range bucketNames() {
		if tx.bolt.Bucket([]byte(name)) == nil {
			return fmt.Errorf("%w: it has no %s", ErrDamaged, name)
		}
	}
	return nil
}

// migrate runs the steps that lead from the file's version to the newest.
func migrate(tx *Tx, steps []migration) error {
	version, _, err := schema.Get(tx)
	if err != nil {
		return err
	}
	for ; version <= len(steps); version++ {
		tx.unsealed = version < sealedVersion
		if err := steps[version-1](tx); err != nil {
			return fmt.Errorf("migrate from version %d: %w", version, err)
		}
		if err := schema.Put(tx, version+1); err != nil {
			return err
		}
	}
	return nil
}
