package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// sandboxConnection returns where the cloud of a running sandbox is, and its token file.
func sandboxConnection(name string) (endpoint, tokenFile string, err error) {
	s, err := chooseSandbox(name)
	if err != nil {
		return "", "", err
	}
	state, err := s.readState()
	if err != nil {
		return "", "", notRunningError(s, err)
	}
	if state.Endpoint == "" {
		return "", "", environmentError(fmt.Errorf("the sandbox %s is still starting: wait until \"simcloud up\" says that it is ready", s.name))
	}
	return state.Endpoint, state.TokenFile, nil
}

// chooseSandbox is findSandbox with advice for those who need a cloud, of whatever kind.
func chooseSandbox(name string) (sandbox, error) {
	if name != "" {
		return findSandbox(name)
	}
	running, err := runningSandboxes()
	if err == nil && len(running) == 0 {
		err = environmentError(errors.New("no cloud to speak to: start one with \"simcloud up\", or say with --endpoint or SIMCLOUD_ENDPOINT where it is"))
	}
	if err != nil {
		return sandbox{}, err
	}
	var names []string
	for _, s := range running {
		if s.name == defaultSandbox || len(running) == 1 {
			return s, nil
		}
		names = append(names, s.name)
	}
	return sandbox{}, usageError(fmt.Errorf("several sandboxes run (%s): say which with --sandbox", strings.Join(names, ", ")))
}
