package edge

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// log says what happened: defects aloud, the rest to those who ask for it.
func (c *call) log(ctx context.Context, status int, code simcloud.Code, took time.Duration, err error) {
	level := slog.LevelDebug
	if code == simcloud.Internal && !c.injected {
		level = slog.LevelError
	}
	if !c.edge.Log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request", c.id), slog.String("operation", c.endpoint.Operation), slog.String("resource", c.resource),
		slog.Int("status", status), slog.String("code", string(code)), slog.Duration("took", took),
		slog.String("token", string(c.caller.Token)), slog.String("project", string(c.caller.Project)),
		slog.String("userAgent", c.caller.UserAgent),
	}
	if c.hit != nil {
		attrs = append(attrs, slog.String("fault", string(c.hit.Fault)))
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		attrs = append(attrs, slog.String("error", c.redactor.Text(explain(err))))
	}
	c.edge.Log.LogAttrs(ctx, level, "request", attrs...)
}

// explain is an error for the log. What is said of fields repeats what a body
// holds, which may be a secret: the log has the names of the fields alone.
func explain(err error) string {
	var e *simcloud.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return err.Error()
	}
	var names []string
	for _, field := range e.Fields {
		names = append(names, field.Field)
	}
	plain := *e
	plain.Fields = nil
	return plain.Error() + ": " + strings.Join(names, ", ")
}
