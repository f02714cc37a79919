package core_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// closedFile returns the data file of a cloud that was there.
func closedFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cloud.db")
	cloud := openAt(t, path, store.Options{NoSync: true}, core.Config{})
	for n := range 20 {
		spec := simcloud.InstanceSpec{Name: fmt.Sprint("node-", n), Labels: map[string]string{"a": "b"}}
		must[instanceResult](t)(cloud.CreateInstance(t.Context(), spec))
	}
	if err := cloud.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkFile checks a file, which must stay as it is.
func checkFile(t *testing.T, path string) []error {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := core.CheckFile(t.Context(), path)
	if err != nil {
		t.Errorf("%s cannot be checked: %v", path, err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the check has changed the file (%v)", err)
	}
	return problems
}

func TestCheckFile(t *testing.T) {
	t.Parallel()
	if problems := checkFile(t, closedFile(t)); len(problems) > 0 {
		t.Errorf("a file in which nothing is wrong: %v", problems)
	}
}

// TestCheckFileLeftRunning: operations that were under way when a cloud was
// killed are not wrong, however late they are.
func TestCheckFileLeftRunning(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	cloud := openAt(t, path, store.Options{}, core.Config{Progression: simcloud.Progression{
		Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Hour),
	}})
	must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node"}))
	left := filepath.Join(t.TempDir(), "left.db")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if problems := checkFile(t, left); len(problems) > 0 {
		t.Errorf("a file that a kill has left: %v", problems)
	}
}

func TestCheckFileUnusable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	openAt(t, path, store.Options{NoSync: true}, core.Config{})
	if _, err := core.CheckFile(t.Context(), path); !errors.Is(err, store.ErrLocked) {
		t.Errorf("the file of a running cloud: %v", err)
	}
	if _, err := core.CheckFile(t.Context(), filepath.Join(t.TempDir(), "none.db")); simcloud.CodeOf(err) != simcloud.Unavailable {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestCheckFileOfFormerVersion: an old file is checked as it would be opened, and stays old.
func TestCheckFileOfFormerVersion(t *testing.T) {
	t.Parallel()
	packed, err := os.Open(filepath.Join("..", "store", "testdata", "v1.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close() //nolint:errcheck // it was only read
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cloud.db")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if problems := checkFile(t, path); len(problems) > 0 {
		t.Errorf("a file in which nothing is wrong: %v", problems)
	}
}

// TestCheckFileFinds breaks one thing in a file at a time.
func TestCheckFileFinds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bucket string
		change func(*bolt.Bucket) error
		want   string
	}{
		"IndexEntryLost": {"instance.index", removeFirst, "the index lacks"},
		"IndexEntryMore": {"instance.index", func(b *bolt.Bucket) error { return b.Put([]byte("n..12345678"), nil) }, "the index has"},
		"EventLost":      {"events", removeFirst, "the events have"},
		"DanglingZone":   {"instance", replaceFirst("zone-a", "zone-q"), "refers to zone/zone-q, which is not there"},
		"AddressTwice":   {"instance", sameAddress, "both have"},
		"CounterBehind":  {"counters", func(b *bolt.Bucket) error { return putSealed(b, "counters", []byte("instance"), []byte("3")) }, "beyond the counter"},
		"WrongSum": {"instance", func(b *bolt.Bucket) error {
			key, value := b.Cursor().First()
			return b.Put(key, bytes.Replace(value, []byte("zone-a"), []byte("zone-q"), 1))
		}, "has a wrong checksum"},
		"ProjectLost": {"project.names", removeFirst, "project"},
		"NotItsType":  {"instance", replaceFirst(`"created":"2`, `"created":"x`), "parsing time"},
		"NoJSON":      {"instance", replaceFirst("{", "["), "invalid character"},
		"EventNotIts": {"events", otherRevision, "event 1 has revision 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := closedFile(t)
			change(t, path, test.bucket, test.change)
			for _, problem := range checkFile(t, path) {
				if strings.Contains(problem.Error(), "\n") {
					t.Errorf("a problem of several lines: %q", problem)
				}
				if strings.Contains(problem.Error(), test.want) {
					return
				}
			}
			t.Errorf("no problem says %q: %v", test.want, checkFile(t, path))
		})
	}
}

