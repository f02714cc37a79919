package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

const (
	// shortTimeout bounds the tests of a package that need no cluster. Those of ccm take 3 to 4 minutes on two cores
	// of their own, and took 15 on a machine that was shared: it ends what hangs, and judges no machine.
	shortTimeout = "-timeout=45m"
)

// nested are the modules besides the main one: that of the control plane, whose tests are built as it is, and the
// tests with AWS' client, of which the race detector would slow down minutes of compiling.
var nested = []string{"e2e/kube", "simcloud/dialect/aws/sdktest"}

// plain are tests that the gate runs without the race detector, by the folder of their package, since it would make
// them most of the gate's work: one goroutine that lets each call of many histories fail, or counts the calls for a
// thousand nodes; one that plays long histories, or looks at damaged files; a suite that has run with it over another
// connection; a walk over all fields of requests; a compressor. At night they run with it. One test has Services in its process, where the detector reports a race of upstream's.
var plain = map[string]string{
	"ccm": "MayFail$|^TestBudget$",
	"simcloud/core": "^TestRemember$|^TestKeptOperations$|^TestSubnetsByChance$|^TestDeterminism$|^TestForgetAnswers$|^TestGetEncoded|" +
		"^TestThePastIsHonest$|^TestSlowWatcher$|^TestFlips$|^TestKillWhileSaving$",
	"simcloud/client":         "^TestAPIOverTLS$",
	"simcloud/dialect/fields": "^TestFields$",
	"scripts/image":           "^TestTwoBuildsAreTheSame$",
	"scenarios/explore":       "^TestMovesShowBugs$",
}

// plainNames is the pattern of the names of all plain tests. That no other package has such names is a matter of a test.
func plainNames() string {
	return strings.Join(slices.Sorted(maps.Values(plain)), "|")
}

// plainFolder is the folder of a package that has plain tests.
func plainFolder(p goPackage) (folder string, ok bool) {
	for folder := range plain {
		if strings.HasSuffix(p.ImportPath, "/"+folder) {
			return folder, true
		}
	}
	return "", false
}

// sideBySide is how many packages' tests each of the strands of inProcess runs at a time.
func sideBySide() int { return runtime.NumCPU() }

// inProcess runs the tests that need no cluster. They are never run twice: what
// fails there now and then is a defect. While some are run, the binaries of others are linked, which waits for the disk.
func (g *gate) inProcess(ctx context.Context, all packages) error {
	strands, ctx := errgroup.WithContext(ctx)
	strands.Go(func() error { return g.withoutClusters(ctx, all.others) })
	strands.Go(func() error {
		built, err := g.buildTests(ctx, all.clusters)
		if err != nil {
			return err
		}
		return g.shortTests(ctx, built)
	})
	strands.Go(func() error { return g.withoutRace(ctx, all.all()) })
	return strands.Wait()
}

// withoutClusters runs the tests of packages none of which needs a cluster, with the race detector.
func (g *gate) withoutClusters(ctx context.Context, all []goPackage) error {
	args := append([]string{"test", "-json", "-trimpath", shortTimeout, fmt.Sprintf("-p=%d", sideBySide())}, raceFlags()...)
	if !g.nightly {
		args = append(args, "-skip="+plainNames())
	}
	for _, p := range all {
		args = append(args, p.ImportPath)
	}
	return g.goTest(ctx, ".", nil, args...)
}

// withoutRace runs the tests that run without the race detector, one package after the other.
func (g *gate) withoutRace(ctx context.Context, all []goPackage) error {
	noCgo := []string{"CGO_ENABLED=0"} // what is built in this way is cached by make build
	if !g.nightly {
		args := []string{"test", "-json", "-trimpath", "-vet=off", "-p=1", shortTimeout, "-run=" + plainNames()}
		for _, p := range all {
			if _, has := plainFolder(p); has {
				args = append(args, p.ImportPath)
			}
		}
		if err := g.goTest(ctx, ".", noCgo, args...); err != nil {
			return err
		}
	}
	for _, module := range nested {
		if err := g.goTest(ctx, module, noCgo, "test", "-json", "-trimpath", "-vet=off", "-p=1", shortTimeout, "./..."); err != nil {
			return err
		}
	}
	return nil
}

