package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// program is a program of an archive, with the modules that are linked into it.
type program struct {
	name, path string
	// dir is the folder of the module that it is built in, from which local replacements are named.
	dir string
	// golang is the version of Go that built it, such as go1.26.1.
	golang  string
	modules []module
}

// module is a module that is linked into a program.
type module struct {
	path, version, sum string
	// local is the folder of a module that is no download; empty for the others.
	local string
}

func (m module) ref() string { return strings.TrimSuffix(m.path+"@"+m.version, "@") }

// readProgram reads what a program has been built of from the program itself.
func readProgram(name, path, dir string) (program, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return program{}, fmt.Errorf("%s: %w: want a program of Go, which knows its modules", name, err)
	}
	p := program{name: name, path: path, dir: dir, golang: info.GoVersion}
	for _, dep := range info.Deps {
		p.modules = append(p.modules, moduleOf(dep, dir))
	}
	return p, nil
}

// moduleOf is the module that is linked in a dependency's place, or the dependency.
func moduleOf(dep *debug.Module, dir string) module {
	used := cmp.Or(dep.Replace, dep)
	m := module{path: used.Path, version: used.Version, sum: used.Sum}
	if dep.Replace != nil && (used.Version == "" || used.Version == "(devel)") { // by a folder
		m.path, m.version, m.local = dep.Path, "", used.Path
		if !filepath.IsAbs(m.local) {
			m.local = filepath.Join(dir, m.local)
		}
	}
	return m
}

// modulesOf are the modules of programs, each once, sorted.
func modulesOf(programs []program) []module {
	var all []module
	for _, p := range programs {
		all = append(all, p.modules...)
	}
	slices.SortFunc(all, func(a, b module) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.version, b.version)) })
	return slices.CompactFunc(all, func(a, b module) bool { return a.path == b.path && a.version == b.version })
}

// foldersOf finds the sources of modules, which the build has downloaded.
func foldersOf(ctx context.Context, modules []module) (map[module]string, error) {
	folders, byRef := map[module]string{}, map[string]module{}
	args := []string{"mod", "download", "-json"}
	for _, m := range modules {
		if m.local != "" {
			folders[m] = m.local
			continue
		}
		byRef[m.ref()] = m
		args = append(args, m.ref())
	}
	if len(byRef) == 0 {
		return folders, nil
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = os.TempDir(), os.Stderr // outside of all modules, whose own requirements say nothing here
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w: %s", err, out)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var found struct{ Path, Version, Dir string }
		if err := decoder.Decode(&found); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go mod download: %w", err)
		}
		folders[byRef[found.Path+"@"+found.Version]] = found.Dir
	}
	for _, m := range modules {
		if folders[m] == "" {
			return nil, fmt.Errorf("go mod download: the sources of %s are missing", m.ref())
		}
	}
	return folders, nil
}
