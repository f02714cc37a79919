package kind

import (
	"errors"
	"os"
	"path/filepath"
)

// layout is the folder of a cluster.
type layout string

func (l layout) kubeconfig() string { return filepath.Join(string(l), "kubeconfig") }

// node is what is mounted into a machine.
func (l layout) node(name string) string { return filepath.Join(string(l), "nodes", name) }

// make makes the folder, which belongs to the owner alone: it holds keys.
func (l layout) make() error { return os.MkdirAll(l.node(""), 0o700) }

// empty removes what is no longer needed, the keys above all.
func (l layout) empty() error {
	return errors.Join(os.RemoveAll(l.node("")), os.RemoveAll(l.kubeconfig()))
}
