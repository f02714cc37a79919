package manager

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/e2e/kubeconfig"
)

// phOfConfig begins the placeholder that stands for the path of a config file.
const phOfConfig = "{config:"

// configFolder, in the folder of a CCM, has its config files.
const configFolder = "config"

// configFileRE is what a config file can be called: it is a file of one folder, and of no other.
var configFileRE = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// configFileOf returns the name in {config:NAME}.
func configFileOf(placeholder string) (name string, is bool) {
	name, is = strings.CutPrefix(placeholder, phOfConfig)
	return strings.TrimSuffix(name, "}"), is
}

// checkConfigFile reports a config file that there is not.
func checkConfigFile(name string, files map[string]string) error {
	if _, exists := files[name]; exists {
		return nil
	}
	if len(files) == 0 {
		return errors.New("the command has no config files: a profile can have some, in spec.config")
	}
	return fmt.Errorf("there is no config file %q: must be one of %s", name, strings.Join(slices.Sorted(maps.Keys(files)), " "))
}

// CheckConfigFileName reports a name that a config file cannot have.
func CheckConfigFileName(name string) error {
	if !configFileRE.MatchString(name) {
		return fmt.Errorf("%q cannot be the name of a config file: must be letters, digits, '.', '_' and '-', such as cloud.conf", name)
	}
	return nil
}

// checkConfigFiles checks the names of config files, and the placeholders in them.
func checkConfigFiles(files map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := CheckConfigFileName(name); err != nil {
			return invalidCCM("%v", err)
		}
		for i, line := range strings.Split(files[name], "\n") {
			if err := CheckPlaceholders(line, files); err != nil {
				return invalidCCM("config file %s, line %d: %v", name, i+1, err)
			}
		}
	}
	return nil
}

// writeConfigFiles writes the config files, and adds their placeholders to the values.
func (f ccmFiles) writeConfigFiles(files, values map[string]string) error {
	dir := filepath.Join(f.dir, configFolder)
	for name := range files {
		values[phOfConfig+name+"}"] = filepath.Join(dir, name)
	}
	var pairs []string
	for placeholder, value := range values {
		pairs = append(pairs, placeholder, value)
	}
	fill := strings.NewReplacer(pairs...)
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := kubeconfig.WriteSecret(path, []byte(fill.Replace(text))); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	return nil
}
