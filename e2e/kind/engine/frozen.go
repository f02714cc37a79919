package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// stuckAfter is how long the end of a container may take before it is looked
// after. Engines give up after some ten seconds.
const stuckAfter = 2 * time.Second

// end runs a command that ends a container. A node that is killed while its own
// container runtime has frozen a pod, as runtimes do for a moment when they start one, does not
// end with version 1 of cgroups: what is frozen cannot be killed. Then it is thawed.
func (e *Engine) end(ctx context.Context, container string, args ...string) error {
	quit, thawed := make(chan struct{}), make(chan error, 1)
	go func() { thawed <- e.thawUntil(ctx, container, quit) }()
	_, err := e.run(ctx, nil, args...)
	close(quit)
	if thawErr := <-thawed; err != nil {
		return errors.Join(err, thawErr)
	}
	return nil
}

// thawUntil thaws from time to time what is frozen in a container that ends.
func (e *Engine) thawUntil(ctx context.Context, container string, quit <-chan struct{}) (err error) {
	tick := time.NewTicker(stuckAfter)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			var id string
			if id, err = e.id(ctx, container); err == nil {
				err = hostFreezer.thaw(id)
			}
		case <-quit:
			return err
		case <-ctx.Done():
			return err
		}
	}
}

var fullID = regexp.MustCompile("^[0-9a-f]{64}$")

// id is the whole id of the container, which may be meant by that too; empty when
// it is gone. Never its name, or a part: paths of other containers may contain these.
// Inspect would wait for the command that ends the container; a list does not.
func (e *Engine) id(ctx context.Context, container string) (string, error) {
	if fullID.MatchString(container) {
		return container, nil
	}
	out, err := e.run(ctx, nil, "ps", "--all", "--quiet", "--no-trunc", "--filter", "name=^"+regexp.QuoteMeta(container)+"$")
	return strings.TrimSpace(string(out)), err
}

// freezer is where version 1 of cgroups freezes processes. Other versions have none.
type freezer string

const hostFreezer = freezer("/sys/fs/cgroup/freezer")

// thaw thaws all that is in a container. It is found by its id, as whatever
// makes groups of processes names them so: a first process that dies is in none any more.
func (f freezer) thaw(id string) error {
	if id == "" {
		return nil // it would be everything
	}
	return filepath.WalkDir(string(f), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // gone meanwhile, or never there
		case err != nil || entry.Name() != "freezer.state" || !strings.Contains(path, id):
			return err
		}
		return thawGroup(path)
	})
}

func thawGroup(path string) error {
	state, err := os.ReadFile(path)
	if err == nil && !strings.HasPrefix(string(state), "THAWED") {
		err = os.WriteFile(path, []byte("THAWED"), 0o600)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
