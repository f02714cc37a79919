package nodeimage

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// packed is a layer in a file.
type packed struct {
	path string
	diff string // the digest of the tar archive
	size int64  // of the tar archive, in bytes
}

// measure counts and hashes what goes through it.
type measure struct {
	sum  hash.Hash
	size int64
}

func newMeasure() *measure { return &measure{sum: sha256.New()} }

func (m *measure) Write(p []byte) (int, error) {
	m.size += int64(len(p))
	return m.sum.Write(p)
}

func (m *measure) digest() string { return "sha256:" + hex.EncodeToString(m.sum.Sum(nil)) }

// pack writes a layer of a container's image, compressed as containerd keeps it.
func (b *builder) pack(name string, write func(*layerWriter), folders ...string) (packed, error) {
	layer, sum := packed{path: filepath.Join(b.work, name+".tar.gz")}, newMeasure()
	err := writeFile(layer.path, func(out io.Writer) error {
		into := gzip.NewWriter(out)
		w := newLayerWriter(io.MultiWriter(into, sum), folders...)
		write(w)
		return errors.Join(w.close(), into.Close())
	})
	layer.diff, layer.size = sum.digest(), sum.size
	return layer, err
}

// plain writes a layer of the node's image, as engines take it.
func plain(path string, write func(*layerWriter), folders ...string) error {
	return writeFile(path, func(out io.Writer) error {
		w := newLayerWriter(out, folders...)
		write(w)
		return w.close()
	})
}

// measured is a layer that is a tar archive already.
func measured(path string) (layer packed, err error) {
	in, err := os.Open(path)
	if err != nil {
		return packed{}, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	sum := newMeasure()
	if _, err := io.Copy(sum, in); err != nil {
		return packed{}, err
	}
	return packed{path: path, diff: sum.digest(), size: sum.size}, nil
}

// writeFile makes a file by write.
func writeFile(path string, write func(io.Writer) error) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(out), out.Close())
}
