package existing

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"k8s.io/client-go/tools/clientcmd"
)

// record says on this machine's disk where a run has been, so that what it
// leaves behind when it crashes can be removed. It is locked as long as the run lives.
type record struct {
	path string
	file *os.File

	Run     string   `json:"run"`
	Files   []string `json:"kubeconfig"`
	Context string   `json:"context"`
	// Server must be the same when it is removed: a context may lead elsewhere by then.
	Server string `json:"server"`
}

const recordEnd = ".json"

// writeRecord makes the record of a run, locked.
func writeRecord(folder, run string, t target) (*record, error) {
	r := &record{path: filepath.Join(folder, run+recordEnd), Run: run, Files: t.files, Context: t.context, Server: t.access.Host}
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("remember what is to be removed: %w", err)
	}
	// It has its name only once it is locked: who looks for those of dead runs never sees it free.
	if r.file, err = os.CreateTemp(folder, ".tmp-*"); err != nil {
		return nil, fmt.Errorf("remember what is to be removed: %w", err)
	}
	_, err = r.file.Write(raw)
	if err == nil {
		err = errors.Join(r.file.Sync(), syscall.Flock(int(r.file.Fd()), syscall.LOCK_EX))
	}
	if err == nil {
		err = os.Rename(r.file.Name(), r.path)
	}
	if err != nil {
		return nil, fmt.Errorf("remember what is to be removed: %w", errors.Join(err, os.Remove(r.file.Name()), r.file.Close()))
	}
	return r, nil
}

// release unlocks the record, which stays.
func (r *record) release() error { return r.file.Close() }

// remove removes the record: nothing is left to be removed.
func (r *record) remove() error { return errors.Join(os.Remove(r.path), r.file.Close()) }

// takeRecord takes the record of a run that is dead; nil when it lives.
func takeRecord(path string) (*record, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil //nolint:nilnil // another process has just removed it
	}
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil, file.Close()
	}
	r := &record{path: path, file: file}
	if err := json.NewDecoder(file).Decode(r); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), file.Close())
	}
	return r, nil
}

// target finds the cluster again.
func (r *record) target() (target, error) {
	t, err := readTarget(&clientcmd.ClientConfigLoadingRules{Precedence: r.Files}, r.Context)
	if err != nil {
		return target{}, err
	}
	if t.access.Host != r.Server {
		return target{}, fmt.Errorf("the context %q leads to %s now, and led to %s when the run began", r.Context, t.access.Host, r.Server)
	}
	return t, nil
}
