// Package gobuild builds programs of modules that are embedded in this one: with the sums that their go.sum pins, once
// for all clones of a machine, into the user's cache.
package gobuild

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Program is what is built of a module.
type Program struct {
	// Name is that of its file, Package what is built: a path within the module, or of one that the module requires.
	Name, Package string
	// Module are the files of the module, as a txtar archive.
	Module []byte
	// Args are those of "go build" that come before -o.
	Args []string
	// Folder begins the name of its folder in the cache. The hash of what decides what the program is comes after it.
	Folder string
	// Of says what it is of, with the version, and Takes how long its build takes; both are for messages.
	Of, Takes string
	// Go is the oldest version that can build it.
	Go string
	// Instead is what can be done in place of a build, after "or"; Beside, when it is set, what else one waits for.
	Instead, Beside string
	// Override is the environment variable that names a binary, if there is one.
	Override string
}

// progressPeriod is how often a build reports that it still runs.
const progressPeriod = 15 * time.Second

// Hash stands for everything that decides what the program is.
func (p Program) Hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s/%s %q\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, p.Args)
	h.Write(p.Module)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Path is where the program is in the cache, built or not.
func (p Program) Path() (string, error) {
	base := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(base) { // unset, or unusable by the XDG rules
		var err error
		if base, err = os.UserCacheDir(); err != nil {
			err = fmt.Errorf("cache folder for %s: %w", p.Name, err)
			if p.Override != "" {
				err = fmt.Errorf("%w; $%s names a binary", err, p.Override)
			}
			return "", err
		}
	}
	return filepath.Join(base, "simcloud", p.Folder+"-"+p.Hash(), p.Name), nil
}

// Built returns the path of the program when the cache has it.
func (p Program) Built() (path string, built bool) {
	path, err := p.Path()
	return path, err == nil && Executable(path) == nil
}

// Build returns the path of the program in the cache, and builds it there when it is missing. Of several that want to
// build it at the same time, one does and the others wait. Progress, if any, gets a line for each thing that it does.
func (p Program) Build(ctx context.Context, progress func(string)) (string, error) {
	if progress == nil {
		progress = func(string) {}
	}
	path, err := p.Path()
	if err != nil {
		return "", err
	}
	if Executable(path) == nil {
		return path, nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", p.failed("cache folder: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(dir, "lock"), func() {
		progress("waiting for another simcloud that builds " + p.Name + p.Beside)
	})
	if err != nil {
		return "", p.stopped(ctx, err)
	}
	defer unlock()
	if Executable(path) == nil {
		return path, nil // the one who had the lock built it
	}
	if err := p.build(ctx, path, progress); err != nil {
		return "", err
	}
	return path, nil
}

// build compiles beside the path, and puts the whole binary into place at once.
func (p Program) build(ctx context.Context, path string, progress func(string)) error {
	dir := filepath.Dir(path)
	src, part := filepath.Join(dir, "src"), path+".part"
	if err := unpack(p.Module, src); err != nil {
		return p.failed("unpack its sources: %w", err)
	}
	tool, err := p.toolchain(ctx, src)
	if err != nil {
		return p.stopped(ctx, err)
	}
	log := filepath.Join(dir, "build.log")
	if err := os.Remove(log); err != nil && !errors.Is(err, os.ErrNotExist) {
		return p.failed("remove the log of the last build: %w", err)
	}
	if err := p.compile(ctx, process.Spec{
		Name: "go build of " + p.Name, Path: tool, Args: append(append([]string{}, p.Args...), "-o", part, p.Package),
		Env: environment(), Dir: src, LogFile: log,
	}, progress); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(part, path), os.RemoveAll(src)); err != nil {
		return p.failed("put it into the cache: %w", err)
	}
	return nil
}

// compile runs "go build" and reports how it goes.
func (p Program) compile(ctx context.Context, spec process.Spec, progress func(string)) error {
	began := time.Now()
	elapsed := func() time.Duration { return time.Since(began).Round(time.Second) }
	progress(fmt.Sprintf("building %s (%s) from source, once: %s", p.Name, p.Of, p.Takes))
	stop := every(progressPeriod, func() { progress(fmt.Sprintf("building %s: %s so far", p.Name, elapsed())) })
	err := process.Run(ctx, spec)
	stop()
	if err != nil {
		return err
	}
	progress(fmt.Sprintf("built %s in %s", p.Name, elapsed()))
	return nil
}

// stopped says why the build went no further: that it was interrupted is no failure of the machine.
func (p Program) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("build %s: %w", p.Name, err)
	}
	return p.failed("%w", err)
}

func (p Program) failed(format string, args ...any) error {
	return simcloud.Errorf(simcloud.Unavailable, p.Name, "build "+p.Name+": "+format, args...)
}

// every calls f each period until stop is called, which returns when f does not run any more.
func every(period time.Duration, f func()) (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				f()
			case <-quit:
				return
			}
		}
	}()
	return func() { close(quit); <-gone }
}

// unpack writes the files of a module into dir.
func unpack(module []byte, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, file := range txtar.Parse(module).Files {
		if err := os.WriteFile(filepath.Join(dir, file.Name), file.Data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Executable returns an error unless the path is that of a file that can be run.
func Executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not an executable file", path)
	}
	return nil
}
