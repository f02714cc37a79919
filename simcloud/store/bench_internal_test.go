package store

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// BenchmarkRawBatch is what a durable create of an instance is measured
// against: bbolt's own Batch at 64 callers, writing as many keys with as many
// bytes as the cloud writes for one, and nothing else.
func BenchmarkRawBatch(b *testing.B) {
	db, err := bolt.Open(filepath.Join(b.TempDir(), "raw.db"), 0o600, &bolt.Options{
		FreelistType: bolt.FreelistMapType, InitialMmapSize: mapSize, NoStatistics: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the file is the benchmark's own
	writes := createWrites(b)
	if err := db.Update(func(tx *bolt.Tx) error {
		for _, w := range writes {
			if _, err := tx.CreateBucketIfNotExists([]byte(w.bucket)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	var next atomic.Uint64
	b.SetParallelism(32)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n := next.Add(1)
			if err := db.Batch(func(tx *bolt.Tx) error {
				for _, w := range writes {
					if err := tx.Bucket([]byte(w.bucket)).Put(w.keyOf(n), w.value); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				b.Error(err)
			}
		}
	})
}

// rawWrite is one key that a create writes; new tells keys that differ each time from counters.
type rawWrite struct {
	bucket string
	key    []byte
	value  []byte
	new    bool
}

func (w rawWrite) keyOf(n uint64) []byte {
	if !w.new {
		return w.key
	}
	return append(w.key[:len(w.key):len(w.key)], orderedKey(n)...)
}

// createWrites returns what core writes for an instance with two labels and
// two addresses: the instance, its operation, an event of each, and their indices.
func createWrites(b *testing.B) []rawWrite {
	b.Helper()
	db, err := Open(filepath.Join(b.TempDir(), "cloud.db"), Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the file is the benchmark's own
	var writes []rawWrite
	if err := db.bolt.Update(func(btx *bolt.Tx) error {
		tx := &Tx{bolt: btx, db: db}
		if err := writeLikeCreate(tx); err != nil {
			return err
		}
		return btx.ForEach(func(name []byte, bucket *bolt.Bucket) error {
			return bucket.ForEach(func(key, value []byte) error {
				counter := string(name) == counterBucket || string(name) == metaBucket
				w := rawWrite{bucket: string(name), key: append([]byte(nil), key...), value: append([]byte(nil), value...), new: !counter}
				if w.new {
					w.key = w.key[:max(0, len(key)-8)]
				}
				writes = append(writes, w)
				return nil
			})
		})
	}); err != nil {
		b.Fatal(err)
	}
	return writes
}

func writeLikeCreate(tx *Tx) error {
	now := time.Now().UTC()
	instance := simcloud.Instance{
		Meta: simcloud.Meta{Name: "node", Project: "default", Labels: map[string]string{
			"kubernetes.io/cluster": "bench", "role": "worker",
		}},
		State: simcloud.InstanceRunning, Type: "small", Region: "region-1", Zone: "zone-a", Network: "net-1", Hostname: "node",
		Addresses: []simcloud.Address{{Scope: "private", Address: "10.0.197.125"}, {Scope: "public", Address: "198.19.151.131"}},
	}
	instance.ID, _ = Instances.NewID(tx)
	if err := Instances.Insert(tx, now, &instance); err != nil {
		return err
	}
	op := simcloud.Operation{
		Meta: simcloud.Meta{Name: "CreateInstance", Project: "default"}, Verb: "CreateInstance",
		Resource: simcloud.Attachment{Kind: simcloud.KindInstance, ID: instance.ID},
		State:    simcloud.OperationDone, Progress: 100, Started: now, Finished: now,
	}
	op.ID, _ = Operations.NewID(tx)
	if err := Operations.Insert(tx, now, &op); err != nil {
		return err
	}
	for i, address := range instance.Addresses {
		record := AddressRecord{Owner: &Ref{simcloud.KindInstance, instance.ID}}
		if err := Addresses.Put(tx, Key("net-1/10.0.0.0/16", address.Address), record); err != nil {
			return err
		}
		if err := PoolCursor(string(address.Scope)).Set(tx, uint64(i)); err != nil {
			return err
		}
	}
	return Finished.Put(tx, Key(string(op.Project))+Ordered(1), op.ID)
}
