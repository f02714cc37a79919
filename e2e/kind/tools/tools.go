// Package tools holds the small programs that kind's nodes and pods need, as
// sources, and builds them: so that a simcloud that was installed has them too.
// Each is a folder of this one, a program of the standard library alone in
// files without folders below.
package tools

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

//go:embed */*.go
var sources embed.FS

// Names are the names of the programs.
func Names() []string {
	var names []string
	for _, entry := range entries(".") {
		names = append(names, entry.Name())
	}
	return names
}

// program is the sources of a program, by file name.
type program struct {
	name  string
	files map[string][]byte
}

func load(name string) (program, error) {
	if !slices.Contains(Names(), name) {
		return program{}, simcloud.Errorf(simcloud.Invalid, "tool/"+name, "there is no such program: %s are", strings.Join(Names(), ", "))
	}
	p := program{name, map[string][]byte{}}
	for _, entry := range entries(name) {
		if strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		raw, err := sources.ReadFile(path.Join(name, entry.Name()))
		if err != nil {
			return program{}, fmt.Errorf("sources of %s: %w", name, err)
		}
		p.files[entry.Name()] = raw
	}
	p.files["go.mod"] = fmt.Appendf(nil, "module %s\n\ngo %s\n", name, goRequired)
	return p, nil
}

// entries are sorted by name. What is embedded can be read.
func entries(dir string) []fs.DirEntry {
	found, _ := sources.ReadDir(dir)
	return found
}

// Hash stands for everything that decides what the binary of a program is.
func Hash(name string) (string, error) {
	p, err := load(name)
	if err != nil {
		return "", err
	}
	return p.hash(), nil
}

func (p program) hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %q\n", runtime.Version(), runtime.GOARCH, buildArgs("", ""))
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(p.files[name]), p.files[name])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
