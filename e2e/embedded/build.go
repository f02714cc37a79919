package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// progressPeriod is how often a build says that it still runs.
const progressPeriod = 15 * time.Second

// Build returns the path of the simcloud-kube of these sources in the cache,
// and builds it there when it is missing. Of several that want to build it at
// the same time, one does and the others wait.
func Build(ctx context.Context, progress func(string)) (string, error) {
	if progress == nil {
		progress = func(string) {}
	}
	dir, err := cacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, binaryName)
	if executable(path) == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", buildError("cache folder: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(dir, "lock"), func() {
		progress("waiting for another simcloud that builds simcloud-kube")
	})
	if err != nil {
		return "", err
	}
	defer unlock()
	if executable(path) == nil {
		return path, nil // the one who had the lock built it
	}
	if err := build(ctx, dir, path, progress); err != nil {
		return "", err
	}
	return path, nil
}

// build compiles in dir and puts the whole binary into place at once.
func build(ctx context.Context, dir, path string, progress func(string)) error {
	src, part := filepath.Join(dir, "src"), path+".part"
	if err := unpack(src); err != nil {
		return buildError("unpack its sources: %w", err)
	}
	tool, err := toolchain(ctx, src)
	if err != nil {
		return err
	}
	log := filepath.Join(dir, "build.log")
	if err := os.Remove(log); err != nil && !errors.Is(err, os.ErrNotExist) {
		return buildError("remove the log of the last build: %w", err)
	}
	if err := compile(ctx, process.Spec{
		Name: "go build of simcloud-kube", Path: tool, Args: append(buildArgs(), "-o", part, "."),
		Env: buildEnv(), Dir: src, LogFile: log,
	}, progress); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(part, path), os.RemoveAll(src)); err != nil {
		return buildError("put it into the cache: %w", err)
	}
	return nil
}

// compile runs "go build" and tells how it goes.
func compile(ctx context.Context, spec process.Spec, progress func(string)) error {
	began := time.Now()
	elapsed := func() time.Duration { return time.Since(began).Round(time.Second) }
	progress(fmt.Sprintf("building simcloud-kube (Kubernetes %s) from source, once: about 8 minutes on 2 cores "+
		"when Go has nothing of it in its cache, under one when it has all", KubernetesVersion))
	stop := every(progressPeriod, func() { progress(fmt.Sprintf("building simcloud-kube: %s so far", elapsed())) })
	err := process.Run(ctx, spec)
	stop()
	if err != nil {
		return err
	}
	progress(fmt.Sprintf("built simcloud-kube in %s", elapsed()))
	return nil
}

func buildError(format string, args ...any) error {
	return simcloud.Errorf(simcloud.Unavailable, binaryName, "build simcloud-kube: "+format, args...)
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
