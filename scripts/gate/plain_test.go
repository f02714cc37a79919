package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPlain: the gate leaves these names out of all packages when it runs with the race detector, so that only the packages
// that it then runs without it may have them, and each pattern must be one of tests that exist.
func TestPlain(t *testing.T) {
	t.Chdir("../..")
	found, err := listPackages(t.Context(), "./...")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	for _, p := range found.all() {
		folder, has := plainFolder(p)
		for _, name := range testsOf(t, p) {
			if regexp.MustCompile(plainNames()).MatchString(name) && (!has || !regexp.MustCompile(plain[folder]).MatchString(name)) {
				t.Errorf("%s.%s has a name that the gate leaves out there", p.ImportPath, name)
			}
			names[folder] = append(names[folder], name)
		}
	}
	for folder, patterns := range plain {
		for pattern := range strings.SplitSeq(patterns, "|") {
			if !slices.ContainsFunc(names[folder], regexp.MustCompile(pattern).MatchString) {
				t.Errorf("%s: no test matches %s", folder, pattern)
			}
		}
	}
}

// testsOf names the tests of a package.
func testsOf(t *testing.T, p goPackage) (names []string) {
	t.Helper()
	for _, file := range append(slices.Clone(p.TestGoFiles), p.XTestGoFiles...) {
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(read1(t, filepath.Join(p.Dir, file)), -1) {
			names = append(names, found[1])
		}
	}
	return names
}
