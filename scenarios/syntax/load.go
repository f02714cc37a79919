package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// Loader reads scenarios.
type Loader struct {
	// Verbs are what steps can do, besides to use the steps of another file.
	Verbs []Verb
	// Set gives parameters, and the names of a matrix, a value, in all
	// scenarios that have them. The texts are read as YAML.
	Set map[string]string
	// interrupted is why the loader is to stop; nil: never.
	interrupted func() error
}

// Parse reads the scenarios of one file: one for each YAML document, or more
// where it has a matrix.
func (l Loader) Parse(file string, raw []byte) ([]*scenarios.Scenario, error) {
	all, err := l.Check(file, raw)
	if err == nil && len(all) == 0 {
		return nil, scenarios.LoadError{&scenarios.SyntaxError{Position: scenarios.Position{File: file, Line: 1}, Message: "the file holds no scenario, only steps for others to use"}}
	}
	return all, err
}

// Check reads the scenarios of one file as Parse does. There may be none, in a file of steps for others to use.
func (l Loader) Check(file string, raw []byte) ([]*scenarios.Scenario, error) {
	return l.parse(origin{name: file, shown: file}, raw)
}

// LoadFS reads all scenarios below a folder of fsys.
func (l Loader) LoadFS(fsys fs.FS, dir string) ([]*scenarios.Scenario, error) {
	return l.folder(origin{fsys, dir, dir})
}

// Library reads the scenarios of this project.
func (l Loader) Library() ([]*scenarios.Scenario, error) {
	return l.LoadFS(scenarios.Library, scenarios.LibraryFolder)
}

// Load reads the scenarios of files and of folders with all that is below
// them, each once, however often it is named. Its error names every mistake with its file, line and column.
func (l Loader) Load(paths ...string) ([]*scenarios.Scenario, error) {
	var all []*scenarios.Scenario
	var errs scenarios.LoadError
	for _, p := range paths {
		found, err := l.path(p)
		all = append(all, found...)
		errs = appendLoadError(errs, err)
	}
	all = once(all)
	errs = append(errs, duplicates(all)...)
	return all, only(errs.AsError())
}

// once leaves out what is there already, from the same place of the same file.
func once(all []*scenarios.Scenario) []*scenarios.Scenario {
	type place struct {
		scenarios.Position
		name string
	}
	seen := map[place]bool{}
	return slices.DeleteFunc(all, func(s *scenarios.Scenario) bool {
		at := place{s.Position, s.Name}
		before := seen[at]
		seen[at] = true
		return before
	})
}

func (l Loader) path(p string) ([]*scenarios.Scenario, error) {
	p = filepath.Clean(p)
	info, err := os.Stat(p)
	if err != nil {
		return nil, scenarios.LoadError{err}
	}
	if info.IsDir() {
		return l.folder(origin{name: p, shown: p})
	}
	raw, err := os.ReadFile(p)
	if err != nil {
		return nil, scenarios.LoadError{err}
	}
	return l.parse(origin{name: p, shown: p}, raw)
}

// folder reads all scenarios below a folder.
func (l Loader) folder(root origin) ([]*scenarios.Scenario, error) {
	var all []*scenarios.Scenario
	var errs scenarios.LoadError
	files := 0
	fsys, dir := root.folder()
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isYAML(name) {
			return err
		}
		if err := l.stopped(); err != nil {
			return interruption{root.shown, err}
		}
		files++
		file := root.below(name)
		raw, err := file.read()
		if err != nil {
			return err
		}
		found, err := l.parse(file, raw)
		all = append(all, found...)
		errs = appendLoadError(errs, err)
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	if files == 0 && err == nil {
		errs = append(errs, fmt.Errorf("%s: there is no .yaml file in it", root.shown))
	}
	errs = append(errs, duplicates(all)...)
	return all, only(errs.AsError())
}

func isYAML(name string) bool {
	ext := path.Ext(name)
	return ext == ".yaml" || ext == ".yml"
}

func appendLoadError(errs scenarios.LoadError, err error) scenarios.LoadError {
	var more scenarios.LoadError
	switch {
	case err == nil:
	case errors.As(err, &more):
		errs = append(errs, more...)
	default:
		errs = append(errs, err)
	}
	return errs
}

// duplicates finds names that two scenarios have: reports and -l could not tell them apart.
func duplicates(all []*scenarios.Scenario) scenarios.LoadError {
	var errs scenarios.LoadError
	first := map[string]*scenarios.Scenario{}
	for _, s := range all {
		if other, taken := first[s.Name]; taken {
			errs = append(errs, &scenarios.SyntaxError{Position: s.Position, Message: fmt.Sprintf("the name %q is taken by %s", s.Name, other.Position)})
			continue
		}
		first[s.Name] = s
	}
	return errs
}

// parse reads the scenarios of one file; there are none in a file that has only steps.
func (l Loader) parse(from origin, raw []byte) ([]*scenarios.Scenario, error) {
	file := from.shown
	d := &Decoder{origin: from, File: file, lines: strings.Split(string(raw), "\n"), verbs: append(slices.Clip(l.Verbs), UseVerb()), set: l.Set, stopped: l.interrupted}
	var all []*scenarios.Scenario
	read := 0
	documents := yaml.NewDecoder(bytes.NewReader(raw))
	for {
		var doc yaml.Node
		err := documents.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			at, message := YAMLErrorPosition(file, err)
			d.ErrorAt(at, "%s", message)
			break
		}
		if !d.bounded(&doc) {
			break
		}
		if read++; d.interrupted() {
			break
		}
		all = append(all, d.document(doc.Content[0])...)
	}
	if read == 0 && len(d.Errs) == 0 {
		d.ErrorAt(scenarios.Position{File: file, Line: 1}, "the file holds no scenario")
	}
	if len(d.Errs) > 0 {
		return nil, only(d.Errs)
	}
	return all, nil
}

var yamlLineRE = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

// YAMLErrorPosition takes the line out of an error of the YAML parser.
func YAMLErrorPosition(file string, err error) (scenarios.Position, string) {
	if m := yamlLineRE.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1]) // digits, by the expression
		return scenarios.Position{File: file, Line: line}, yamlMistake(m[2])
	}
	return scenarios.Position{File: file, Line: 1}, yamlMistake(strings.TrimPrefix(err.Error(), "yaml: "))
}

// yamlHints are what to look at where the YAML parser speaks of its tokens.
var yamlHints = []struct{ said, hint string }{
	{"mapping values are not allowed", `a text with ": " in it needs quotes, and keys of one mapping begin in one column`},
	{"found character that cannot start any token", "a tab is no indentation, and a text that begins with @, ` or % needs quotes"},
	{"found unexpected end of stream", "a quote is not closed"},
	{"did not find expected key", "keys of one mapping begin in one column, and a text with a quote in it needs other quotes around it"},
	{"did not find expected ',' or ']'", "a bracket is not closed, or a text in it needs quotes"},
	{"did not find expected ',' or '}'", "a brace is not closed, or a text in it needs quotes"},
	{"could not find expected ':'", "a key needs a colon and a space, and the lines of a text are indented under its key"},
}

func yamlMistake(said string) string {
	for _, h := range yamlHints {
		if strings.Contains(said, h.said) {
			return said + ": " + h.hint
		}
	}
	return said
}
