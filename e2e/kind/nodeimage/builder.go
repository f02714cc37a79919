package nodeimage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

// builder is one build.
type builder struct {
	cache    cache
	recipe   recipe
	work     string // a folder for what is needed only now
	progress func(string)
}

// progressPeriod is how often a build says that it still runs.
const progressPeriod = 15 * time.Second

// step tells that something begins, that it goes on, and, when done is called, how long it took.
func (b *builder) step(what string) (done func()) {
	began := time.Now()
	elapsed := func() time.Duration { return time.Since(began).Round(time.Second) }
	b.progress("building " + what)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(progressPeriod)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.progress(fmt.Sprintf("building %s: %s so far", what, elapsed()))
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-gone
		b.progress(fmt.Sprintf("it took %s: %s", elapsed(), what))
	}
}

// run runs a command to its end. What it says is in a log, and its end in the error.
func (b *builder) run(ctx context.Context, spec process.Spec) error {
	log, err := os.CreateTemp(b.work, "*.log")
	if err != nil {
		return err
	}
	spec.LogFile = log.Name()
	return errors.Join(log.Close(), process.Run(ctx, spec))
}

// output is what a command prints.
func (b *builder) output(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = b.work, append(os.Environ(), goEnv()...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s: %w: %s", filepath.Base(name), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
