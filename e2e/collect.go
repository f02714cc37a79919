package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// CollectLogs writes into dir what helps to understand what happened: the
// logs of the CCM and of the backend, the cloud's state and calls, and the
// cluster's objects. It collects what it can, and returns the errors of the rest.
func (c *Cluster) CollectLogs(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("collect the logs: %w", err)
	}
	errs := []error{
		c.Backend.Logs(ctx, dir),
		copyIfThere(c.CCM.Log(), filepath.Join(dir, "ccm.log")),
		copyIfThere(c.Standby().Log(), filepath.Join(dir, "ccm-standby.log")),
		writeJSON(filepath.Join(dir, "machines.json"), func() (any, error) { return c.Machines.List(), nil }),
		writeJSON(filepath.Join(dir, "cloud-state.json"), func() (any, error) { return c.Cloud.GetState(ctx) }),
		writeJSON(filepath.Join(dir, "cloud-journal.json"), func() (any, error) {
			return c.Cloud.ListJournal(ctx, simcloud.JournalFilter{})
		}),
	}
	return errors.Join(append(errs, c.collectObjects(ctx, dir)...)...)
}

// collectObjects writes the objects that a CCM works on, and the events.
func (c *Cluster) collectObjects(ctx context.Context, dir string) []error {
	core := c.Kube.CoreV1()
	all := metav1.ListOptions{}
	lists := map[string]func() (any, error){
		"nodes":    func() (any, error) { return core.Nodes().List(ctx, all) },
		"services": func() (any, error) { return core.Services(metav1.NamespaceAll).List(ctx, all) },
		"pods":     func() (any, error) { return core.Pods(metav1.NamespaceAll).List(ctx, all) },
		"events":   func() (any, error) { return core.Events(metav1.NamespaceAll).List(ctx, all) },
	}
	var errs []error
	for name, list := range lists {
		errs = append(errs, writeYAML(filepath.Join(dir, name+".yaml"), list))
	}
	return errs
}

// writeJSON and writeYAML write what callers of the cloud and of the cluster have chosen so that a terminal can show it.
func writeJSON(path string, read func() (any, error)) error {
	return write(path, read, func(v any) ([]byte, error) {
		raw, err := json.MarshalIndent(v, "", "  ")
		return escape.JSON(raw), err
	})
}

func writeYAML(path string, read func() (any, error)) error {
	return write(path, read, escape.YAML)
}

func write(path string, read func() (any, error), encode func(any) ([]byte, error)) error {
	v, err := read()
	if err != nil {
		return fmt.Errorf("collect %s: %w", filepath.Base(path), err)
	}
	raw, err := encode(v)
	if err != nil {
		return fmt.Errorf("collect %s: %w", filepath.Base(path), err)
	}
	return os.WriteFile(path, raw, 0o600)
}

// copyIfThere copies a file; one that is not there has nothing to say.
func copyIfThere(from, to string) error {
	raw, err := os.ReadFile(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, raw, 0o600)
}
