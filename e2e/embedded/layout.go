package embedded

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// layout is the folder of a cluster.
type layout string

func (l layout) pki() string  { return filepath.Join(string(l), "pki") }
func (l layout) etcd() string { return filepath.Join(string(l), "etcd") }
func (l layout) logs() string { return filepath.Join(string(l), "logs") }

func (l layout) node(name string) string { return filepath.Join(string(l), "nodes", name) }

// file is a file of the PKI, such as "ca.crt".
func (l layout) file(name string) string { return filepath.Join(l.pki(), name) }

// log is the log of a process.
func (l layout) log(process string) string { return filepath.Join(l.logs(), process+".log") }

// reset empties the folders, which belong to the owner alone: they hold keys.
func (l layout) reset() error {
	for _, dir := range []string{l.pki(), l.etcd(), l.logs(), l.node("")} {
		if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