// shortTests runs what needs no cluster in packages that have tests on clusters too.
func (g *gate) shortTests(ctx context.Context, all []goPackage) error {
	running, ctx := errgroup.WithContext(ctx)
	running.SetLimit(sideBySide())
	for _, p := range all {
		running.Go(func() error {
			results, err := g.runBinary(ctx, p, g.tellPackage, "-test.short", "-test."+shortTimeout[1:])
			g.mu.Lock()
			defer g.mu.Unlock()
			g.results = append(g.results, results...)
			return err
		})
	}
	return running.Wait()
}

// buildTests builds the test binaries of packages that are run more than once. It returns the packages that have one:
// one that does not build is a result.
func (g *gate) buildTests(ctx context.Context, all []goPackage) (built []goPackage, err error) {
	out, together := g.compile(ctx, all...)
	if together == nil {
		return all, nil
	}
	for _, p := range all { // which one it is; the others are linked already
		if out, err := g.compile(ctx, p); err != nil {
			g.failWhole(p, out)
			continue
		}
		built = append(built, p)
	}
	if ctx.Err() != nil || len(built) == len(all) {
		return nil, fmt.Errorf("build the tests: %w\n%s", together, out)
	}
	return built, nil
}

// failWhole records and tells that a package failed before any of its tests ran.
func (g *gate) failWhole(p goPackage, output string) {
	r := &packageResult{ImportPath: p.ImportPath, Action: "fail"}
	r.Output.WriteString(output)
	g.mu.Lock()
	g.results = append(g.results, r)
	g.mu.Unlock()
	g.tellPackage(r, event{}, true)
}

// compile builds test binaries. It returns what the compiler printed.
func (g *gate) compile(ctx context.Context, all ...goPackage) (out string, err error) {
	// Without what debuggers need, as go test itself links: it is half of the linker's work.
	args := append([]string{"test", "-c", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(g.report, "tests") + string(filepath.Separator)}, raceFlags()...)
	for _, p := range all {
		args = append(args, p.ImportPath)
	}
	raw, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	return string(raw), err
}

// goTest runs "go test -json" in a folder.
func (g *gate) goTest(ctx context.Context, dir string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	results, err := g.collect(cmd, g.tellPackage)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.results = append(g.results, results...)
	return err
}

// runBinary runs the test binary of a package.
func (g *gate) runBinary(ctx context.Context, p goPackage, tell teller, args ...string) ([]*packageResult, error) {
	path, err := filepath.Abs(filepath.Join(g.report, "tests", p.binary()))
	if err != nil {
		return nil, err
	}
	args = append([]string{"tool", "test2json", "-t", "-p", p.ImportPath, path, "-test.v=test2json", "-test.paniconexit0"}, args...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = p.Dir
	return g.collect(cmd, tell)
}

// teller tells of an event of a package.
type teller func(p *packageResult, e event, ended bool)

// collect runs a command that writes events. That tests failed is no error.
func (g *gate) collect(cmd *exec.Cmd, tell teller) ([]*packageResult, error) {
	var stderr bytes.Buffer // others write to g.out meanwhile
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	results, err := read(out, tell)
	ended := cmd.Wait()
	for _, r := range results {
		r.end(tell)
	}
	g.mu.Lock()
	fmt.Fprint(g.out, stderr.String())
	g.mu.Unlock()
	var exit *exec.ExitError
	if errors.As(ended, &exit) && len(results) > 0 {
		ended = nil
	}
	return results, errors.Join(err, ended)
}

// end tells of the end of a package for which no event did: its test binary ended in the middle of a test, or tests need the
// package and it does not build.
func (p *packageResult) end(tell teller) {
	if !p.ended {
		p.Action, p.ended = "fail", true
		tell(p, event{}, true)
	}
}

// tellPackage prints a line for each package that ends, and all about one that fails.
func (g *gate) tellPackage(p *packageResult, _ event, ended bool) {
	if !ended {
		return
	}
	passed, failed, skipped := p.count()
	g.mu.Lock()
	defer g.mu.Unlock()
	if failed == 0 {
		fmt.Fprintf(g.out, "ok    %s  %.1fs  (%d passed, %d skipped)\n", p.ImportPath, p.Elapsed, passed, skipped)
		return
	}
	fmt.Fprintf(g.out, "FAIL  %s  %.1fs  (%d passed, %d failed)\n%s", p.ImportPath, p.Elapsed, passed, failed, p.Output.String())
	for _, t := range p.failures() {
		fmt.Fprintf(g.out, "%s\n", t.Output.String())
	}
}
