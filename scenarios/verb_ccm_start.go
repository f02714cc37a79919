package scenarios

import (
	"context"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// settings are a CCM's settings as a file has them: what is not there stays as it was.
type settings struct {
	config *tree
	flags  []template
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

// expand puts the values in. What the file does not have is nil.
func (s settings) expand(snapshot *Snapshot) (CCMSettings, error) {
	var expanded CCMSettings
	if s.config != nil {
		config, err := s.config.expandObject(snapshot)
		if err != nil {
			return CCMSettings{}, fmt.Errorf("config: %w", err)
		}
		expanded.Config = config
	}
	if s.given {
		expanded.Flags = []string{}
	}
	for _, flag := range s.flags {
		text, err := flag.expand(snapshot)
		if err != nil {
			return CCMSettings{}, fmt.Errorf("flags: %w", err)
		}
		expanded.Flags = append(expanded.Flags, text)
	}
	return expanded, nil
}

// ccmStart starts the CCM with other settings, and may want that it refuses them.
type ccmStart struct {
	settings settings
	fails    string // a text of the log; empty when it must run
}

func (s *ccmStart) text() string {
	if s.fails != "" {
		return fmt.Sprintf("start, which fails with %q", s.fails)
	}
	return "start"
}

func (s *ccmStart) run(ctx context.Context, st *stage) error {
	if err := s.start(ctx, st); err != nil {
		return fmt.Errorf("start the CCM: %w", err)
	}
	return nil
}

func (s *ccmStart) start(ctx context.Context, st *stage) error {
	if st.CCM.Running() {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "it runs already, and reads its settings when it starts: stop it first")
	}
	changed, err := s.settings.expand(st.store.snapshot())
	if err == nil {
		err = st.configureCCM(changed)
	}
	if err != nil {
		return err
	}
	if s.fails == "" {
		return st.CCM.Start(ctx)
	}
	log, err := st.CCM.StartFailing(ctx)
	if err != nil {
		return err
	}
	if !strings.Contains(log, s.fails) {
		return fmt.Errorf("it ended, and its log does not say %q: %s", s.fails, lastLines(log, mostLogLines))
	}
	return nil
}

// lastLines shortens a log to its last n lines.
func lastLines(log string, n int) string {
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
