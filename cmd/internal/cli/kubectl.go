package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

func newKubectlCommand(io output.Streams) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "kubectl [--sandbox NAME] ARGS...",
		Short: "Run kubectl on the cluster of a sandbox",
		Long: `Run kubectl on the cluster of a sandbox, without setting KUBECONFIG in the shell. It is
the kubectl in PATH, or else the one that the sandbox brings. All that follows the first
argument is kubectl's, and so is the exit code.`,
		Example: "  simcloud kubectl get nodes -o wide\n  simcloud kubectl --sandbox second describe service web",
		RunE: func(cmd *cobra.Command, args []string) error {
			state, err := readySandbox(name)
			if err != nil {
				return err
			}
			return runKubectl(cmd.Context(), io, state, args)
		},
	}
	usage.SandboxFlag(cmd, &name, "name of the sandbox (default: the one that runs)", sandboxNames)
	cmd.Flags().SetInterspersed(false)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.Usage(fmt.Errorf("%w: flags of kubectl go after its command, as in \"%s get pods -n NAME\", or after --", err, cmd.CommandPath()))
	})
	return cmd
}

// readySandbox is the state of a sandbox that runs and can be used.
func readySandbox(name string) (sandbox.State, error) {
	s, err := sandbox.Find(name)
	if err != nil {
		return sandbox.State{}, err
	}
	state, err := s.ReadState()
	if err == nil && state.Endpoint == "" {
		err = os.ErrNotExist
	}
	if err != nil {
		return sandbox.State{}, sandbox.NotRunning(s, err)
	}
	return state, nil
}

// kubectlGrace is how long an interrupted kubectl has to end.
const kubectlGrace = 5 * time.Second

// runKubectl runs kubectl with the streams of this process.
func runKubectl(ctx context.Context, io output.Streams, state sandbox.State, args []string) error {
	path, err := kubectlOf(state)
	if err != nil {
		return err
	}
	kubectl := exec.CommandContext(ctx, path, args...)
	kubectl.Env = append(os.Environ(), "KUBECONFIG="+state.Kubeconfig)
	kubectl.Stdin, kubectl.Stdout, kubectl.Stderr = io.In, io.Out, io.Err
	kubectl.Cancel = func() error { return kubectl.Process.Signal(os.Interrupt) }
	kubectl.WaitDelay = kubectlGrace
	err = kubectl.Run()
	var exited *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exited) && exited.ExitCode() > 0:
		return exit.Reported(exited.ExitCode())
	case err != nil:
		return exit.Environment(fmt.Errorf("run %s: %w", path, err))
	}
	return nil
}

// kubectlOf is the kubectl in PATH, or the one that a sandbox has made for users without one.
func kubectlOf(state sandbox.State) (string, error) {
	path, err := exec.LookPath("kubectl")
	if err == nil {
		return path, nil
	}
	if state.Path != "" {
		return filepath.Join(state.Path, "kubectl"), nil
	}
	return "", exit.Environment(errors.New("kubectl not found in PATH: install it; a sandbox that is started without one brings its own"))
}
