package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// rewrite applies the change to the process that the file describes. A file
// that is not there is left to the runtime to complain of.
func (d document) rewrite(restrict func(fields) error) error {
	raw, err := os.ReadFile(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	changed, err := d.changed(raw, restrict)
	if err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	if bytes.Equal(raw, changed) {
		return nil
	}
	return replace(d.path, changed)
}

// changed returns the document with its process changed, and all else as it was.
func (d document) changed(raw []byte, restrict func(fields) error) ([]byte, error) {
	var whole fields
	if err := json.Unmarshal(raw, &whole); err != nil {
		return nil, err
	}
	if !d.whole {
		return marshalAfter(restrict(whole), whole)
	}
	if p, ok := whole["process"]; !ok || string(p) == "null" {
		return raw, nil // a container whose first process comes later
	}
	var process fields
	if err := json.Unmarshal(whole["process"], &process); err != nil {
		return nil, err
	}
	var err error
	if whole["process"], err = marshalAfter(restrict(process), process); err != nil {
		return nil, err
	}
	return json.Marshal(whole)
}

func marshalAfter(err error, f fields) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(f)
}

// replace puts the new text in the file's place at once, with the file's mode.
func replace(path string, text []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d", path, os.Getpid())
	err = os.WriteFile(part, text, info.Mode().Perm())
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		_ = os.Remove(part) // the other error counts
	}
	return err
}
