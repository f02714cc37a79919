package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// harnessLog is the name of the log of who starts a cluster.
const harnessLog = "harness.log"

// CollectLogs collects those of the cluster, and of who has started it.
func (c loggedCluster) CollectLogs(ctx context.Context, dir string) error {
	return errors.Join(c.Cluster.CollectLogs(ctx, dir), copyLog(c.log.Name(), filepath.Join(dir, harnessLog)))
}

// keepLogs copies all logs of a cluster that did not start beside the report:
// they say why, and its folder goes with the run's.
func (c testClusters) keepLogs(dir string) error {
	if c.options.report == "" {
		return nil
	}
	kept := filepath.Join(c.options.report, "logs", filepath.Base(dir)+"-not-started")
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".log" {
			return err
		}
		return copyLog(path, filepath.Join(kept, filepath.Base(path)))
	})
}

func copyLog(from, to string) error {
	raw, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, raw, 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep a log: %w", err)
	}
	return nil
}
