package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// switches are what a test uses that runs less in the gate than at night: functions, and names of environment variables.
var switches = []string{
	"planetest.Nightly", "planetest.InNightly", "planetest.Sample",
	`"SIMCLOUD_NIGHTLY"`, `"SIMCLOUD_KIND"`, `"SIMCLOUD_MATRIX"`, `"SIMCLOUD_AGREEMENT"`,
}

// uses are what each declaration of a package's tests mentions: other declarations, "package.Name" and string literals.
type uses map[string]map[string]bool

// reaches reports whether a declaration mentions one of the words, by itself or through others.
func (u uses) reaches(name string, words []string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	for mentioned := range u[name] {
		if slices.Contains(words, mentioned) || u.reaches(mentioned, words, seen) {
			return true
		}
	}
	return false
}

// add adds what the declarations of a file mention.
func (u uses) add(file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			u.mention(d.Name.Name, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if values, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range values.Names {
						u.mention(name.Name, values)
					}
				}
			}
		}
	}
}

// mention adds what a declaration mentions. Methods of one name are taken for one.
func (u uses) mention(name string, decl ast.Node) {
	if u[name] == nil {
		u[name] = map[string]bool{}
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				u[name][x.Name+"."+n.Sel.Name] = true
			}
		case *ast.Ident:
			u[name][n.Name] = true
		case *ast.BasicLit:
			u[name][n.Value] = true
		}
		return true
	})
}

// testDeclarations reads all tests of the tree by folder.
func testDeclarations(t *testing.T, root string) map[string]uses {
	t.Helper()
	all := map[string]uses{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path != root && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.Dir(path)
		if all[folder] == nil {
			all[folder] = uses{}
		}
		all[folder].add(file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// testName is the name of a test, not of TestMain.
var testName = regexp.MustCompile(`^Test[A-Z]\w*$`)

// leftOut are the tests of a folder that the gate leaves out, or runs less of. A test that sets SIMCLOUD_NIGHTLY itself runs as
// a whole, and so does one on kind that make kind runs and that does not ask for the night.
func leftOut(u uses, inKind *regexp.Regexp) (names []string) {
	for name := range u {
		words := switches
		if inKind.MatchString(name) {
			words = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == `"SIMCLOUD_KIND"` })
		}
		if testName.MatchString(name) && !u[name]["planetest.EnvNightly"] && u.reaches(name, words, map[string]bool{}) {
			names = append(names, name)
		}
	}
	return names
}

// leftTable reads the rows of the table "What left the gate" of docs/gate.md: its first column, and all of it.
func leftTable(t *testing.T) (first, both string) {
	t.Helper()
	_, section, _ := strings.Cut(read1(t, "../../docs/gate.md"), "\n## What left the gate\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if columns := strings.Split(line, "|"); len(columns) == 4 {
			first, both = first+columns[1]+"\n", both+line
		}
	}
	if first == "" {
		t.Fatal("docs/gate.md has no table below \"What left the gate\"")
	}
	return first, both
}

// namedTests are the tests that a text names in backticks, without their subtests.
func namedTests(text string) map[string]bool {
	names := map[string]bool{}
	for _, found := range regexp.MustCompile("`(Test\\w+)[^`]*`").FindAllStringSubmatch(text, -1) {
		names[found[1]] = true
	}
	return names
}

// TestWhatLeftTheGate: the table of docs/gate.md names each test that the gate leaves out or runs less of, and only tests that
// exist.
func TestWhatLeftTheGate(t *testing.T) {
	t.Parallel()
	kind := regexp.MustCompile(`--run '(\^\(Test[^']+)'`).FindStringSubmatch(strings.ReplaceAll(read1(t, "../../Makefile"), "$$", "$"))
	if kind == nil {
		t.Fatal("the Makefile has no tests for kind-backend: want --run '^(Test...)$'")
	}
	first, both := leftTable(t)
	rows, exist := namedTests(first), map[string]bool{}
	for folder, declared := range testDeclarations(t, "../..") {
		for name := range declared {
			exist[name] = true
		}
		for _, name := range leftOut(declared, regexp.MustCompile(kind[1])) {
			if !rows[name] {
				t.Errorf("%s of %s runs less in the gate than at night: docs/gate.md must name it in the first column of \"What left the gate\"",
					name, strconv.Quote(filepath.Clean(strings.TrimPrefix(folder, "../.."))))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(namedTests(both))) {
		if !exist[name] {
			t.Errorf("docs/gate.md names %s, which does not exist", name)
		}
	}
}

// TestNothingIsLeftOutUnseen: the gate runs packages with tests on clusters with -short, and once more the tests that
// planetest.Cluster has left out. A test there that asks for -short itself would never run.
func TestNothingIsLeftOutUnseen(t *testing.T) {
	t.Parallel()
	for folder, declared := range testDeclarations(t, "../..") {
		if strings.HasSuffix(folder, "scripts/gate") || !declared.mentions("planetest.") {
			continue
		}
		for name, mentioned := range declared {
			if mentioned["testing.Short"] {
				t.Errorf("%s of %s asks for -short: want planetest.Cluster, or a package without tests on clusters", name, strconv.Quote(filepath.Clean(strings.TrimPrefix(folder, "../.."))))
			}
		}
	}
}

// mentions reports whether a declaration mentions a word that begins so.
func (u uses) mentions(begin string) bool {
	for _, mentioned := range u {
		for word := range mentioned {
			if strings.HasPrefix(word, begin) {
				return true
			}
		}
	}
	return false
}
