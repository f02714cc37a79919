package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// openLog is a log with how long it was when a scenario began.
type openLog struct {
	path   string
	offset int64
}

// openLogs are those of the CCM and its standby, as they are now.
func openLogs(w step.World) []openLog {
	var all []openLog
	for _, path := range w.Logs {
		all = append(all, openLog{path, observe.SizeOf(path)})
	}
	return all
}

// keepLogs copies what the CCM and its standby have logged during a scenario.
func (s *slot) keepLogs(scenario *scenarios.Scenario, logs []openLog) error {
	if s.Dir == "" {
		return nil
	}
	var errs []error
	for _, log := range logs {
		if err := keepLog(s.logFolder(scenario), log); err != nil {
			errs = append(errs, fmt.Errorf("keep the CCM's log: %w", err))
		}
	}
	return errors.Join(errs...)
}

// keepLog copies what is new of a log into a folder. A log that does not exist has nothing new:
// there is no CCM, or there was no standby.
func keepLog(dir string, log openLog) error {
	content, err := observe.ReadFrom(log.path, log.offset)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, filepath.Base(log.path)), content, 0o644)
	}
	return err
}

// logFolder is where the logs of a scenario go.
func (s *slot) logFolder(scenario *scenarios.Scenario) string {
	dir := filepath.Join(s.Dir, "logs", scenario.Name)
	if s.retries {
		return filepath.Join(dir, retryFolder)
	}
	return dir
}

// clusterLogs is where the logs of the slot's cluster go.
func (s *slot) clusterLogs() string {
	name := fmt.Sprintf("cluster-%d-%d", s.n+1, s.opened)
	if s.retries {
		name = fmt.Sprintf("cluster-%s-%d", retryFolder, s.opened)
	}
	return filepath.Join(s.Dir, "logs", name)
}
