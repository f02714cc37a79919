package nodeimage

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// kept is how many images the cache keeps, and how many of each of their parts:
// who goes between a few versions of simcloud builds none of them anew.
const kept = 3

// prune removes what was built and used longest ago, and what builds that were
// killed have left. The cache's lock is held.
func (c cache) prune() error {
	var errs []error
	for _, pattern := range []string{Repository + "-*.json", "root-*.tar", "programs-*", "node-*.tar", "images-*.tar"} {
		for _, path := range c.oldest(pattern) {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	for _, path := range c.matches(Repository + "-*.tar") {
		if _, err := os.Stat(strings.TrimSuffix(path, ".tar") + ".json"); errors.Is(err, os.ErrNotExist) {
			errs = append(errs, os.Remove(path)) // nobody finds it
		}
	}
	for _, path := range c.matches("*.part") {
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}

// matches are the paths of the cache's files and folders of a pattern.
func (c cache) matches(pattern string) []string {
	paths, _ := filepath.Glob(c.path(pattern)) // the pattern is well-formed
	return paths
}

// oldest are those of a pattern that are too many.
func (c cache) oldest(pattern string) []string {
	paths := slices.DeleteFunc(c.matches(pattern), func(path string) bool { return filepath.Ext(path) == ".part" })
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(used(b).Compare(used(a)), cmp.Compare(a, b)) })
	return paths[min(kept, len(paths)):]
}

// used is when a file of the cache was made or last used.
func used(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{} // gone meanwhile
	}
	return info.ModTime()
}

// forgetOld removes from the engine the images that the cache has not any more,
// now that it has a newer one. Those that containers have stay: the engine
// refuses to remove them, and no other failure is a reason to run no cluster.
func (c cache) forgetOld(ctx context.Context, newer Image, e Engine) {
	refs, err := e.Images(ctx, Repository)
	if err != nil {
		return
	}
	for _, ref := range refs {
		tag := ref[strings.LastIndex(ref, ":")+1:]
		if _, err := os.Stat(c.facts(tag)); errors.Is(err, os.ErrNotExist) && !strings.HasSuffix(newer.Ref, ":"+tag) {
			_ = e.RemoveImage(ctx, ref)
		}
	}
}
