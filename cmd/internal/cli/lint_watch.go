package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long files must be quiet before they are looked at again: editors write a file in several steps.
const settle = 100 * time.Millisecond

// watchFiles calls look now, and again after files below the paths have changed, until ctx ends.
func watchFiles(ctx context.Context, paths []string, look func()) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	defer func() { _ = watcher.Close() }()
	watch := func() error { return watchFolders(watcher, paths) }
	if err := watch(); err != nil {
		return err
	}
	look()
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-watcher.Errors:
			return fmt.Errorf("watch files: %w", err)
		case <-watcher.Events:
			quiet = time.After(settle)
		case <-quiet:
			quiet = nil
			if err := watch(); err != nil { // folders may have come
				return err
			}
			look()
		}
	}
}

// watchFolders watches the folders of files, and folders with all that is below them. What is watched already stays so.
func watchFolders(watcher *fsnotify.Watcher, paths []string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() {
			path = filepath.Dir(path) // many editors put a new file in the place of the old one
		}
		err = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case entry.IsDir():
				return watcher.Add(path)
			default:
				return nil
			}
		})
		if err != nil {
			return fmt.Errorf("watch %s: %w", path, err)
		}
	}
	return nil
}