// TestSinglesOfOtherTypes: a cloud's seed, time and configuration are refused
// when they are of another type, by opening the file and by checking it.
func TestSinglesOfOtherTypes(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		"seed":   {`"abc"`, `-1`, `18446744073709551616`, `null`},
		"time":   {`"noon"`, `17`, `{"mode":7}`, `{"mode":"manual","cloud":"2026"}`, `null`},
		"config": {`[]`, `{"progression":"slow"}`, `{"rates":{}}`, `{"idempotencyTTL":{}}`, `null`},
	} {
		for _, value := range values {
			t.Run(name+" "+value, func(t *testing.T) {
				t.Parallel()
				path := closedFile(t)
				change(t, path, "meta", func(b *bolt.Bucket) error { return putSealed(b, "meta", []byte(name), []byte(value)) })
				want := "the value of its " + name + " cannot be read"
				if db, err := store.Open(path, store.Options{NoSync: true}); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), want) {
					t.Errorf("opening says %v, want %q", err, want)
					if err == nil {
						_ = db.Close()
					}
				}
				if problems := checkFile(t, path); len(problems) != 1 || !strings.Contains(problems[0].Error(), want) {
					t.Errorf("the check says %v, want only %q", problems, want)
				}
			})
		}
	}
}

func change(t *testing.T, path, bucket string, fn func(*bolt.Bucket) error) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error { return fn(tx.Bucket([]byte(bucket))) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func removeFirst(b *bolt.Bucket) error {
	key, _ := b.Cursor().First()
	return b.Delete(key)
}

func replaceFirst(old, by string) func(*bolt.Bucket) error {
	return func(b *bolt.Bucket) error {
		key, value := b.Cursor().First()
		return putSealed(b, "instance", key, bytes.Replace(value[4:], []byte(old), []byte(by), 1))
	}
}

// putSealed puts a value behind its sum, as package store does.
func putSealed(b *bolt.Bucket, bucket string, key, value []byte) error {
	sum := crc32.Checksum(slices.Concat([]byte(bucket), key, value), crc32.MakeTable(crc32.Castagnoli))
	return b.Put(key, append(binary.BigEndian.AppendUint32(nil, sum), value...))
}

// otherRevision lets the first event be of another revision, with a right sum.
func otherRevision(b *bolt.Bucket) error {
	key, value := b.Cursor().First()
	return putSealed(b, "events", key, bytes.Replace(value[4:], []byte(`"revision":1,`), []byte(`"revision":2,`), 1))
}

// TestOpenLeavesEvents: what takes long and does no harm is left to the check of a file.
func TestOpenLeavesEvents(t *testing.T) {
	t.Parallel()
	path := closedFile(t)
	change(t, path, "events", otherRevision)
	openAt(t, path, store.Options{NoSync: true}, core.Config{})
}

// sameAddress gives the second instance the data of the first, but for its id.
func sameAddress(b *bolt.Bucket) error {
	cursor := b.Cursor()
	_, first := cursor.First()
	key, _ := cursor.Next()
	return putSealed(b, "instance", key, bytes.Replace(first[4:], []byte(`"i-1"`), []byte(`"i-2"`), 1))
}

// TestCheckFileDamaged: a page that is gone does not go unseen.
func TestCheckFileDamaged(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(closedFile(t))
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for name, spoil := range map[string]func([]byte) []byte{
		"Half":        func(raw []byte) []byte { return raw[:len(raw)/2/page*page] },
		"Overwritten": func(raw []byte) []byte { return append(raw[:2*page], bytes.Repeat([]byte{0xff}, len(raw)-2*page)...) },
		"Zeroed":      func(raw []byte) []byte { return append(raw[:2*page], make([]byte, len(raw)-2*page)...) },
		"NoHead":      func(raw []byte) []byte { return append(make([]byte, 2*page), raw[2*page:]...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "cloud.db")
			if err := os.WriteFile(path, spoil(bytes.Clone(whole)), 0o600); err != nil {
				t.Fatal(err)
			}
			if len(checkFile(t, path)) == 0 {
				t.Error("the check of the file finds no problem")
			}
		})
	}
}
