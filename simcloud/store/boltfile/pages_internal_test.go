package boltfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// TestPages: damage of each part of a page is found, and nothing is looked for without an end.
func TestPages(t *testing.T) {
	t.Parallel()
	good, size := treeFile(t)
	branch, leaf := pageOfType(t, good, size, branchPage), pageOfType(t, good, size, leafPage)
	freelist := pageOfType(t, good, size, freelistPage)
	for name, c := range map[string]struct {
		at   int
		raw  []byte
		want string
	}{
		"Ring":         {branch + pageHeader + 8, native.AppendUint64(nil, uint64(branch/size)), "used twice"},
		"FarAway":      {branch + pageHeader + 8, native.AppendUint64(nil, 1<<40), "is not one of"},
		"WrongNumber":  {leaf, native.AppendUint64(nil, uint64(leaf/size)+1), "says that it is page"},
		"WrongType":    {leaf + 8, native.AppendUint16(nil, 0x20), "unknown type"},
		"TooMany":      {leaf + 10, native.AppendUint16(nil, 60000), "too many"},
		"OneMissing":   {leaf + 10, native.AppendUint16(nil, native.Uint16(good[leaf+10:])-1), "out of place"},
		"GoesOn":       {leaf + 12, native.AppendUint32(nil, 1<<30), "which goes on for"},
		"NoFreelist":   {freelist + 8, native.AppendUint16(nil, leafPage), "no freelist"},
		"EndlessFree":  {freelist + 10, native.AppendUint64(append(native.AppendUint16(nil, manyFree), 0, 0, 0, 0), 1<<40), "the freelist says"},
		"FreeAndUsed":  {freelist + pageHeader, native.AppendUint64(nil, uint64(leaf/size)), "used twice"},
		"FreeFarAway":  {freelist + pageHeader, native.AppendUint64(nil, 1<<50), "is not one of"},
		"FreeForgets":  {freelist + 10, native.AppendUint16(nil, native.Uint16(good[freelist+10:])-1), "neither used nor free"},
		"KeysDisorder": {leaf + pageHeader + 8, native.AppendUint32(nil, 0), "out of place"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := bytes.Clone(good)
			copy(bad[c.at:], c.raw)
			path := filepath.Join(t.TempDir(), "cloud.db")
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = file.Close() }() // it is only read
			if err := Check(file); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// treeFile returns a file with branches and a freelist, and the size of its pages.
func treeFile(t *testing.T) (file []byte, size int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tree.db")
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 300 {
		if err := db.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte("values"))
			if err != nil {
				return err
			}
			return b.Put(fmt.Appendf(nil, "key-%03d", n), bytes.Repeat([]byte{byte(n)}, 200))
		}); err != nil {
			t.Fatal(err)
		}
	}
	size = db.Info().PageSize
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = good.Close() }() // it is only read
	if err := Check(good); err != nil {
		t.Fatal(err)
	}
	file, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file, size
}

// pageOfType returns where a page of a type begins that is in use.
func pageOfType(t *testing.T, file []byte, size int, flags uint16) int {
	t.Helper()
	pages, _, err := newPages(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	free, err := pages.freeIDs()
	if err != nil {
		t.Fatal(err)
	}
	for id := uint64(2); id < pages.count; id++ {
		at := int(id) * size
		if !slices.Contains(free, id) && native.Uint64(file[at:]) == id && native.Uint16(file[at+8:]) == flags {
			return at
		}
	}
	t.Fatalf("no page is of type %#x", flags)
	return 0
}
