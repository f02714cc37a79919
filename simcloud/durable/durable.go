// Package durable writes files and names so that they outlast a loss of power.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// syncing brings an open file or folder to the disk. Tests note what it is called with.
type syncing func(*os.File) error

func diskSync(file *os.File) error { return file.Sync() }

// WriteFile makes path a file with this content and mode, in place of a former
// one. When it returns nil the file is on disk under its name; until then the
// former one is whole.
func WriteFile(path string, content []byte, mode os.FileMode) error {
	return syncing(diskSync).writeFile(path, content, mode)
}

func (sync syncing) writeFile(path string, content []byte, mode os.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Chmod(mode), sync(file), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return sync.folder(filepath.Dir(path))
}

// CloseNew closes a new file once it is on disk under its name.
func CloseNew(file *os.File) error { return syncing(diskSync).closeNew(file) }

func (sync syncing) closeNew(file *os.File) error {
	return errors.Join(sync(file), file.Close(), sync.folder(filepath.Dir(file.Name())))
}

// Rename is os.Rename within a folder. When it returns nil the new name is on disk.
func Rename(from, to string) error { return syncing(diskSync).rename(from, to) }

func (sync syncing) rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return sync.folder(filepath.Dir(to))
}

// MakeFolder is os.MkdirAll. When it returns nil each folder that it has made is on disk.
func MakeFolder(path string, mode os.FileMode) error {
	return syncing(diskSync).makeFolder(path, mode)
}

func (sync syncing) makeFolder(path string, mode os.FileMode) error {
	parent := filepath.Dir(path)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) || parent == path {
		return os.MkdirAll(path, mode) // which says why a file cannot be a folder
	}
	if err := sync.makeFolder(parent, mode); err != nil {
		return err
	}
	if err := os.Mkdir(path, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return sync.folder(parent)
}

// SyncFolder brings the names in a folder to the disk: after a loss of power a
// new file that was synced alone may be gone.
func SyncFolder(path string) error { return syncing(diskSync).folder(path) }

func (sync syncing) folder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(sync(folder), folder.Close())
}
