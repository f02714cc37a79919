package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
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
	return component{binaryName, "."}.cached(ctx, progress)
}

// BuildProxy returns the path of a kube-proxy of the same sources by itself, as Build does: each node of kind unpacks
// the image of its kube-proxy, and simcloud-kube is more than twice as big.
func BuildProxy(ctx context.Context, progress func(string)) (string, error) {
	return component{"kube-proxy", "k8s.io/kubernetes/cmd/kube-proxy"}.cached(ctx, progress)
}

// component is what is built of the sources: the name of its file, and its package.
type component struct{ name, pkg string }

func (c component) cached(ctx context.Context, progress func(string)) (string, error) {
	if progress == nil {
		progress = func(string) {}
	}
	dir, err := cacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, c.name)
	if executable(path) == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", c.failed("cache folder: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(dir, "lock"), func() {
		progress("waiting for another simcloud that builds " + c.name + ", or another part of Kubernetes")
	})
	if err != nil {
		return "", c.stopped(ctx, err)
	}
	defer unlock()
	if executable(path) == nil {
		return path, nil // the one who had the lock built it
	}
	if err := c.build(ctx, dir, path, progress); err != nil {
		return "", err
	}
	return path, nil
}

// build compiles in dir and puts the whole binary into place at once.
func (c component) build(ctx context.Context, dir, path string, progress func(string)) error {
	src, part := filepath.Join(dir, "src"), path+".part"
	if err := unpack(src); err != nil {
		return c.failed("unpack its sources: %w", err)
	}
	tool, err := toolchain(ctx, src)
	if err != nil {
		return c.stopped(ctx, err)
	}
	log := filepath.Join(dir, "build.log")
	if err := os.Remove(log); err != nil && !errors.Is(err, os.ErrNotExist) {
		return c.failed("remove the log of the last build: %w", err)
	}
	if err := c.compile(ctx, process.Spec{
		Name: "go build of " + c.name, Path: tool, Args: append(buildArgs(), "-o", part, c.pkg),
		Env: buildEnv(), Dir: src, LogFile: log,
	}, progress); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(part, path), os.RemoveAll(src)); err != nil {
		return c.failed("put it into the cache: %w", err)
	}
	return nil
}

// compile runs "go build" and tells how it goes.
func (c component) compile(ctx context.Context, spec process.Spec, progress func(string)) error {
	began := time.Now()
	elapsed := func() time.Duration { return time.Since(began).Round(time.Second) }
	progress(fmt.Sprintf("building %s (Kubernetes %s) from source, once: about 8 minutes on 2 cores "+
		"when Go has nothing of Kubernetes in its cache, under one when it has all", c.name, KubernetesVersion))
	stop := every(progressPeriod, func() { progress(fmt.Sprintf("building %s: %s so far", c.name, elapsed())) })
	err := process.Run(ctx, spec)
	stop()
	if err != nil {
		return err
	}
	progress(fmt.Sprintf("built %s in %s", c.name, elapsed()))
	return nil
}

// stopped tells why the build went no further: that it was interrupted is no failure of the machine.
func (c component) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("build %s: %w", c.name, err)
	}
	return c.failed("%w", err)
}

func (c component) failed(format string, args ...any) error {
	return simcloud.Errorf(simcloud.Unavailable, c.name, "build "+c.name+": "+format, args...)
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

// goRequired is the line of e2e/kube/go.mod, which Go checks by itself since 1.21.
const goRequired = "1.26"

// toolchain returns the path of a go command that can build in the module
// dir, or an error that says what would be one.
func toolchain(ctx context.Context, dir string) (string, error) {
	advice := fmt.Sprintf("install Go %s or newer from https://go.dev/dl/, or name a built binary by --kube or $%s", goRequired, EnvKube)
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", fmt.Errorf("no go command on the PATH; %s", advice)
	}
	cmd := exec.CommandContext(ctx, tool, "list", "-m")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), buildEnv()...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, err := cmd.Output(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("%s does not do: %s; %s", tool, lastLine(stderr.String(), err), advice)
	}
	return tool, nil
}

// lastLine is what a command said last, or else how it ended.
func lastLine(text string, err error) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return err.Error()
}

// buildEnv keeps the user's settings for other modules out of the build. Without
// cgo it needs no C compiler.
func buildEnv() []string {
	return []string{"CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GO111MODULE=on", "GOOS=", "GOARCH="}
}

// lock takes the lock of this file, which the kernel frees when its holder is
// gone. It calls waiting once when another process has it.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for first := true; ; first = false {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		}
		if first {
			waiting()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("wait for the lock %s: %w", path, context.Cause(ctx)), f.Close())
		}
	}
}
