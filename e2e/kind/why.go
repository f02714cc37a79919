package kind

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

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
