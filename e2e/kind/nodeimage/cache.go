package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// cache is the folder of everything that was built.
type cache string

// openCache returns the folder below the user's cache, and makes it.
func openCache() (cache, error) {
	base := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(base) { // unset, or unusable by the XDG rules
		var err error
		if base, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("cache folder for node images: %w", err)
		}
	}
	dir := filepath.Join(base, "simcloud", "node-image")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("cache folder for node images: %w", err)
	}
	return cache(dir), nil
}

func (c cache) path(name string) string { return filepath.Join(string(c), name) }

func (c cache) archive(tag string) string { return c.path(Repository + "-" + tag + ".tar") }
func (c cache) facts(tag string) string   { return c.path(Repository + "-" + tag + ".json") }

// whole makes a file of the cache by make, which writes to another path:
// whoever finds the file finds all of it. A file that is there is taken as it is.
func (c cache) whole(name string, make func(part string) error) (string, error) {
	path := c.path(name)
	if _, err := os.Stat(path); err == nil {
		now := time.Now()
		return path, os.Chtimes(path, now, now) // it is used: see prune
	}
	part := path + ".part"
	if err := make(part); err != nil {
		return "", err
	}
	if err := os.Rename(part, path); err != nil {
		return "", err
	}
	return path, nil
}

// has reports whether the cache has a file of a name.
func (c cache) has(name string) bool {
	_, err := os.Stat(c.path(name))
	return err == nil
}

// lock takes the lock of the cache, which the kernel frees when its holder is
// gone. It calls waiting once when somebody else has it.
func (c cache) lock(ctx context.Context, waiting func()) (unlock func(), err error) {
	file, err := os.OpenFile(c.path("lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for first := true; ; first = false {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", file.Name(), err), file.Close())
		}
		if first {
			waiting()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("wait for the lock %s: %w", file.Name(), context.Cause(ctx)), file.Close())
		}
	}
}

// workFolder returns an empty folder for one build. What an earlier one left
// in it, because it was killed, goes.
func (c cache) workFolder() (string, error) {
	dir := c.path("work")
	return dir, errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700))
}
