package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/e2e"
)

// subject is the cloud controller manager that the flags name: a command, or manifests to run in the cluster.
func (o *backendOptions) subject(ccm string) (e2e.Subject, error) {
	switch {
	case o.ccmManifests == "" && o.ccmImage != "":
		return e2e.Subject{}, usageError(errors.New("--ccm-image goes with --ccm-manifests, which say how it is run"))
	case o.ccmManifests == "":
		return e2e.ParseSubject(ccm)
	case ccm != "":
		return e2e.Subject{}, usageError(errors.New("--ccm and --ccm-manifests are two cloud controller managers: one is right"))
	case o.ccmMode != ccmModes[0]:
		return e2e.Subject{}, usageError(errors.New("--ccm-mode is for simcloud-ccm, and --ccm-manifests say where theirs runs"))
	}
	m := e2e.Manifests{Dir: o.ccmManifests}
	if o.ccmImage != "" {
		image, err := e2e.OpenImage(o.ccmImage)
		if err != nil {
			return e2e.Subject{}, usageError(fmt.Errorf("--ccm-image: %w", err))
		}
		m.Image = image
	}
	dir, err := filepath.Abs(m.Dir)
	if err != nil {
		return e2e.Subject{}, usageError(fmt.Errorf("--ccm-manifests: %w", err))
	}
	m.Dir = dir
	return e2e.InCluster(filepath.Base(dir), m), nil
}
