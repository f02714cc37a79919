package syntax

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	ccmconfig "github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// Settings are a CCM's settings as a file has them: what is not there stays as it was.
type Settings struct {
	Config *config `yaml:"config" doc:"keys of simcloud-ccm's cloud config; who does not read it is not tested by this scenario"`
	Flags  flags   `yaml:"flags" doc:"flags after all others of the CCM"`
	Binary *binary `yaml:"binary" doc:"the program that runs in place of the CCM's own, with the same arguments, such as its next version; empty for its own again"`
}

// binary is a path, or a name that is looked for in PATH.
type binary struct{ expr.Template }

func (*binary) Schema() map[string]any { return StringSchema }

func (b *binary) Read(d *Decoder, n *yaml.Node, what string) {
	if text, ok := d.ReadText(n, what); ok {
		b.Template = d.Template(n, text)
	}
}

// Name is the program as the file has it; empty when the file does not say.
func (b *binary) Name() string {
	if b == nil {
		return ""
	}
	return b.Source()
}

// config are keys of the cloud config.
type config struct{ expr.Tree }

func (*config) Schema() map[string]any { return map[string]any{"type": "object"} }

func (c *config) Read(d *Decoder, n *yaml.Node, what string) {
	d.usesCloudConfig = true
	if n = Resolve(n); n.Kind != yaml.MappingNode {
		d.Errorf(n, "%s is %s: want a mapping with keys of the cloud config", what, Describe(n))
		return
	}
	c.Tree = d.Tree(n)
	d.configKeys(n, "")
}

// configKeys reports keys that the cloud config does not have.
func (d *Decoder) configKeys(n *yaml.Node, within string) {
	known := ccmconfig.Keys()
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], Resolve(n.Content[i+1])
		switch name := within + key.Value; {
		case !slices.Contains(known, name):
			d.Errorf(key, "the cloud config of simcloud-ccm has no key %q%s", name, words.Suggest(name, known))
		case value.Kind == yaml.MappingNode:
			d.configKeys(value, name+".")
		}
	}
}

// flags are those that a file has, which may be none; nil when it does not say.
type flags []expr.Template

func (*flags) Schema() map[string]any { return map[string]any{"type": "array", "items": StringSchema} }

func (f *flags) Read(d *Decoder, n *yaml.Node, what string) {
	*f = flags{}
	d.List(n, what, func(n *yaml.Node) {
		text, ok := d.ReadText(n, "a flag")
		if !ok {
			return
		}
		if !strings.HasPrefix(text, "-") {
			d.Errorf(n, "a flag is %q: want --name=value", text)
		}
		*f = append(*f, d.Template(n, text))
	})
}

// StartSettings are those that the CCM begins a scenario with.
func StartSettings(s *scenarios.Scenario) Settings {
	given, _ := s.Settings.(Settings)
	return given
}

// Expand puts the values in. What the file does not have is nil.
func (s Settings) Expand(snapshot *observe.Snapshot) (all control.Settings, err error) {
	if s.Config != nil {
		if all.Config, err = s.Config.ExpandObject(snapshot); err != nil {
			return control.Settings{}, fmt.Errorf("config: %w", err)
		}
	}
	if s.Flags != nil {
		all.Flags = []string{}
	}
	for _, flag := range s.Flags {
		text, err := flag.Expand(snapshot)
		if err != nil {
			return control.Settings{}, fmt.Errorf("flags: %w", err)
		}
		all.Flags = append(all.Flags, text)
	}
	if s.Binary == nil {
		return all, nil
	}
	name, err := s.Binary.Expand(snapshot)
	if err != nil {
		return control.Settings{}, fmt.Errorf("binary: %w", err)
	}
	all.Binary = &name
	return all, nil
}
