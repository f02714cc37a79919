package nodeimage

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// rootFiles are files of a Debian root, by their paths, of which a few are
// wanted: links have their headers only.
type rootFiles map[string]rootFile

type rootFile struct {
	header  tar.Header
	content []byte
}

// readRoot reads the programs and libraries of a root.
func readRoot(archive string) (files rootFiles, err error) {
	in, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	files = rootFiles{}
	for source := tar.NewReader(in); ; {
		header, err := source.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if !isCode(header) {
			continue
		}
		content, err := io.ReadAll(source)
		if err != nil {
			return nil, err
		}
		files[strings.TrimSuffix(header.Name, "/")] = rootFile{*header, content}
	}
}

// isCode leaves out what is no program or library: it would fill the memory.
func isCode(header *tar.Header) bool {
	if header.Typeflag == tar.TypeSymlink {
		return true
	}
	return header.Typeflag == tar.TypeReg &&
		(strings.HasPrefix(header.Name, "usr/lib") && strings.Contains(header.Name, ".so") || strings.HasPrefix(header.Name, "usr/sbin/"))
}

// closure returns the paths of the programs and of everything that they load, sorted.
func (r rootFiles) closure(programs []string) ([]string, error) {
	wanted := map[string]bool{}
	for todo := programs; len(todo) > 0; todo = todo[1:] {
		name := todo[0]
		if wanted[name] {
			continue
		}
		wanted[name] = true
		needs, err := r.needs(name)
		if err != nil {
			return nil, err
		}
		todo = append(todo, needs...)
	}
	var names []string
	for name := range wanted {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// needs returns what a file needs: the target of a link, or the libraries of a program.
func (r rootFiles) needs(name string) ([]string, error) {
	file, ok := r[name]
	if !ok {
		return nil, fmt.Errorf("the root has no %s", name)
	}
	if file.header.Typeflag == tar.TypeSymlink {
		return []string{r.resolve(name)}, nil
	}
	binary, err := elf.NewFile(bytes.NewReader(file.content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	libraries, err := binary.ImportedLibraries()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	needs := interpreters(binary)
	for _, library := range libraries {
		at, err := r.find(library)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		needs = append(needs, at)
	}
	return needs, nil
}

// resolve is the path that a link leads to.
func (r rootFiles) resolve(name string) string {
	target := r[name].header.Linkname
	if !path.IsAbs(target) {
		target = path.Join("/", path.Dir(name), target)
	}
	return usr(relative(target))
}

// find looks for a library where Debian keeps them.
func (r rootFiles) find(library string) (string, error) {
	for name := range r {
		dir, file := path.Split(name)
		if file == library && strings.HasPrefix(dir, "usr/lib/") && strings.HasSuffix(dir, "-linux-gnu/") {
			return name, nil
		}
	}
	if name := "usr/lib64/" + library; r[name].header.Name != "" {
		return name, nil
	}
	return "", fmt.Errorf("the root has no library %s", library)
}

// interpreters is the program that loads the libraries, of a binary that names it.
func interpreters(binary *elf.File) []string {
	for _, p := range binary.Progs {
		if p.Type == elf.PT_INTERP {
			raw, err := io.ReadAll(p.Open())
			if err != nil {
				return nil
			}
			return []string{usr(relative(strings.TrimRight(string(raw), "\x00")))}
		}
	}
	return nil
}

// usr is the path of a file whose folder is a link into /usr, as all of the root's are.
func usr(name string) string {
	for _, folder := range []string{"bin/", "sbin/", "lib/", "lib64/"} {
		if strings.HasPrefix(name, folder) {
			return "usr/" + name
		}
	}
	return name
}
