package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// defaultSandbox is the sandbox that is meant when nobody says which.
const defaultSandbox = "default"

// sandbox is the folder of a sandbox: one "simcloud up".
type sandbox struct {
	name string
	dir  string
}

var sandboxNameRE = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`)

// openSandbox names the folder of a sandbox; it need not be there.
func openSandbox(name string) (sandbox, error) {
	if !sandboxNameRE.MatchString(name) {
		return sandbox{}, usageError(fmt.Errorf("--name %q is not a name of a sandbox: 1 to 40 lower-case letters, digits and '-'", name))
	}
	root, err := sandboxRoot()
	if err != nil {
		return sandbox{}, err
	}
	return sandbox{name: name, dir: filepath.Join(root, name)}, nil
}

// sandboxRoot is where sandboxes are, by the rules of XDG.
func sandboxRoot() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) { // unset, or unusable by these rules
		home, err := os.UserHomeDir()
		if err != nil {
			return "", environmentError(fmt.Errorf("where to keep sandboxes: %w; set XDG_STATE_HOME", err))
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "simcloud"), nil
}

// path is the path of a file in the folder.
func (s sandbox) path(parts ...string) string {
	return filepath.Join(append([]string{s.dir}, parts...)...)
}

// logDirs are where logs are: those of the harness and those of the control plane.
func (s sandbox) logDirs() []string { return []string{s.path("logs"), s.path("kube", "logs")} }

// exists reports whether anything is left of the sandbox.
func (s sandbox) exists() bool {
	_, err := os.Stat(s.dir)
	return err == nil
}

// remove removes the folder. Who calls it holds the lock.
func (s sandbox) remove() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return environmentError(fmt.Errorf("remove the sandbox's folder: %w", err))
	}
	return nil
}

// clear removes what is in the folder but the lock.
func (s sandbox) clear() error { return s.removeBut("lock") }

// removeAllButLogs leaves what tells why a start failed.
func (s sandbox) removeAllButLogs() error { return s.removeBut("lock", "logs", "kube") }

func (s sandbox) removeBut(keep ...string) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return environmentError(err)
	}
	for _, entry := range entries {
		if slices.Contains(keep, entry.Name()) {
			continue
		}
		if err := os.RemoveAll(s.path(entry.Name())); err != nil {
			return environmentError(fmt.Errorf("clean the sandbox's folder: %w", err))
		}
	}
	return nil
}

// runningSandboxes returns the sandboxes that run, by name.
func runningSandboxes() ([]sandbox, error) {
	all, err := allSandboxes()
	return slices.DeleteFunc(all, func(s sandbox) bool { return !s.running() }), err
}

// allSandboxes returns the sandboxes of which something is there, by name.
func allSandboxes() ([]sandbox, error) {
	root, err := sandboxRoot()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, environmentError(fmt.Errorf("look for sandboxes: %w", err))
	}
	var found []sandbox
	for _, entry := range entries {
		if s, err := openSandbox(entry.Name()); err == nil {
			found = append(found, s)
		}
	}
	return found, nil
}

// findSandbox returns the running sandbox of that name; without a name the
// default one, or else the only one that runs.
func findSandbox(name string) (sandbox, error) {
	if name != "" {
		s, err := openSandbox(name)
		if err == nil && !s.running() {
			err = environmentError(fmt.Errorf("the sandbox %s does not run: start it with \"simcloud up --name %s\"", name, name))
		}
		return s, err
	}
	found, err := runningSandboxes()
	if err != nil {
		return sandbox{}, err
	}
	isDefault := func(s sandbox) bool { return s.name == defaultSandbox }
	switch i := slices.IndexFunc(found, isDefault); {
	case len(found) == 0:
		return sandbox{}, environmentError(errors.New("no sandbox runs: start one with \"simcloud up\""))
	case i >= 0:
		return found[i], nil
	case len(found) > 1:
		return sandbox{}, usageError(fmt.Errorf("several sandboxes run (%s): say which with --name", namesOf(found)))
	}
	return found[0], nil
}

// namesOf lists sandboxes for a message.
func namesOf(sandboxes []sandbox) string {
	var names []string
	for _, s := range sandboxes {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// awaitFree waits until nobody holds the lock.
func (s sandbox) awaitFree(ctx context.Context) error {
	return poll(ctx, func() (bool, error) { return !s.running(), nil })
}

// pollPeriod is how often to look at what cannot be waited for.
const pollPeriod = 50 * time.Millisecond

// poll asks until the answer is yes, an error, or the end of ctx.
func poll(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(pollPeriod)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// notRunningError says of a state file that cannot be read why that is.
func notRunningError(s sandbox, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return simcloud.Errorf(simcloud.Unavailable, "sandbox/"+s.name, "it is still starting: wait until \"simcloud up\" says that it is ready")
	}
	return environmentError(fmt.Errorf("read the state of sandbox %s: %w; \"simcloud down --name %s\" removes it", s.name, err, s.name))
}
