package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/e2e/slots"
)

// mostRetries is how many tests are run once more: where more fail, a change has broken something.
const mostRetries = 6

// clusterTests are tests of a package that need a cluster.
type clusterTests struct {
	pkg     goPackage
	pattern string   // of their names
	names   []string // when they are known
}

// onClusters runs the tests that need a cluster.
func (g *gate) onClusters(ctx context.Context, all []goPackage) error {
	var chosen []clusterTests
	for _, p := range all {
		if names := g.needClusters(p); len(names) > 0 {
			chosen = append(chosen, clusterTests{p, anyOf(names), names})
		}
	}
	return g.runClusters(ctx, chosen)
}

// runClusters runs tests on clusters, as many packages and tests at a time as the machine has slots, which they wait
// for. Those that failed are run once more alone, unless it is the nightly run or they show a defect.
func (g *gate) runClusters(ctx context.Context, chosen []clusterTests) error {
	failed, err := g.firstRun(ctx, chosen)
	if err != nil {
		return err
	}
	if g.nightly || len(failed) == 0 {
		return nil
	}
	if len(failed) > mostRetries {
		fmt.Fprintf(g.out, "%d tests failed on clusters, more than the %d that are run once more\n", len(failed), mostRetries)
		return nil
	}
	return g.retryAll(ctx, g.withoutDefects(failed))
}

// withoutDefects are the failed tests that may be flaky. It prints why those of other packages may not.
func (g *gate) withoutDefects(failed []failedTest) (left []failedTest) {
	var last *packageResult
	for _, f := range failed {
		why := f.result.defect()
		if why == "" {
			left = append(left, f)
		} else if f.result != last {
			fmt.Fprintf(g.out, "no test of %s is run once more: %s\n", f.pkg.ImportPath, why)
		}
		last = f.result
	}
	return left
}

// retryAll runs tests once more, one after the other.
func (g *gate) retryAll(ctx context.Context, failed []failedTest) error {
	if len(failed) == 0 {
		return nil
	}
	g.say("%d that failed, once more, each alone", len(failed))
	for _, f := range failed {
		if err := g.retry(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// firstRun runs tests on clusters. It returns those that failed.
func (g *gate) firstRun(ctx context.Context, chosen []clusterTests) (failed []failedTest, err error) {
	machine, err := slots.Here()
	if err != nil {
		return nil, err
	}
	parallel := fmt.Sprintf("-test.parallel=%d", machine.Parallel())
	running, ctx := errgroup.WithContext(ctx)
	running.SetLimit(machine.Parallel())
	for _, c := range chosen {
		running.Go(func() error {
			results, err := g.runBinary(ctx, c.pkg, g.tellTest, "-test.run="+c.pattern, parallel, g.clusterTimeout())
			g.mu.Lock()
			defer g.mu.Unlock()
			for _, r := range results {
				r.complete(c.names)
				g.results = append(g.results, r)
				for _, t := range r.failures() {
					failed = append(failed, failedTest{c.pkg, r, t})
				}
			}
			return err
		})
	}
	return failed, running.Wait()
}

// clusterTimeout bounds the tests of a package on clusters, the time that they wait for slots included.
func (g *gate) clusterTimeout() string {
	if g.nightly {
		return "-test.timeout=0"
	}
	return "-test.timeout=40m"
}

// needClusters names the tests of a package that were left out of the short run, or a part
// of which was, because they need a cluster.
func (g *gate) needClusters(p goPackage) (names []string) {
	for _, r := range g.results {
		if r.ImportPath != p.ImportPath {
			continue
		}
		for _, t := range r.Tests {
			if t.Action == "skip" && strings.Contains(t.Output.String(), planetest.NeedsCluster) && !slices.Contains(names, t.root()) {
				names = append(names, t.root())
			}
		}
		// It is no result: the test has yet to run.
		r.Tests = slices.DeleteFunc(r.Tests, func(t *testResult) bool { return slices.Contains(names, t.root()) })
	}
	return names
}

// complete adds those of the tests that were to run and of which nothing was heard, since the process has ended before.
// When nothing was heard of any, the package has failed as a whole.
func (p *packageResult) complete(names []string) {
	if len(p.Tests) == 0 && p.failed() {
		return
	}
	for _, name := range names {
		if p.byName[name] == nil {
			p.test(name).Output.WriteString("the test binary ended before this test began\n")
		}
	}
}

// failedTest is a test that failed.
type failedTest struct {
	pkg    goPackage
	result *packageResult
	test   *testResult
}

// retry runs a test once more. When it passes it is flaky.
func (g *gate) retry(ctx context.Context, f failedTest) error {
	g.retries++
	results, err := g.runBinary(ctx, f.pkg, g.tellTest, "-test.run="+exactly(f.test.Name), g.clusterTimeout())
	if err != nil {
		return err
	}
	for _, r := range results {
		if again := r.byName[f.test.Name]; again == nil || again.Action != "pass" || r.failed() {
			continue
		}
		f.result.forgive(f.test)
		g.flaky = append(g.flaky, f.pkg.ImportPath+" "+f.test.Name)
	}
	return nil
}

// forgive makes a test that failed one that has passed, and those that it is a part
// of, unless another part of them failed too.
func (p *packageResult) forgive(t *testResult) {
	t.Action, t.Flaked = "pass", t.Output.String()
	for name, cut := cutLast(t.Name); cut; name, cut = cutLast(name) {
		parent := p.byName[name]
		if parent == nil || slices.ContainsFunc(p.Tests, func(sub *testResult) bool {
			return strings.HasPrefix(sub.Name, name+"/") && sub.Action != "pass" && sub.Action != "skip"
		}) {
			break
		}
		parent.Action = "pass"
	}
	if len(p.failures()) == 0 {
		p.Action = "pass"
	}
}

// cutLast takes the last part off a test's name.
func cutLast(name string) (parent string, cut bool) {
	i := strings.LastIndex(name, "/")
	if i < 0 {
		return "", false
	}
	return name[:i], true
}

// anyOf is the pattern of tests with these names.
func anyOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// exactly is the pattern of a test, or a subtest, with this name.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// tellTest prints a line for each test that ends, and all about one that fails.
func (g *gate) tellTest(p *packageResult, e event, ended bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ended && p.Action == "fail" {
		fmt.Fprintf(g.out, "FAIL  %s  %.1fs\n%s", p.ImportPath, p.Elapsed, p.Output.String())
		return
	}
	if e.Test == "" {
		return
	}
	t := p.byName[e.Test]
	switch e.Action {
	case "pass":
		fmt.Fprintf(g.out, "pass  %s  %.1fs\n", t.Name, t.Elapsed)
	case "skip":
		fmt.Fprintf(g.out, "skip  %s: %s\n", t.Name, lastLine(t.Output.String()))
	case "fail":
		fmt.Fprintf(g.out, "fail  %s  %.1fs\n%s", t.Name, t.Elapsed, t.Output.String())
	}
}

// lastLine is the last line that a skipped test has printed itself: why it was skipped.
func lastLine(output string) string {
	reason := ""
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "=== ") {
			reason = line
		}
	}
	return reason
}
