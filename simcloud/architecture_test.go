package simcloud_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestArchitecture holds docs/architecture.md to the tree: what it names is there.
func TestArchitecture(t *testing.T) {
	page, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	for _, match := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(page), -1) {
		name := match[1]
		switch {
		case strings.HasPrefix(name, "Test"):
			if !tests[name] {
				t.Errorf("there is no test %s", name)
			}
		case regexp.MustCompile(`^(simcloud|ccm|e2e|scenarios|cmd|scripts|docs)/[\w./-]*$`).MatchString(name):
			if _, err := os.Stat(filepath.Join("..", name)); err != nil {
				t.Errorf("%s does not exist", name)
			}
		}
	}
	for pkg := range direction {
		if short := filepath.Base(pkg); !strings.Contains(pkg, "kind/") && !strings.HasSuffix(short, "test") && !strings.Contains(string(page), short) {
			t.Errorf("the page has no word on package %s", pkg)
		}
	}
}

// testNames are those of all tests of this module.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, top := range []string{".", "../ccm", "../cmd", "../e2e", "../scenarios", "../scripts"} {
		err := filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
				names[string(match[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}
