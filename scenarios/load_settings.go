package scenarios

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"go.yaml.in/yaml/v3"
)

// settings are a CCM's settings as a file has them: what is not there stays as it was.
type settings struct {
	config *expr.Tree
	flags  []expr.Template
	given  bool // flags, which may be none
}

func settingsSchema() map[string]any {
	return map[string]any{
		"config": map[string]any{"type": "object", "description": "keys of simcloud-ccm's cloud config; who does not read it is not tested by this scenario"},
		"flags":  map[string]any{"type": "array", "items": stringSchema, "description": "flags after all others of the CCM"},
	}
}

// settingsFields reads the keys of settings.
func (d *decoder) settingsFields(into *settings) []field {
	return []field{
		{"config", false, func(n *yaml.Node) {
			d.usesCloudConfig = true
			if n = resolve(n); n.Kind != yaml.MappingNode {
				d.errorf(n, "config is %s: a mapping with keys of the cloud config is right", describe(n))
				return
			}
			config := d.tree(n)
			into.config = &config
		}},
		{"flags", false, func(n *yaml.Node) {
			into.given = true
			d.list(n, "flags", func(n *yaml.Node) { d.flag(n, into) })
		}},
	}
}

func (d *decoder) flag(n *yaml.Node, into *settings) {
	var text string
	before := len(d.errs)
	if d.text("a flag", &text)(n); len(d.errs) > before {
		return
	}
	if !strings.HasPrefix(text, "-") {
		d.errorf(n, "a flag is %q: --name=value is right", text)
	}
	into.flags = append(into.flags, d.template(n, text))
}

func (d *decoder) settings(n *yaml.Node, what string, into *settings) {
	d.object(n, what, d.settingsFields(into)...)
}

// startSettings are those that the CCM begins a scenario with.
func startSettings(s *Scenario) settings {
	given, _ := s.settings.(settings)
	return given
}

// expand puts the values in. What the file does not have is nil.
func (s settings) expand(snapshot *observe.Snapshot) (config map[string]any, flags []string, err error) {
	if s.config != nil {
		if config, err = s.config.ExpandObject(snapshot); err != nil {
			return nil, nil, fmt.Errorf("config: %w", err)
		}
	}
	if s.given {
		flags = []string{}
	}
	for _, flag := range s.flags {
		text, err := flag.Expand(snapshot)
		if err != nil {
			return nil, nil, fmt.Errorf("flags: %w", err)
		}
		flags = append(flags, text)
	}
	return config, flags, nil
}
