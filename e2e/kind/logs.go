package kind

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	kinderrors "sigs.k8s.io/kind/pkg/errors"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Logs exports into dir what kind exports: of every node the journal, the logs
// of its pods and of containerd, and how its container is. Of nodes that do not
// run, or end meanwhile, there is only what can be had.
func (b *Backend) Logs(ctx context.Context, dir string) error {
	before, err := b.runningContainers(ctx)
	if err != nil || len(before) == 0 {
		return err
	}
	collected := b.kind.CollectLogs(b.Config.Name, dir)
	if collected == nil {
		return nil
	}
	after, err := b.runningContainers(ctx)
	if err != nil {
		return err
	}
	ran := slices.DeleteFunc(before, func(name string) bool { return !slices.Contains(after, name) })
	for _, failed := range leaves(collected) {
		if !isExpected(commandOf(failed), ran) {
			return fmt.Errorf("export the logs of the cluster %s: %w", b.Config.Name, failed)
		}
	}
	return nil
}

// runningContainers names those of the cluster's containers in which programs can be run.
func (b *Backend) runningContainers(ctx context.Context) ([]string, error) {
	containers, err := b.Engine.List(ctx, engine.KindClusterLabel+"="+b.Config.Name)
	var names []string
	for _, c := range containers {
		if c.Status == "running" {
			names = append(names, c.Name)
		}
	}
	return names, err
}

// isExpected reports whether a command of kind's export may fail: for a
// container other than those that ran all the time, or one for which an image
// need not have the program.
func isExpected(command, ran []string) bool {
	if len(command) == 0 {
		return false // it was no command
	}
	return slices.Contains(command, "crictl") || !slices.ContainsFunc(command, func(arg string) bool { return slices.Contains(ran, arg) })
}

// leaves returns the errors that an error of kind is made of.
func leaves(err error) []error {
	if err == nil {
		return nil
	}
	parts := kinderrors.Errors(err)
	if len(parts) == 0 {
		return []error{err}
	}
	var all []error
	for _, part := range parts {
		all = append(all, leaves(part)...)
	}
	return all
}

// whyTimeout bounds the question why something failed.
const whyTimeout = 10 * time.Second

// why adds to an error what the container wrote last, if that has ended.
func (b *Backend) why(ctx context.Context, container string, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, whyTimeout)
	defer cancel()
	c, inspectErr := b.Engine.Inspect(ctx, container)
	if inspectErr != nil || c.PID != 0 {
		return err
	}
	var log bytes.Buffer
	if b.Engine.Logs(ctx, container, &log) != nil {
		return err
	}
	said := lastLines(strings.TrimSpace(log.String()), 5)
	return simcloud.Errorf(simcloud.Unavailable, "container/"+container, "it ended%s; it wrote last: %s: %w", advice(said), said, err)
}

// advice is what helps against a limit of the host that nodes meet.
func advice(said string) string {
	if strings.Contains(said, "Too many open files") {
		return " since this host lets it watch too few files (raise them: sysctl -w fs.inotify.max_user_instances=1024 fs.inotify.max_user_watches=524288)"
	}
	return ""
}

func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
