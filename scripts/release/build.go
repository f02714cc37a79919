package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build compiles the program to a path.
func (b build) build(ctx context.Context, root, path string, v values) error {
	ldflags, err := v.expand(strings.Join(b.Ldflags, " "))
	if err != nil {
		return fmt.Errorf("ldflags: %w", err)
	}
	into, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	args := append([]string{"build"}, b.Flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "-ldflags="+ldflags, "-o", into, b.Main)...)
	cmd.Dir = filepath.Join(root, b.Dir)
	cmd.Env = append(append(os.Environ(), "GOOS="+v.Os, "GOARCH="+v.Arch), b.Env...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build %s: %w", b.Main, err)
	}
	return nil
}
