package simcloud_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const architecture = "../docs/architecture.md"

// generated matches the list of packages, between its marks.
var generated = regexp.MustCompile(`(?s)(<!-- generated: [^\n]*TestArchitecture[^\n]* -->\n).*?(<!-- end -->)`)

// TestArchitecture holds docs/architecture.md to the tree: what it names is
// there, and its list of packages has each with the first sentence of its doc comment.
func TestArchitecture(t *testing.T) {
	page, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	if !generated.Match(page) {
		t.Fatalf("%s has no marks for its list of packages", architecture)
	}
	want := generated.ReplaceAllString(string(page), "${1}"+strings.ReplaceAll(packageList(t), "$", "$$")+"${2}")
	if *update {
		if err := os.WriteFile(architecture, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Error("its list of packages is of another state: go test ./simcloud -run TestArchitecture -update")
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
}

// packageList is a table of all packages, each with its first sentence.
func packageList(t *testing.T) string {
	t.Helper()
	var list strings.Builder
	list.WriteString("| package | what it is |\n|---|---|\n")
	lines := goList(t, "{{.ImportPath}} {{.Doc}}", module+"...")
	for _, pkg := range slices.Sorted(maps.Keys(lines)) {
		doc := strings.Join(lines[pkg], " ")
		if doc == "" {
			t.Errorf("package %s has no doc comment", pkg)
		}
		fmt.Fprintf(&list, "| `%s` | %s |\n", strings.TrimPrefix(pkg, module), sentence(doc))
	}
	return list.String()
}

// sentence is a doc comment without the name of what it is about.
func sentence(doc string) string {
	for _, start := range []string{"Package ", "Command "} {
		doc = strings.TrimPrefix(doc, start)
	}
	_, doc, _ = strings.Cut(doc, " ")
	return strings.NewReplacer("|", "\\|", "[", "", "]", "").Replace(strings.TrimPrefix(doc, "is "))
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
