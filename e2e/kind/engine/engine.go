// Package engine drives the container engine that is on this machine: Docker,
// Podman or nerdctl, through its command, as kind itself does. Everything that
// differs between them is in here.
//
// Its errors have the code NotFound for a container, network or image that is
// not there, AlreadyExists for a name that is taken, InUse for an address or a
// subnet that is taken and for a network that still has containers, and
// Unavailable when the engine does not answer or the container does not run.
package engine

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Engine is a container engine that answered. Its methods may be called at any
// time, by several goroutines. Containers and networks are meant by name or id.
type Engine struct {
	dialect dialect
	path    string // of its command
	version version
	flags   []string // see NodeFlags
}

// Find returns the engine of that name, which is "docker", "podman" or
// "nerdctl"; without a name the first of these that answers. The error says
// why an engine does not do: it is missing, does not run, is not permitted, or is too old.
func Find(ctx context.Context, name string) (*Engine, error) {
	if name == "" {
		return findAny(ctx)
	}
	d, err := dialectOf(name)
	if err != nil {
		return nil, err
	}
	return open(ctx, d)
}

// All returns every engine of this machine that answers.
func All(ctx context.Context) []*Engine {
	var found []*Engine
	for _, d := range dialects() {
		if e, err := open(ctx, d); err == nil {
			found = append(found, e)
		}
	}
	return found
}

// Name is "docker", "podman" or "nerdctl".
func (e *Engine) Name() string { return e.dialect.name }

// Version is the version of the engine, such as "20.10.24".
func (e *Engine) Version() string { return e.version.String() }

func findAny(ctx context.Context) (*Engine, error) {
	var reasons []string
	for _, d := range dialects() {
		e, err := open(ctx, d)
		if err == nil {
			return e, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("look for a container engine: %w", context.Cause(ctx))
		}
		if !errors.Is(err, exec.ErrNotFound) { // of those that are not installed only the advice counts
			reasons = append(reasons, reasonOf(err))
		}
	}
	if len(reasons) == 0 {
		return nil, simcloud.Errorf(simcloud.Unavailable, "engine",
			"no container engine found: none of the commands %s is on the PATH; %s", strings.Join(names(), ", "), adviceToInstall)
	}
	return nil, simcloud.Errorf(simcloud.Unavailable, "engine", "no container engine can be used: %s", strings.Join(reasons, "; "))
}

// reasonOf is what the error says, without its code.
func reasonOf(err error) string {
	var e *simcloud.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// open asks the engine for its version.
func open(ctx context.Context, d dialect) (*Engine, error) {
	path, err := exec.LookPath(d.name)
	if err != nil {
		return nil, simcloud.Errorf(simcloud.Unavailable, d.resource(), "%s command not found on the PATH; %s: %w", d.name, adviceToInstall, exec.ErrNotFound)
	}
	e := &Engine{dialect: d, path: path}
	if err := e.probe(ctx); err != nil {
		return nil, err
	}
	e.flags = e.storageFlags(ctx)
	return e, nil
}

const adviceToInstall = `install one, on Debian by scripts/docker-up.sh of simcloud's sources or "apt-get install docker.io"`
