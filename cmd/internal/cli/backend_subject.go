package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/ociimage"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
)

// command is the subject of a command, or of the profile.
func (o *backendOptions) command(ccm string) (manager.CCMSpec, error) {
	if o.profileName == "" {
		return manager.ParseCCMSpec(ccm)
	}
	if err := checkProfilePlaceholders(o.profile); err != nil {
		return manager.CCMSpec{}, exit.Usage(fmt.Errorf("--profile %s: %w", o.profileName, err))
	}
	subject, err := manager.ParseCCMSpec(o.profile.Command())
	if err != nil {
		return subject, fmt.Errorf("--profile %s: %w", o.profileName, err)
	}
	subject.Name = o.profile.Name
	return subject, nil
}

// checkProfilePlaceholders reports placeholders of a profile that stand for nothing, by the field that has them.
func checkProfilePlaceholders(p profile.Profile) error {
	var errs []error
	for _, field := range []struct {
		name  string
		texts []string
	}{{"args", p.Args}, {"env", p.Env}} {
		for i, text := range field.texts {
			if err := manager.CheckPlaceholders(text); err != nil {
				errs = append(errs, fmt.Errorf("spec.%s[%d]: %w", field.name, i, err))
			}
		}
	}
	return errors.Join(errs...)
}

// subject is the cloud controller manager that the flags name: a command, or manifests to run in the cluster.
func (o *backendOptions) subject(ccm string) (manager.CCMSpec, error) {
	switch {
	case o.profileName != "" && ccm != "":
		return manager.CCMSpec{}, exit.Usage(errors.New("--profile and --ccm are two ways to start a cloud controller manager: want one; --profile NAME=PATH runs another program"))
	case o.ccmManifests == "" && o.ccmImage != "":
		return manager.CCMSpec{}, exit.Usage(errors.New("--ccm-image goes with --ccm-manifests, which say how it is run"))
	case o.ccmManifests == "":
		return o.command(ccm)
	case ccm != "":
		return manager.CCMSpec{}, exit.Usage(errors.New("--ccm and --ccm-manifests are two cloud controller managers: want one"))
	case o.ccmMode != ccmModes[0]:
		return manager.CCMSpec{}, exit.Usage(errors.New("--ccm-mode is for simcloud-ccm, and --ccm-manifests say where theirs runs"))
	}
	m := manager.Manifests{Dir: o.ccmManifests}
	if o.ccmImage != "" {
		image, err := ociimage.OpenNamed(o.ccmImage)
		if err != nil {
			return manager.CCMSpec{}, exit.Usage(fmt.Errorf("--ccm-image: %w", err))
		}
		m.Image = image
	}
	dir, err := filepath.Abs(m.Dir)
	if err != nil {
		return manager.CCMSpec{}, exit.Usage(fmt.Errorf("--ccm-manifests: %w", err))
	}
	m.Dir = dir
	return manager.InCluster(filepath.Base(dir), m), nil
}
