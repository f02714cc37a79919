package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// wholes are files of packages that fail while no test of them does. %s is the name of the package.
var wholes = map[string]struct{ file, text, prints string }{
	"build": {"a_test.go", "package %s\n\nvar n int = false\n", "cannot use false"},
	"parse": {"a_test.go", "package %s\n\nimport (\n", "a_test.go:3:10: expected"},
	"early": {"a_test.go", "package %s\n\nfunc init() { panic(\"at init\") }\n", "panic: at init"},
	"ends": {"a_test.go", `package %s

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { println("odd"); os.Exit(m.Run() + 7) }

func TestA(t *testing.T) {}
`, "odd"},
	"needed":       {"a.go", "package %s\n\nvar n int = false\n", "cannot use false"},
	"needs":        {"a_test.go", "package %s\n\nimport _ \"example.com/tree/needed\"\n", "build failed"},
	"clusterbuild": {"a_test.go", onCluster + "var n int = false\n", "cannot use false"},
	"clusterearly": {"a_test.go", onCluster + "func init() { panic(\"at init\") }\n", "panic: at init"},
	"clusterlate":  {"a_test.go", onCluster + "func init() { if !slices.Contains(os.Args, \"-test.short\") { panic(\"late\") } }\n", "panic: late"},
}

// onCluster begins a package with a test on clusters.
const onCluster = `package %s

import (
	"os"
	"slices"
	"testing"

	"example.com/tree/e2e/planetest"
)

func TestA(t *testing.T) { planetest.Cluster(t) }

var _ = slices.Contains(os.Args, "")

`

// TestWholePackage: a package that fails while no test of it does is named, in the end and in junit.xml, with what it printed;
// all others run.
func TestWholePackage(t *testing.T) {
	dir := t.TempDir()
	for folder, whole := range wholes {
		write1(t, filepath.Join(dir, folder, whole.file), fmt.Sprintf(whole.text, folder))
	}
	code, out := runGate(t, dir)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	contains(t, "the output", out, "ok    example.com/tree/plain  ", "ok    example.com/tree/clusters  ", "pass  TestFlaky  ",
		fmt.Sprintf("tests: 12 passed, %d failed, 0 skipped\n", len(wholes)))
	summary := read1(t, filepath.Join(dir, "out", "gate", "summary.txt"))
	junit := read1(t, filepath.Join(dir, "out", "gate", "junit.xml"))
	for folder, whole := range wholes {
		pkg := "example.com/tree/" + folder
		contains(t, "the output", out, "FAIL  "+pkg+"  ", whole.prints)
		contains(t, "the summary", summary, "failed: "+pkg+": "+wholeFailure+"\n")
		contains(t, "junit.xml", suiteOf(t, junit, pkg),
			`<testcase name="package" classname="`+pkg+`"`, `<failure message="`+wholeFailure+`">`, whole.prints)
	}
}

// suiteOf are the suites of a package in junit.xml.
func suiteOf(t *testing.T, junit, pkg string) (text string) {
	t.Helper()
	for _, suite := range strings.Split(junit, "<testsuite ")[1:] {
		if strings.HasPrefix(suite, `name="`+pkg+`"`) {
			text += suite
		}
	}
	return text
}
