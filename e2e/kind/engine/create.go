package engine

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// RunSpec describes a container that runs in the background.
type RunSpec struct {
	Name, Image string
	// Hostname is the container's name for itself; empty: the engine chooses.
	Hostname string
	// Network is the one to put it into; empty: the engine's own.
	Network string
	// Addresses are those in Network, at most one per family; none: the engine chooses.
	Addresses []netip.Addr
	Labels    map[string]string
	// Flags are further flags of the engine's run command, such as those of NodeFlags.
	Flags []string
	// Command replaces that of the image, if any is given.
	Command []string
}

// Run makes a container and starts it. After an error none is left, also when
// ctx ended meanwhile.
func (e *Engine) Run(ctx context.Context, spec RunSpec) error {
	err := e.runOut(ctx, spec.args()...)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return e.undo(ctx, spec, err)
	}
	return nil
}

func (s RunSpec) args() []string {
	args := []string{"run", "--detach", "--name", s.Name}
	if s.Hostname != "" {
		args = append(args, "--hostname", s.Hostname)
	}
	if s.Network != "" {
		args = append(args, "--network", s.Network)
	}
	args = append(args, addressFlags(s.Addresses)...)
	args = append(args, labelFlags(s.Labels)...)
	return slices.Concat(args, s.Flags, []string{s.Image}, s.Command)
}

func addressFlags(addrs []netip.Addr) []string {
	var flags []string
	for _, a := range addrs {
		if a.Is4() {
			flags = append(flags, "--ip", a.String())
		} else {
			flags = append(flags, "--ip6", a.String())
		}
	}
	return flags
}

func labelFlags(labels map[string]string) []string {
	var flags []string
	for key, value := range labels {
		flags = append(flags, "--label="+key+"="+value)
	}
	slices.SortFunc(flags, strings.Compare)
	return flags
}

// undoTimeout bounds the removal of what a failure left.
const undoTimeout = 30 * time.Second

// undo removes the container that a failed run left, unless the name is that
// of another's, and returns why the run failed.
func (e *Engine) undo(ctx context.Context, spec RunSpec, err error) error {
	if errors.Is(err, simcloud.AlreadyExists) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	return errors.Join(err, e.Remove(ctx, spec.Name))
}

// lingering bounds how long a command that makes something may go on after
// the end of its context.
const lingering = 10 * time.Second

// runOut is run for a command that makes something. The end of ctx does not
// break it off: the engine would go on alone, and what it makes would be unknown.
func (e *Engine) runOut(ctx context.Context, args ...string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	longer, end := linger(ctx, lingering)
	defer end()
	_, err := e.run(longer, nil, args...)
	return err
}

// linger returns a context that ends d after ctx does, for the same cause, or with end.
func linger(ctx context.Context, d time.Duration) (longer context.Context, end func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(context.Cause(ctx))
		case <-longer.Done():
		}
	})
	return longer, func() {
		stop()
		cancel(nil)
	}
}
