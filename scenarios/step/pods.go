package step

import (
	"context"
	"fmt"
	"strings"
)

// Pods is the access to what runs in pods.
type Pods interface {
	// Exec runs a command in a pod. A command that ends with another code than 0 is no error.
	Exec(ctx context.Context, command PodCommand) (PodResult, error)
}

// PodCommand is a command and the pod that it runs in.
type PodCommand struct {
	Namespace, Pod string
	// Container is empty for the pod's first one.
	Container string
	Command   []string
}

// PodResult is how a command ended.
type PodResult struct {
	ExitCode       int
	Stdout, Stderr string
}

// value is the result as expressions see it.
func (r PodResult) value(pod string) map[string]any {
	return map[string]any{"exitCode": int64(r.ExitCode), "stdout": r.Stdout, "stderr": r.Stderr, "pod": pod}
}

// problem says that the command failed; nil when it did not.
func (r PodResult) problem() error {
	if r.ExitCode == 0 {
		return nil
	}
	return fmt.Errorf("the command ended with %d: %s", r.ExitCode, strings.TrimSpace(r.Stderr))
}
