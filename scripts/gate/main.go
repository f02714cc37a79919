// Command gate runs this project's tests as they must pass before a change lands: see
// docs/gate.md. First the tests that need no cluster, with the race detector, never
// twice; then those on clusters, as many at a time as the machine has slots. One of
// these that fails is run once more alone: passing then it is flaky, which is printed,
// counted, and kept in a ledger; failing twice it has failed.
//
//	gate [--nightly] [--report DIR] [--ledger FILE]
//	gate --run PATTERN [--nightly] [--report DIR] [--ledger FILE] PACKAGE...
//
// With --nightly all tests run, also those that the gate leaves out, and none twice. With
// --run only these tests of these packages run, as tests on clusters.
// Its last line counts tests: "tests: N passed, N failed, N skipped". The exit code is 0
// when none failed, 1 when one did, and 2 when the tests could not be run.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the flags.
type options struct {
	nightly bool
	report  string
	ledger  string
	run     string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("gate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.nightly, "nightly", false, "run all tests, and none of them twice")
	flags.StringVar(&o.report, "report", "out/gate", "folder for junit.xml, what each test printed, and the test binaries")
	flags.StringVar(&o.ledger, "ledger", defaultLedger(), "file to which flaky and failed cluster tests are appended")
	flags.StringVar(&o.run, "run", "", "run only these tests of the packages that are named, as tests on clusters")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if (o.run == "") != (flags.NArg() == 0) {
		fmt.Fprintln(stderr, "gate: --run needs packages, and packages need --run")
		return 2
	}
	g := &gate{options: o, out: stdout, began: time.Now()}
	do := g.all
	if o.run != "" {
		do = func(ctx context.Context) error { return g.only(ctx, flags.Args()) }
	}
	g.broken = do(ctx)
	return g.finish(stderr)
}

// gate is one run.
type gate struct {
	options
	began   time.Time
	mu      sync.Mutex // guards out and results while packages run side by side
	out     io.Writer
	results []*packageResult
	flaky   []string // of tests on clusters
	retries int
	commit  string // that is tested; "none" outside a git repository
	broken  error  // why the tests could not be run
}

// say prints a line with the time since the beginning.
func (g *gate) say(format string, args ...any) {
	fmt.Fprintf(g.out, "\n==> %s  (%ds)\n", fmt.Sprintf(format, args...), int(time.Since(g.began).Seconds()))
}

// all runs every test. It returns an error when they could not be run.
func (g *gate) all(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(g.report, "tests"), 0o755); err != nil {
		return err
	}
	packages, err := listPackages(ctx, "./...")
	if err != nil {
		return err
	}
	if err := g.setEnvironment(ctx); err != nil {
		return err
	}
	g.say("tests of %d packages that need no cluster%s", len(packages.all()), raceWords())
	if err := g.inProcess(ctx, packages); err != nil {
		return err
	}
	g.say("tests on clusters%s", raceWords())
	return g.onClusters(ctx, packages.clusters)
}

// only runs the tests of --run.
func (g *gate) only(ctx context.Context, names []string) error {
	if err := os.MkdirAll(filepath.Join(g.report, "tests"), 0o755); err != nil {
		return err
	}
	packages, err := listPackages(ctx, names...)
	if err != nil {
		return err
	}
	if err := g.setEnvironment(ctx); err != nil {
		return err
	}
	built, err := g.buildTests(ctx, packages.all())
	if err != nil {
		return err
	}
	var chosen []clusterTests
	for _, p := range built {
		chosen = append(chosen, clusterTests{p, g.run, nil})
	}
	return g.runClusters(ctx, chosen)
}

// gcPercent trades memory for time in the compiler, the tests and what they start: collecting garbage is a sixth of their
// work, and the gate has too few cores and not too little memory.
const gcPercent = "400"

// atExit is how long a process that the race detector watches waits at its end, in the terms of GORACE: there are hundreds,
// and by itself each waits for a second.
const atExit = "atexit_sleep_ms=20"

// setEnvironment tells the tests which commit this is and, since all run at night anyway, what it touches by day.
func (g *gate) setEnvironment(ctx context.Context) error {
	for name, value := range map[string]string{"GOGC": gcPercent, "GORACE": atExit} {
		if _, set := os.LookupEnv(name); set {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	commit, labels, err := touched(ctx)
	if err != nil {
		return err
	}
	g.commit = commit
	if err := os.Setenv(planetest.EnvSample, commit); err != nil {
		return err
	}
	if g.nightly {
		fmt.Fprintf(g.out, "all tests of %s\n", commit)
		return os.Setenv(planetest.EnvNightly, "1")
	}
	fmt.Fprintf(g.out, "sample of %s; the change touches %s\n", commit, orNone(labels))
	return os.Setenv("SIMCLOUD_TOUCHED", strings.Join(labels, ","))
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "no clause"
	}
	return strings.Join(words, ", ")
}

// raceFlags are those of the race detector, which needs a C compiler.
func raceFlags() []string {
	out, err := exec.Command("go", "env", "CC").Output() //nolint:noctx // it ends at once
	if err == nil {
		if _, err = exec.LookPath(strings.TrimSpace(string(out))); err == nil {
			return []string{"-race"}
		}
	}
	return nil
}

func raceWords() string {
	if raceFlags() == nil {
		return ", without the race detector: there is no C compiler"
	}
	return ", with the race detector"
}
