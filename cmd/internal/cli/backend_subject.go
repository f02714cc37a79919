package cli

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/ociimage"
	"github.com/simcloud-dev/simcloud/e2e/subject"
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
	spec, err := specOf(o.profile)
	if err != nil {
		return spec, fmt.Errorf("--profile %s: %w", o.profileName, err)
	}
	spec.Name, spec.Rights = o.profile.Name, o.profile.Rights
	return spec, nil
}

// specOf is the command of a profile: with its binary, with that of its subject, which has to be built, or with simcloud-ccm.
func specOf(p profile.Profile) (manager.CCMSpec, error) {
	binary := p.Binary
	if binary == "" && p.Subject != "" {
		s, err := subject.Find(p.Subject)
		if err != nil {
			return manager.CCMSpec{}, err
		}
		if binary, err = s.Program(); err != nil {
			return manager.CCMSpec{}, fmt.Errorf("%w, or name a binary by --profile %s=PATH", err, p.Name)
		}
	}
	if binary == "" {
		own, err := manager.ParseCCMSpec("")
		if err != nil {
			return own, err
		}
		binary = own.Path
	}
	return manager.NewCCMSpec(binary, p.Args, p.Env, p.Config)
}

// checkProfilePlaceholders reports placeholders of a profile that stand for nothing, by the field that has them, and
// config files that the program is not given.
func checkProfilePlaceholders(p profile.Profile) error {
	var errs []error
	used := usedConfigFiles(p)
	for _, name := range slices.Sorted(maps.Keys(p.Config)) {
		if err := manager.CheckConfigFileName(name); err != nil {
			errs = append(errs, fmt.Errorf("spec.config: %w", err))
		}
		if !used[name] {
			errs = append(errs, fmt.Errorf("spec.config: the file %s is not used: name it by {config:%s} in spec.args, in spec.env or in another file that is used", name, name))
		}
		for i, line := range strings.Split(p.Config[name], "\n") {
			if err := manager.CheckPlaceholders(line, p.Config); err != nil {
				errs = append(errs, fmt.Errorf("spec.config[%s], line %d: %w", name, i+1, err))
			}
		}
	}
	for _, field := range []struct {
		name  string
		texts []string
	}{{"args", p.Args}, {"env", p.Env}} {
		for i, text := range field.texts {
			if err := manager.CheckPlaceholders(text, p.Config); err != nil {
				errs = append(errs, fmt.Errorf("spec.%s[%d]: %w", field.name, i, err))
			}
		}
	}
	return errors.Join(errs...)
}

// usedConfigFiles are the config files whose paths the program gets: in its arguments, in its environment, or in another
// file that is used.
func usedConfigFiles(p profile.Profile) map[string]bool {
	used := map[string]bool{}
	for texts := slices.Concat(p.Args, p.Env); len(texts) > 0; texts = texts[1:] {
		for name, text := range p.Config {
			if !used[name] && strings.Contains(texts[0], "{config:"+name+"}") {
				used[name] = true
				texts = append(texts, text)
			}
		}
	}
	return used
}

// subject is the cloud controller manager that the flags name: a command, or manifests to run in the cluster.
func (o *backendOptions) subject(ccm string) (manager.CCMSpec, error) {
	switch {
	case o.backend == backendSimulated:
		return o.simulatedSubject(ccm)
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
