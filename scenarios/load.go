package scenarios

import (
	"bytes"
	"embed"
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
)

//go:embed library
var library embed.FS

// Library returns the scenarios that this project brings along.
func Library() ([]*Scenario, error) { return LoadFS(library, "library") }

// Load reads the scenarios of files and of folders with all that is below
// them. Its error names every mistake with its file, line and column.
func Load(paths ...string) ([]*Scenario, error) {
	var all []*Scenario
	var errs LoadError
	for _, p := range paths {
		found, err := loadPath(p)
		all = append(all, found...)
		errs = appendLoadError(errs, err)
	}
	errs = append(errs, duplicates(all)...)
	return all, errs.asError()
}

func loadPath(p string) ([]*Scenario, error) {
	info, err := os.Stat(p)
	if err != nil {
		return nil, LoadError{err}
	}
	if info.IsDir() {
		return LoadFS(os.DirFS(p), ".", p)
	}
	raw, err := os.ReadFile(p)
	if err != nil {
		return nil, LoadError{err}
	}
	return Parse(p, raw)
}

// LoadFS reads all scenarios below a folder of fsys. The prefix, if any, goes before the file names of positions.
func LoadFS(fsys fs.FS, dir string, prefix ...string) ([]*Scenario, error) {
	var all []*Scenario
	var errs LoadError
	files := 0
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isYAML(name) {
			return err
		}
		files++
		raw, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		found, err := Parse(filepath.Join(append(slices.Clone(prefix), filepath.FromSlash(name))...), raw)
		all = append(all, found...)
		errs = appendLoadError(errs, err)
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	if files == 0 && err == nil {
		errs = append(errs, fmt.Errorf("%s: there is no .yaml file in it", filepath.Join(append(slices.Clone(prefix), dir)...)))
	}
	errs = append(errs, duplicates(all)...)
	return all, errs.asError()
}

func isYAML(name string) bool {
	ext := path.Ext(name)
	return ext == ".yaml" || ext == ".yml"
}

func appendLoadError(errs LoadError, err error) LoadError {
	var more LoadError
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
func duplicates(all []*Scenario) LoadError {
	var errs LoadError
	first := map[string]*Scenario{}
	for _, s := range all {
		if other, taken := first[s.Name]; taken && other.Position != s.Position {
			errs = append(errs, &SyntaxError{s.Position, fmt.Sprintf("the name %q is taken by %s", s.Name, other.Position)})
			continue
		}
		first[s.Name] = s
	}
	return errs
}

// Parse reads the scenarios of one file: one for each YAML document.
func Parse(file string, raw []byte) ([]*Scenario, error) {
	d := &decoder{file: file, lines: strings.Split(string(raw), "\n")}
	var all []*Scenario
	documents := yaml.NewDecoder(bytes.NewReader(raw))
	for {
		var doc yaml.Node
		err := documents.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			at, message := yamlErrorPosition(file, err)
			d.errorAt(at, "%s", message)
			break
		}
		if s := d.scenario(doc.Content[0]); s != nil {
			all = append(all, s)
		}
	}
	if len(all) == 0 && len(d.errs) == 0 {
		d.errorAt(Position{File: file, Line: 1}, "the file holds no scenario")
	}
	if len(d.errs) > 0 {
		return nil, d.errs
	}
	return all, nil
}

var yamlLineRE = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

// yamlErrorPosition takes the line out of an error of the YAML parser.
func yamlErrorPosition(file string, err error) (Position, string) {
	if m := yamlLineRE.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1]) // digits, by the expression
		return Position{File: file, Line: line}, m[2]
	}
	return Position{File: file, Line: 1}, strings.TrimPrefix(err.Error(), "yaml: ")
}
