package syntax

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// origin is where a file of scenarios is, to read it and to find others beside it.
type origin struct {
	fsys fs.FS  // nil: the disk
	name string // in fsys
	// shown is what positions call the file.
	shown string
}

// mostBytes is how large a file of scenarios may be.
const mostBytes = 1 << 20

func (o origin) read() ([]byte, error) {
	if o.fsys != nil {
		return fs.ReadFile(o.fsys, o.name)
	}
	info, err := os.Stat(o.name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", o.shown)
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("%s has %d bytes: want up to %d", o.shown, info.Size(), mostBytes)
	}
	return os.ReadFile(o.name)
}

// folder is what there is to walk below an origin that is a folder.
func (o origin) folder() (fsys fs.FS, dir string) {
	if o.fsys == nil {
		return os.DirFS(o.name), "."
	}
	return o.fsys, o.name
}

// below is the file that a walk has found.
func (o origin) below(name string) origin {
	if o.fsys == nil {
		file := filepath.Join(o.name, filepath.FromSlash(name))
		return origin{name: file, shown: file}
	}
	inside := strings.TrimPrefix(strings.TrimPrefix(name, o.name), "/")
	return origin{o.fsys, name, filepath.Join(o.shown, filepath.FromSlash(inside))}
}

// beside is the file that is called name seen from the folder of this one.
func (o origin) beside(name string) (origin, error) {
	switch {
	case o.fsys != nil:
		inside := path.Join(path.Dir(o.name), name)
		if !fs.ValidPath(inside) {
			return origin{}, fmt.Errorf("%s is outside of the folder that is read", name)
		}
		return origin{o.fsys, inside, filepath.Join(filepath.Dir(o.shown), filepath.FromSlash(name))}, nil
	case filepath.IsAbs(name):
		return origin{name: name, shown: name}, nil
	default:
		return origin{name: filepath.Join(filepath.Dir(o.name), name), shown: filepath.Join(filepath.Dir(o.shown), name)}, nil
	}
}

// stepsOfLibrary is the file of the steps that the library includes under a name.
func stepsOfLibrary(name string) origin {
	file := path.Join(scenarios.LibraryFolder, "steps", name+".yaml")
	return origin{fsys: scenarios.Library, name: file, shown: filepath.FromSlash(file)}
}
