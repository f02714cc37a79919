package store

// sealedVersion is the version from which on values have sums.
const sealedVersion = 3

// toVersion3 gives each value its sum.
func toVersion3(tx *Tx) error {
	if err := makeBuckets(tx); err != nil {
		return err
	}
	tx.unsealed = false
	for _, name := range bucketNames() {
		if b := tx.bucket(name); !b.plain {
			if err := sealAll(b); err != nil {
				return err
			}
		}
	}
	return nil
}

func sealAll(b bucket) error {
	type entry struct{ key, value []byte }
	var all []entry // bbolt does not let a bucket change under ForEach
	if err := b.Bucket.ForEach(func(key, value []byte) error {
		all = append(all, entry{key, value})
		return nil
	}); err != nil {
		return err
	}
	for _, e := range all {
		if err := b.Put(e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}
