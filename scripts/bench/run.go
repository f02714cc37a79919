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
	"runtime"
	"strconv"
	"strings"
	"time"
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
		if err := m.runSimulated(ctx, i+1); err != nil {
			return nil, err
		}
	}
	return &m.figures, nil
}

// measurement is one run of this program.
type measurement struct {
	dir      string // scratch
	progress io.Writer
	cpu      float64 // seconds of a core that the last command took
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

// exploring is how long an exploration begins new histories.
const exploring = 30 * time.Second

// runSimulated runs what has its goal in simulated time.
func (m *measurement) runSimulated(ctx context.Context, run int) error {
	m.say("simulated time, run %d of %d", run, m.runs)
	if err := m.timed(ctx, &m.library, "bin/simcloud", "test", "--backend", "simulated"); err != nil {
		return err
	}
	if err := m.timed(ctx, &m.mutants, "bin/test/mutantccm", "--simulate"); err != nil {
		return err
	}
	output, _, err := m.command(ctx, "bin/simcloud", "explore", "--backend", "simulated", "--seed", strconv.Itoa(run),
		"--parallel", strconv.Itoa(runtime.NumCPU()), "--time", exploring.String(), "--out", m.dir)
	if err != nil {
		return err
	}
	histories, seconds, err := parseExplored(output)
	if err != nil {
		return err
	}
	m.histories = append(m.histories, 60*histories/seconds)
	m.history = append(m.history, m.cpu/histories)
	return nil
}

// timed runs a program, and adds how many seconds it took.
func (m *measurement) timed(ctx context.Context, seconds *[]float64, name string, args ...string) error {
	begun := time.Now()
	_, _, err := m.command(ctx, name, args...)
	*seconds = append(*seconds, time.Since(begun).Seconds())
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
	m.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return out.String(), errs.String(), nil
}
