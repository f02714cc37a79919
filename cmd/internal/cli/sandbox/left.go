package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// FindLeft returns the sandbox of that name, which need not run. Without a
// name it is the one that findSandbox finds; when none runs, what a crash or a
// failure left: of the default one, or else of the only one.
func FindLeft(name string) (Folder, error) {
	if name != "" {
		return Open(name)
	}
	running, err := Running()
	if err != nil || len(running) > 0 {
		return Find("")
	}
	all, err := All()
	if err != nil {
		return Folder{}, err
	}
	if slices.ContainsFunc(all, func(s Folder) bool { return s.Name == Default }) || len(all) == 0 {
		return Open(Default)
	}
	if len(all) > 1 {
		return Folder{}, exit.Usage(fmt.Errorf("there are several sandboxes, which do not run (%s): say which with --sandbox", namesOf(all)))
	}
	return all[0], nil
}

// Connection returns where the cloud of a running sandbox is, and its token file.
func Connection(name string) (endpoint, tokenFile string, err error) {
	s, err := chooseSandbox(name)
	if err != nil {
		return "", "", err
	}
	state, err := s.ReadState()
	if err != nil {
		return "", "", NotRunning(s, err)
	}
	if state.Endpoint == "" {
		return "", "", exit.Environment(fmt.Errorf("the sandbox %s is still starting: wait until \"simcloud up\" says that it is ready", s.Name))
	}
	return state.Endpoint, state.TokenFile, nil
}

// chooseSandbox is findSandbox with advice for those who need a cloud, of whatever kind.
func chooseSandbox(name string) (Folder, error) {
	if name != "" {
		return Find(name)
	}
	running, err := Running()
	if err == nil && len(running) == 0 {
		err = exit.Environment(errors.New("no cloud to speak to: start one with \"simcloud up\", or say with --endpoint or SIMCLOUD_ENDPOINT where it is"))
	}
	if err != nil {
		return Folder{}, err
	}
	var names []string
	for _, s := range running {
		if s.Name == Default || len(running) == 1 {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Folder{}, exit.Usage(fmt.Errorf("several sandboxes run (%s): say which with --sandbox", strings.Join(names, ", ")))
}
