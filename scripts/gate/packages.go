package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// lends is the package that lends clusters to tests: a package whose tests import it has some that need one.
const lends = "/e2e/planetest"

// goPackage is what the gate needs to know of a package.
type goPackage struct {
	ImportPath   string
	Dir          string
	TestGoFiles  []string
	XTestGoFiles []string
	TestImports  []string
	XTestImports []string
	Error        *struct{ Err string } // why its files cannot be read
}

// tests reports whether the package has tests. One that cannot be read is taken for one that has: running it reports the error.
func (p goPackage) tests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 || p.Error != nil }

func (p goPackage) needsClusters() bool {
	return slices.ContainsFunc(append(slices.Clone(p.TestImports), p.XTestImports...), func(imported string) bool {
		return strings.HasSuffix(imported, lends)
	})
}

// binary is the name that the package's test binary gets.
func (p goPackage) binary() string { return path.Base(p.ImportPath) + ".test" }

// packages are those of the module that have tests.
type packages struct {
	others   []goPackage // none of their tests needs a cluster
	clusters []goPackage
}

func (p packages) all() []goPackage { return append(slices.Clone(p.others), p.clusters...) }

// listPackages finds the packages with tests among those that are named.
func listPackages(ctx context.Context, names ...string) (found packages, err error) {
	args := append([]string{"list", "-e", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,TestImports,XTestImports,Error"}, names...)
	out, err := exec.CommandContext(ctx, "go", args...).Output()
	if err != nil {
		return found, fmt.Errorf("list the packages: %w", withStderr(err))
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return found, fmt.Errorf("list the packages: %w", err)
		}
		switch {
		case !p.tests():
		case p.needsClusters():
			found.clusters = append(found.clusters, p)
		default:
			found.others = append(found.others, p)
		}
	}
}

// withStderr adds what a program has said to the error of its end.
func withStderr(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}
