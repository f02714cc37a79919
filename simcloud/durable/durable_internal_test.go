package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// noting notes what is synced, by its path below a folder, and what the folder
// has then. The part of a name that differs each time is left out.
func noting(t *testing.T, dir string, notes *[]string) syncing {
	return func(file *os.File) error {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Error(err)
		}
		note := plainName(strings.TrimPrefix(file.Name(), dir)) + " of"
		for _, entry := range entries {
			note += " " + plainName(entry.Name())
		}
		*notes = append(*notes, note)
		return nil
	}
}

// plainName is a name without what os.CreateTemp has put behind its dash.
func plainName(name string) string {
	plain, _, _ := strings.Cut(name, "-")
	return plain
}

// TestSynced: a file is synced before it gets its name, and the folder of a name afterwards.
func TestSynced(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(s syncing, dir string) error
		want []string
	}{
		"WriteFile": {func(s syncing, dir string) error {
			return s.writeFile(filepath.Join(dir, "ca"), []byte("new"), 0o644)
		}, []string{"/.new of .new", " of ca"}},
		"Rename": {func(s syncing, dir string) error {
			if err := os.WriteFile(filepath.Join(dir, "scratch"), nil, 0o600); err != nil {
				return err
			}
			return s.rename(filepath.Join(dir, "scratch"), filepath.Join(dir, "whole"))
		}, []string{" of whole"}},
		"CloseNew": {func(s syncing, dir string) error {
			file, err := os.Create(filepath.Join(dir, "secret"))
			if err != nil {
				return err
			}
			return s.closeNew(file)
		}, []string{"/secret of secret", " of secret"}},
		"MakeFolder": {func(s syncing, dir string) error {
			return s.makeFolder(filepath.Join(dir, "a", "b", "c"), 0o700)
		}, []string{" of a", "/a of a", "/a/b of a"}},
		"MakeFolder that is there": {func(s syncing, dir string) error { return s.makeFolder(dir, 0o700) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var notes []string
			if err := c.make(noting(t, dir, &notes), dir); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, notes); diff != "" {
				t.Errorf("synced (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWriteFileFails: a disk that takes nothing leaves the former file, and nothing else.
func TestWriteFileFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "token")
	if err := WriteFile(path, []byte("former"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := syncing(func(*os.File) error { return syscall.EIO }).writeFile(path, []byte("new"), 0o600)
	if !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v, want %v", err, syscall.EIO)
	}
	raw, err := os.ReadFile(path)
	entries, failed := os.ReadDir(dir)
	if string(raw) != "former" || len(entries) != 1 || errors.Join(err, failed) != nil {
		t.Errorf("the file has %q beside %v, %v, %v", raw, entries, err, failed)
	}
}
