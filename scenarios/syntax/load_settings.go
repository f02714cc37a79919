package syntax

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// Settings are a CCM's settings as a file has them: what is not there stays as it was.
type Settings struct {
	config *expr.Tree
	Flags  []expr.Template
	Given  bool // flags, which may be none
}

// SettingsSchema has the keys of a CCM's settings.
func SettingsSchema() map[string]any {
	return map[string]any{
		"config": map[string]any{"type": "object", "description": "keys of simcloud-ccm's cloud config; who does not read it is not tested by this scenario"},
		"flags":  map[string]any{"type": "array", "items": StringSchema, "description": "flags after all others of the CCM"},
	}
}

// settingsFields reads the keys of settings.
func (d *Decoder) settingsFields(into *Settings) []Field {
	return []Field{
		{"config", false, func(n *yaml.Node) {
			d.usesCloudConfig = true
			if n = Resolve(n); n.Kind != yaml.MappingNode {
				d.Errorf(n, "config is %s: a mapping with keys of the cloud config is right", Describe(n))
				return
			}
			config := d.Tree(n)
			into.config = &config
		}},
		{"flags", false, func(n *yaml.Node) {
			into.Given = true
			d.List(n, "flags", func(n *yaml.Node) { d.flag(n, into) })
		}},
	}
}

func (d *Decoder) flag(n *yaml.Node, into *Settings) {
	var text string
	before := len(d.Errs)
	if d.Text("a flag", &text)(n); len(d.Errs) > before {
		return
	}
	if !strings.HasPrefix(text, "-") {
		d.Errorf(n, "a flag is %q: --name=value is right", text)
	}
	into.Flags = append(into.Flags, d.Template(n, text))
}

// Settings decodes a mapping with a CCM's settings.
func (d *Decoder) Settings(n *yaml.Node, what string, into *Settings) {
	d.Object(n, what, d.settingsFields(into)...)
}

// StartSettings are those that the CCM begins a scenario with.
func StartSettings(s *scenarios.Scenario) Settings {
	given, _ := s.Settings.(Settings)
	return given
}

// Expand puts the values in. What the file does not have is nil.
func (s Settings) Expand(snapshot *observe.Snapshot) (config map[string]any, flags []string, err error) {
	if s.config != nil {
		if config, err = s.config.ExpandObject(snapshot); err != nil {
			return nil, nil, fmt.Errorf("config: %w", err)
		}
	}
	if s.Given {
		flags = []string{}
	}
	for _, flag := range s.Flags {
		text, err := flag.Expand(snapshot)
		if err != nil {
			return nil, nil, fmt.Errorf("flags: %w", err)
		}
		flags = append(flags, text)
	}
	return config, flags, nil
}
