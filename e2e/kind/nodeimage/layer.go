package nodeimage

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// layerWriter writes a layer: a tar archive of files that all belong to root.
// Folders come by themselves. The first error stays.
type layerWriter struct {
	out     *tar.Writer
	folders map[string]bool
	err     error
}

// newLayerWriter starts a layer. The folders are there below it.
func newLayerWriter(to io.Writer, folders ...string) *layerWriter {
	w := &layerWriter{out: tar.NewWriter(to), folders: map[string]bool{".": true, "/": true}}
	for _, folder := range folders {
		for ; folder != "." && folder != "/"; folder = path.Dir(folder) {
			w.folders[folder] = true
		}
	}
	return w
}

func (w *layerWriter) entry(header tar.Header, content io.Reader) {
	header.Name = strings.Trim(header.Name, "/")
	w.parents(header.Name)
	header.ModTime, header.Format = epoch(), tar.FormatPAX
	if w.err == nil {
		w.err = w.out.WriteHeader(&header)
	}
	if w.err == nil && content != nil {
		_, w.err = io.Copy(w.out, content)
	}
	if w.err != nil {
		w.err = fmt.Errorf("%s: %w", header.Name, w.err)
	}
}

func (w *layerWriter) parents(name string) {
	if dir := path.Dir(name); !w.folders[dir] {
		w.folder(dir, 0o755)
	}
}

func (w *layerWriter) folder(name string, mode int64) {
	w.folders[strings.Trim(name, "/")] = true
	w.entry(tar.Header{Typeflag: tar.TypeDir, Name: strings.Trim(name, "/"), Mode: mode}, nil)
}

func (w *layerWriter) link(name, target string) {
	w.entry(tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target, Mode: 0o777}, nil)
}

func (w *layerWriter) bytes(name string, mode int64, content []byte) {
	w.entry(tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content))}, bytes.NewReader(content))
}

// file copies a file of this machine.
func (w *layerWriter) file(name string, mode int64, from string) {
	if w.err != nil {
		return
	}
	in, err := os.Open(from)
	if err != nil {
		w.err = err
		return
	}
	info, err := in.Stat()
	if err != nil {
		w.err = errors.Join(err, in.Close())
		return
	}
	w.entry(tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: info.Size()}, in)
	w.err = errors.Join(w.err, in.Close())
}

// tree copies the files of a folder, whose modes are given by their paths in the layer.
func (w *layerWriter) tree(name, from string, mode func(name string) int64) {
	err := filepath.WalkDir(from, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		to := path.Join(name, filepath.ToSlash(below))
		w.file(to, mode(to), file)
		return w.err
	})
	w.fail(err)
}

// fail keeps an error that the caller met.
func (w *layerWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *layerWriter) close() error {
	if w.err != nil {
		return w.err
	}
	return w.out.Close()
}
