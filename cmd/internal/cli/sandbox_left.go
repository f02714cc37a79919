package cli

import (
	"fmt"
	"slices"
)

// findLeft returns the sandbox of that name, which need not run. Without a
// name it is the one that findSandbox finds; when none runs, what a crash or a
// failure left: of the default one, or else of the only one.
func findLeft(name string) (sandbox, error) {
	if name != "" {
		return openSandbox(name)
	}
	running, err := runningSandboxes()
	if err != nil || len(running) > 0 {
		return findSandbox("")
	}
	all, err := allSandboxes()
	if err != nil {
		return sandbox{}, err
	}
	if slices.ContainsFunc(all, func(s sandbox) bool { return s.name == defaultSandbox }) || len(all) == 0 {
		return openSandbox(defaultSandbox)
	}
	if len(all) > 1 {
		return sandbox{}, usageError(fmt.Errorf("there are several sandboxes, which do not run (%s): say which with --name", namesOf(all)))
	}
	return all[0], nil
}
