// Package sandbox is the folder of a sandbox: which there are, which run, what the process of one tells the others,
// and the lock that it holds. What runs in one is a matter of the commands.
package sandbox

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

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Default is the sandbox that is meant when none is named.
const Default = "default"

// Folder is the folder of a sandbox: one "simcloud up".
type Folder struct {
	Name string
	Dir  string
}

var sandboxNameRE = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`)

// Open names the folder of a sandbox; it need not be there.
func Open(name string) (Folder, error) {
	if !sandboxNameRE.MatchString(name) {
		return Folder{}, exit.Usage(fmt.Errorf("--sandbox %q is not a name of a sandbox: 1 to 40 lower-case letters, digits and '-'", name))
	}
	root, err := Root()
	if err != nil {
		return Folder{}, err
	}
	return Folder{Name: name, Dir: filepath.Join(root, name)}, nil
}

// Root is where sandboxes are, by the rules of XDG.
func Root() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) { // unset, or unusable by these rules
		home, err := os.UserHomeDir()
		if err != nil {
			return "", exit.Environment(fmt.Errorf("where to keep sandboxes: %w; set XDG_STATE_HOME", err))
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "simcloud"), nil
}

// Path is the path of a file in the folder.
func (s Folder) Path(parts ...string) string {
	return filepath.Join(append([]string{s.Dir}, parts...)...)
}

// LogDirs are where logs are: those of the harness and those of the control plane.
func (s Folder) LogDirs() []string { return []string{s.Path("logs"), s.Path("kube", "logs")} }

// Exists reports whether anything is left of the sandbox.
func (s Folder) Exists() bool {
	_, err := os.Stat(s.Dir)
	return err == nil
}

// Remove removes the folder. Who calls it holds the lock.
func (s Folder) Remove() error {
	if err := os.RemoveAll(s.Dir); err != nil {
		return exit.Environment(fmt.Errorf("remove the sandbox's folder: %w", err))
	}
	return nil
}

// Clear removes what is in the folder but the lock.
func (s Folder) Clear() error { return s.RemoveBut("lock") }

// RemoveAllButLogs leaves what tells why a start failed.
func (s Folder) RemoveAllButLogs() error { return s.RemoveBut("lock", "logs", "kube") }

// RemoveBut removes what is in the folder but what has one of these names.
func (s Folder) RemoveBut(keep ...string) error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return exit.Environment(err)
	}
	for _, entry := range entries {
		if slices.Contains(keep, entry.Name()) {
			continue
		}
		if err := os.RemoveAll(s.Path(entry.Name())); err != nil {
			return exit.Environment(fmt.Errorf("clean the sandbox's folder: %w", err))
		}
	}
	return nil
}

// Running returns the sandboxes that run, by name.
func Running() ([]Folder, error) {
	all, err := All()
	return slices.DeleteFunc(all, func(s Folder) bool { return !s.Running() }), err
}

// All returns the sandboxes of which something is there, by name.
func All() ([]Folder, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, exit.Environment(fmt.Errorf("look for sandboxes: %w", err))
	}
	var found []Folder
	for _, entry := range entries {
		if s, err := Open(entry.Name()); err == nil {
			found = append(found, s)
		}
	}
	return found, nil
}

// Find returns the running sandbox of that name; without a name the
// default one, or else the only one that runs.
func Find(name string) (Folder, error) {
	if name != "" {
		s, err := Open(name)
		if err == nil && !s.Running() {
			err = exit.Environment(fmt.Errorf("the sandbox %s does not run: start it with \"simcloud up --sandbox %s\"", name, name))
		}
		return s, err
	}
	found, err := Running()
	if err != nil {
		return Folder{}, err
	}
	isDefault := func(s Folder) bool { return s.Name == Default }
	switch i := slices.IndexFunc(found, isDefault); {
	case len(found) == 0:
		return Folder{}, exit.Environment(errors.New("no sandbox runs: start one with \"simcloud up\""))
	case i >= 0:
		return found[i], nil
	case len(found) > 1:
		return Folder{}, exit.Usage(fmt.Errorf("several sandboxes run (%s): say which with --sandbox", namesOf(found)))
	}
	return found[0], nil
}

// namesOf lists sandboxes for a message.
func namesOf(sandboxes []Folder) string {
	var names []string
	for _, s := range sandboxes {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// AwaitFree waits until no process holds the lock.
func (s Folder) AwaitFree(ctx context.Context) error {
	return Poll(ctx, func() (bool, error) { return !s.Running(), nil })
}

// PollPeriod is how often to look at what cannot be waited for.
const PollPeriod = 50 * time.Millisecond

// Poll asks until the answer is yes, an error, or the end of ctx.
func Poll(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(PollPeriod)
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

// NotRunning says of a state file that cannot be read why that is.
func NotRunning(s Folder, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return simcloud.Errorf(simcloud.Unavailable, "sandbox/"+s.Name, "it is still starting: wait until \"simcloud up\" says that it is ready")
	}
	return exit.Environment(fmt.Errorf("read the state of sandbox %s: %w; \"simcloud down --sandbox %s\" removes it", s.Name, err, s.Name))
}
