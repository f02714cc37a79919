package gobuild

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// toolchain returns the path of a go command that can build in the module
// dir, or an error that says what would be one.
func (p Program) toolchain(ctx context.Context, dir string) (string, error) {
	advice := fmt.Sprintf("install Go %s or newer from https://go.dev/dl/, or %s", p.Go, p.Instead)
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", fmt.Errorf("no go command on the PATH; %s", advice)
	}
	cmd := exec.CommandContext(ctx, tool, "list", "-m")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), environment()...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, err := cmd.Output(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("%s does not do: %s; %s", tool, lastLine(stderr.String(), err), advice)
	}
	return tool, nil
}

// lastLine is what a command said last, or else how it ended.
func lastLine(text string, err error) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return err.Error()
}

// environment keeps the user's settings for other modules out of the build. Without
// cgo it needs no C compiler.
func environment() []string {
	return []string{"CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GO111MODULE=on", "GOOS=", "GOARCH="}
}
