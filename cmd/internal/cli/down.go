package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

func newDownCommand(io output.Streams) *cobra.Command {
	var name string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop a sandbox and delete its data",
		Long: `Stop a sandbox and delete its data: its processes, its cloud, its logs. It
also cleans up after one that crashed. A file given to "simcloud up --data" stays.
A sandbox that is not there is no error.

It also removes what other sandboxes and runs of "simcloud test" left that were
killed: containers and networks in Docker, Podman and nerdctl, folders, and what
they made in clusters given by --backend existing. What belongs to one that runs,
or to another program, stays.`,
		Example: "  simcloud down\n  simcloud down --sandbox second",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := sandboxToEnd(name)
			if err != nil {
				return err
			}
			say := output.Printer(io.Err)
			return errors.Join(down(cmd.Context(), s, timeout, say), removeLeft(cmd.Context(), say))
		},
	}
	usage.SandboxFlag(cmd, &name, "name of the sandbox (default: the default one, or else the one that runs)", sandboxNames)
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "time after which a sandbox that does not end is killed")
	return cmd
}

// down ends a sandbox, if it is there.
func down(ctx context.Context, s sandbox.Folder, timeout time.Duration, say func(string)) error {
	if !s.Exists() {
		say(fmt.Sprintf("There is no sandbox %s.", s.Name))
		return nil
	}
	if err := endSandbox(ctx, s, timeout); err != nil {
		return err
	}
	say(fmt.Sprintf("The sandbox %s is gone.", s.Name))
	return unmergeKubeconfig(s.Name)
}

// sandboxToEnd returns the sandbox of that name, or the one that is meant
// without one. What is left of the default one goes before another that runs:
// who cleans up after a crash must not end that.
func sandboxToEnd(name string) (sandbox.Folder, error) {
	s, err := sandbox.Open(cmp.Or(name, sandbox.Default))
	if err == nil && name == "" && !s.Exists() {
		return sandbox.FindLeft("")
	}
	return s, err
}

// endSandbox ends the process of a sandbox and returns when all its processes and its folder are gone.
func endSandbox(ctx context.Context, s sandbox.Folder, timeout time.Duration) error {
	if err := endProcesses(ctx, s, timeout); err != nil {
		return fmt.Errorf("end the sandbox %s: %w", s.Name, err)
	}
	if !s.Exists() {
		return nil // it removed its folder itself
	}
	lock, err := s.Lock()
	if err != nil {
		return fmt.Errorf("end the sandbox %s: %w", s.Name, err)
	}
	return errors.Join(s.Remove(), lock.Release())
}

// endProcesses ends what runs. The ports of a sandbox that crashed may be
// another process's now: only those of one that ends here are waited for. Who still
// has one when all processes are gone is another process too, or a container, which
// goes with what is left.
func endProcesses(ctx context.Context, s sandbox.Folder, timeout time.Duration) error {
	var ports []string
	if s.Running() {
		ports = portsOf(s)
		if err := terminate(ctx, s, timeout); err != nil {
			return err
		}
	}
	closed := awaitClosed(ctx, ports)
	if err := s.AwaitChildren(ctx); err != nil {
		return errors.Join(err, closed)
	}
	if errors.Is(closed, errStillListens) && sandbox.SeesChildren() {
		return nil
	}
	return closed
}

// terminate asks the process of the sandbox to end, and kills it when it does not.
func terminate(ctx context.Context, s sandbox.Folder, timeout time.Duration) error {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		err := signalHolder(ctx, s, sig)
		if err == nil {
			waiting, cancel := context.WithTimeoutCause(ctx, timeout, errStillRuns)
			err = s.AwaitFree(waiting)
			cancel()
		}
		if !errors.Is(err, errStillRuns) {
			return err
		}
	}
	return errStillRuns
}

var errStillRuns = errors.New("its process does not end")

// signalHolder signals the process that holds the lock. It says its pid a moment
// after it took the lock; another "simcloud down" never does, and soon ends.
func signalHolder(ctx context.Context, s sandbox.Folder, sig syscall.Signal) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errors.New("it runs, but does not say its pid"))
	defer cancel()
	return sandbox.Poll(ctx, func() (bool, error) {
		pid, signed := s.Holder()
		if !signed {
			return !s.Running(), nil
		}
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return false, fmt.Errorf("signal process %d: %w", pid, err)
		}
		return true, nil
	})
}

// portsOf returns the addresses that the sandbox listens on, as far as its files tell.
func portsOf(s sandbox.Folder) []string {
	var ports []string
	state, err := s.ReadState()
	if err != nil {
		return nil
	}
	add := func(raw string) {
		if u, err := url.Parse(raw); err == nil && u.Host != "" {
			ports = append(ports, u.Host)
		}
	}
	add(state.Endpoint)
	if state.Kubeconfig == "" || state.Backend == backendExisting { // that one stays
		return ports
	}
	if access, err := clientcmd.BuildConfigFromFlags("", state.Kubeconfig); err == nil {
		add(access.Host)
	}
	return ports
}

var errStillListens = errors.New("another process still listens")

// awaitClosed waits until no process listens there: the children of a process
// that was killed go a moment after it.
func awaitClosed(ctx context.Context, ports []string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, fmt.Errorf("%w on %v", errStillListens, ports))
	defer cancel()
	var dialer net.Dialer
	return sandbox.Poll(ctx, func() (bool, error) {
		for _, port := range ports {
			if conn, err := dialer.DialContext(ctx, "tcp", port); err == nil {
				return false, conn.Close()
			}
		}
		return ctx.Err() == nil, context.Cause(ctx) // a dial that ctx ended tells nothing
	})
}
