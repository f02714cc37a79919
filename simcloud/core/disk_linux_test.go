package core_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// smallDisk returns the folder of a file system with little room, or skips the test.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("simcloud-test", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fillDisk creates instances until the disk is full, and returns those that were acknowledged.
func fillDisk(t *testing.T, cloud *core.Cloud) []simcloud.ID {
	t.Helper()
	var mu sync.Mutex
	var acknowledged []simcloud.ID
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for n := range 20000 {
				r, err := cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: fmt.Sprint("node-", n), UserData: strings.Repeat("x", 4000)})
				if err != nil {
					if simcloud.CodeOf(err) != simcloud.Unavailable || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room there") || strings.Contains(err.Error(), ".new") {
						t.Errorf("a write on a full disk: %v", err)
					}
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, r.Resource.ID)
				mu.Unlock()
			}
			t.Error("the disk does not get full")
		})
	}
	callers.Wait()
	return acknowledged
}

func there(t *testing.T, cloud *core.Cloud, ids []simcloud.ID) {
	t.Helper()
	for _, id := range ids {
		if _, err := cloud.GetInstance(t.Context(), id); err != nil {
			t.Errorf("%s was acknowledged: %v", id, err)
		}
	}
	all, err := simcloud.ListAll(t.Context(), cloud.ListInstances, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	if err != nil || len(all) != len(ids) {
		t.Errorf("there are %d instances, %d were acknowledged: %v", len(all), len(ids), err)
	}
}

// TestDiskFull: on a full disk writes are unavailable and reads go on; nothing
// acknowledged is lost; once there is room writes work again, without a restart.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	ballast, path := filepath.Join(dir, "ballast"), filepath.Join(dir, "cloud.db")
	if err := os.WriteFile(ballast, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	cloud := openAt(t, path, store.Options{}, core.Config{})
	ids := fillDisk(t, cloud)
	there(t, cloud, ids)
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	ids = append(ids, must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "after"})).Resource.ID)
	there(t, cloud, ids)
	if err := cloud.Close(); err != nil {
		t.Fatal(err)
	}
	there(t, openAt(t, path, store.Options{}, core.Config{}), ids)
}

// TestDiskReadOnly: a file on a read-only disk is refused, with what helps, and can be checked.
func TestDiskReadOnly(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	path := filepath.Join(dir, "cloud.db")
	if err := openAt(t, path, store.Options{}, core.Config{}).Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("a file system cannot be made read-only here: %v", err)
	}
	_, err := store.Open(path, store.Options{})
	if simcloud.CodeOf(err) != simcloud.Unavailable || !errors.Is(err, store.ErrReadOnly) || !strings.Contains(err.Error(), "make its disk writable") {
		t.Errorf("got %v", err)
	}
	if problems := checkFile(t, path); len(problems) > 0 {
		t.Errorf("the file has problems: %v", problems)
	}
}
