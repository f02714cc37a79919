package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// goRequired is the oldest Go that can build the programs.
const goRequired = "1.26"

// Build returns the path of a program's static binary for Linux on this
// machine's kind of processor. It is kept in the user's cache folder, and
// built there with the go command when it is missing. Progress, if any, is called for a build.
func Build(ctx context.Context, name string, progress func(string)) (string, error) {
	p, err := load(name)
	if err != nil {
		return "", err
	}
	dir, err := p.cacheDir()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, name)
	if info, err := os.Stat(binary); err == nil && info.Mode().IsRegular() {
		return binary, nil
	}
	if progress != nil {
		progress("building the small program " + name)
	}
	if err := p.build(ctx, binary); err != nil {
		return "", err
	}
	return binary, nil
}

// cacheDir is where the binary of these sources is kept.
func (p program) cacheDir() (string, error) {
	base := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(base) { // unset, or unusable by the XDG rules
		var err error
		if base, err = os.UserCacheDir(); err != nil {
			return "", p.errorf("cache folder: %w", err)
		}
	}
	return filepath.Join(base, "simcloud", "tool-"+p.name+"-"+p.hash()), nil
}

// build compiles in a folder of its own and puts the whole binary into place
// at once: of several that build it at the same time, each succeeds.
func (p program) build(ctx context.Context, binary string) (err error) {
	if err := os.MkdirAll(filepath.Dir(binary), 0o700); err != nil {
		return p.errorf("cache folder: %w", err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(binary), "build-")
	if err != nil {
		return p.errorf("cache folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for file, text := range p.files {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			return p.errorf("unpack its sources: %w", err)
		}
	}
	part := filepath.Join(dir, "binary")
	if err := p.compile(ctx, dir, part); err != nil {
		return err
	}
	if err := os.Rename(part, binary); err != nil {
		return p.errorf("put it into the cache: %w", err)
	}
	return nil
}

func (p program) compile(ctx context.Context, dir, binary string) error {
	tool, err := exec.LookPath("go")
	if err != nil {
		return p.errorf("there is no go command on the PATH; install Go %s or newer from https://go.dev/dl/", goRequired)
	}
	cmd := exec.CommandContext(ctx, tool, buildArgs(binary, ".")...)
	cmd.Dir = dir
	// The user's settings for other modules stay out of it.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=", "GOFLAGS=-mod=readonly", "GOWORK=off", "GO111MODULE=on")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("build %s: %w", p.name, context.Cause(ctx))
		}
		return p.errorf("%s: %w", strings.TrimSpace(output.String()), err)
	}
	return nil
}

func buildArgs(binary, pkg string) []string {
	return []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", binary, pkg}
}

func (p program) errorf(format string, args ...any) error {
	return simcloud.Errorf(simcloud.Unavailable, "tool/"+p.name, "build "+p.name+": "+format, args...)
}
