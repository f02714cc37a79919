package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// measure runs the Go benchmarks and then the product, each so many times.
func measure(ctx context.Context, runs int, progress io.Writer) (found *figures, err error) {
	dir, err := os.MkdirTemp("", "simcloud-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m := measurement{dir: dir, progress: progress, figures: figures{runs: runs}}
	if err := m.goBenchmarks(ctx); err != nil {
		return nil, err
	}
	for i := range runs {
		if err := m.runUp(ctx, i+1); err != nil {
			return nil, err
		}
		if err := m.runTest(ctx, i+1); err != nil {
			return nil, err
		}
	}
	return &m.figures, nil
}

// measurement is one run of this program.
type measurement struct {
	dir      string // scratch
	progress io.Writer
	figures
}

func (m *measurement) say(format string, args ...any) { fmt.Fprintf(m.progress, format+"\n", args...) }

func (m *measurement) goBenchmarks(ctx context.Context) error {
	m.say("Go benchmarks, %d runs each", m.runs)
	output, _, err := m.command(ctx, "go", "test", "-trimpath", "-run", "^$", "-bench", ".", "-benchtime", "0.5s",
		"-count", strconv.Itoa(m.runs), "./simcloud/...", "./cmd/internal/cli")
	if err != nil {
		return err
	}
	m.benchmarks, err = parseBenchmarks(output)
	return err
}

func (m *measurement) runUp(ctx context.Context, run int) error {
	m.say("simcloud up, run %d of %d", run, m.runs)
	_, progress, err := m.command(ctx, "bin/simcloud", "up", "--detach", "--sandbox", "bench")
	if err != nil {
		return err
	}
	took, steps, err := parseUp(progress)
	_, _, downErr := m.command(context.WithoutCancel(ctx), "bin/simcloud", "down", "--sandbox", "bench")
	m.up, m.upSteps = append(m.up, took), steps
	return errors.Join(err, downErr)
}

func (m *measurement) runTest(ctx context.Context, run int) error {
	m.say("simcloud test, run %d of %d", run, m.runs)
	report := filepath.Join(m.dir, "report"+strconv.Itoa(run))
	if _, _, err := m.command(ctx, "bin/simcloud", "test", "-l", "tier=core", "--report", report); err != nil {
		return err
	}
	raw, err := os.ReadFile(filepath.Join(report, "report.json"))
	if err != nil {
		return err
	}
	took, phases, err := parseReport(raw)
	m.test, m.phases = append(m.test, took), phases
	return err
}

// command runs a program to its end and returns what it has printed. Sandboxes
// are in a folder of their own. The error has all of the output.
func (m *measurement) command(ctx context.Context, name string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(m.dir, "state"))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it cleans up
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, &out, &errs)
	}
	return out.String(), errs.String(), nil
}
