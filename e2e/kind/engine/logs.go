package engine

import (
	"bytes"
	"context"
	"io"
	"regexp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Logs writes what the container's first process wrote so far.
func (e *Engine) Logs(ctx context.Context, container string, w io.Writer) error {
	return e.stream(ctx, nil, w, "logs", container)
}

// AwaitLog waits until what the container's first process writes to its
// terminal has a match for this expression. The end of the container is an error.
func (e *Engine) AwaitLog(ctx context.Context, container string, want *regexp.Regexp) error {
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	seen := &awaited{want: want, found: cancel}
	err := e.stream(following, nil, seen, "logs", "--follow", container)
	switch {
	case seen.done:
		return nil
	case err != nil:
		return err
	}
	return e.errorf(simcloud.Unavailable, "the container %s ended before it wrote %q; it wrote last: %.500s", container, want, lastOf(seen.text, 500))
}

// awaited calls found when what is written to it has a match.
type awaited struct {
	want  *regexp.Regexp
	found func()
	text  []byte
	done  bool
}

func (a *awaited) Write(p []byte) (int, error) {
	a.text = append(a.text, p...)
	if !a.done && a.want.Match(a.text) {
		a.done = true
		a.found()
	}
	return len(p), nil
}

func lastOf(text []byte, n int) []byte {
	return bytes.TrimSpace(text[max(0, len(text)-n):])
}
