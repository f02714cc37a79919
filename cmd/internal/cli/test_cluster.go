package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/slots"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// loggedCluster is a cluster with the log of its harness.
type loggedCluster struct {
	scenariorun.Cluster
	log *os.File
}

// Stop stops the cluster and closes the log.
func (c loggedCluster) Stop(ctx context.Context) error {
	return errors.Join(c.Cluster.Stop(ctx), c.log.Close())
}

// open starts the cluster of a slot: its cloud is fast and forgets.
func (c testClusters) open(ctx context.Context, n int) (scenariorun.Cluster, error) {
	dir, err := os.MkdirTemp(c.folder.path, fmt.Sprintf("cluster-%d-", n+1))
	if err != nil {
		return nil, exit.Environment(err)
	}
	log, err := os.OpenFile(filepath.Join(dir, harnessLog), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, exit.Environment(err)
	}
	logger := slog.New(slog.NewTextHandler(log, nil))
	cfg := e2e.Config{
		Name:    fmt.Sprintf("test-%d", n+1),
		Dir:     dir,
		Cloud:   sim.Config{Ephemeral: true, Seed: c.options.seed, Log: logger},
		Rules:   c.options.backend.profile.Cloud,
		NodeIPs: c.options.backend.profile.NodeIPs,
		Subject: c.subject,
		Slot:    slots.Taking(c.waiting),
		Log:     logger,
	}
	name := fmt.Sprintf("%s-%d", filepath.Base(c.folder.path), n+1)
	if err := c.backend.join(&cfg, name, func(text string) { logger.Info(text) }); err != nil {
		return nil, errors.Join(err, log.Close(), c.keepLogs(dir))
	}
	cluster, err := e2e.Start(ctx, cfg)
	if err != nil {
		return nil, errors.Join(err, log.Close(), c.keepLogs(dir))
	}
	return loggedCluster{scenariorun.OnCluster(cluster, c.options.judged()), log}, nil
}
