package core_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// clients is how many callers create at once.
const clients = 64

var benchSpec = simcloud.InstanceSpec{
	Name: "node", Labels: map[string]string{"kubernetes.io/cluster": "bench", "role": "worker"},
}

// BenchmarkCreateInstanceDurable is a create at 64 callers, on disk when it
// returns. Its measure is the raw bbolt Batch of the same bytes in package store.
func BenchmarkCreateInstanceDurable(b *testing.B) {
	cloud := openAt(b, filepath.Join(b.TempDir(), "cloud.db"), store.Options{}, core.Config{})
	b.SetParallelism(clients / 2)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := cloud.CreateInstance(b.Context(), benchSpec); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkGetInstance is a read by id, with the writing of its JSON.
func BenchmarkGetInstance(b *testing.B) {
	cloud := open(b, core.Config{})
	id := must[instanceResult](b)(cloud.CreateInstance(b.Context(), benchSpec)).Resource.ID
	b.Run("Get", func(b *testing.B) {
		for b.Loop() {
			if _, err := cloud.GetInstance(b.Context(), id); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("GetAndMarshal", func(b *testing.B) {
		for b.Loop() {
			instance, err := cloud.GetInstance(b.Context(), id)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := json.Marshal(instance); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// fill makes n instances, of which each tenth has the label page=one.
func fill(b *testing.B, cloud *core.Cloud, n int) {
	b.Helper()
	var next atomic.Int64
	b.SetParallelism(clients / 2)
	network := must[simcloud.Result[simcloud.Network]](b)(
		cloud.CreateNetwork(b.Context(), simcloud.NetworkSpec{Name: "big", CIDRs: []string{"10.0.0.0/8"}})).Resource.ID
	done := make(chan error, clients)
	for range clients {
		go func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				spec := benchSpec
				spec.Network, spec.NoPublicAddress = network, true
				spec.Labels = map[string]string{"page": []string{"one", "other"}[min(1, i%10)], "n": fmt.Sprint(i)}
				if _, err := cloud.CreateInstance(b.Context(), spec); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range clients {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkListPage is a page of 50 by a label that a tenth has: what it costs
// should not depend on how many there are.
func BenchmarkListPage(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		cloud := open(b, core.Config{})
		fill(b, cloud, n)
		for name, opts := range map[string]simcloud.ListOptions{
			"ByLabel":      {Selector: "page=one", PageSize: 50},
			"ByRareLabel":  {Selector: "page=one,n=500", PageSize: 50},
			"ByLabelState": {Selector: "page in (one,none)", State: "running", PageSize: 50},
			"ByName":       {Name: "unknown", PageSize: 50},
			"All":          {PageSize: 50},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := cloud.ListInstances(b.Context(), opts); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkMemory makes 100,000 instances and states what the process then
// holds in memory, what was there before left out, and on disk.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		before := heap()
		path := filepath.Join(b.TempDir(), "cloud.db")
		cloud := openAt(b, path, store.Options{NoSync: true}, core.Config{})
		fill(b, cloud, 100_000)
		after := heap()
		file, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(after-before)/1e6, "MB/heap")
		b.ReportMetric(float64(file.Size())/1e6, "MB/file")
		if _, err := cloud.GetInstance(b.Context(), "i-100000"); err != nil { // it was in use until here
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens the file of 100,000 instances, which checks all of it.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "cloud.db")
	made := must[*store.DB](b)(store.Open(path, store.Options{NoSync: true}))
	cloud := must[*core.Cloud](b)(core.Open(core.Config{DB: made}))
	fill(b, cloud, 100_000)
	if err := cloud.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		db, err := store.Open(path, store.Options{NoSync: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// heap is how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what the first one has released
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// BenchmarkReset is a reset of 1,000 objects.
func BenchmarkReset(b *testing.B) {
	cloud := openAt(b, filepath.Join(b.TempDir(), "cloud.db"), store.Options{}, core.Config{})
	for b.Loop() {
		b.StopTimer()
		fill(b, cloud, 1_000)
		b.StartTimer()
		if err := cloud.Reset(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
