package step

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// ccmKillAt arms the death of the CCM.
type ccmKillAt struct {
	Operation operationGlob `yaml:"operation,required" doc:"an operation of the cloud, or a glob of such"`
	Call      int           `yaml:"call" min:"1" doc:"which such call from now on; 1 unless given"`
	When      string        `yaml:"when,required" enum:"before,after" doc:"before the cloud does it, or after it is committed and before the answer"`
}

// operationGlob chooses operations of the cloud, not of the simulator.
type operationGlob string

func (*operationGlob) Schema() map[string]any { return syntax.StringSchema }

func (g *operationGlob) Read(d *syntax.Decoder, n *yaml.Node, what string) {
	glob, ok := d.ReadText(n, what)
	if !ok {
		return
	}
	*g = operationGlob(glob)
	var all []string
	for _, e := range simcloud.Endpoints() {
		if strings.HasPrefix(e.Path, "/v1/") && !syntax.IsStream(e.Operation) {
			all = append(all, e.Operation)
		}
	}
	if glob == "" || !slices.ContainsFunc(all, func(name string) bool { return simcloud.Glob(glob, name) }) {
		d.Errorf(n, "%s is %q, which is no operation of the cloud%s: want an operation such as CreateLoadBalancer, or a pattern such as Create*", what, glob, syntax.Suggest(glob, all))
	}
}

// call is which call kills: the first one unless given.
func (k *ccmKillAt) call() int { return max(k.Call, 1) }

func (k *ccmKillAt) Text() string {
	return fmt.Sprintf("killAt %s call %d of %s", k.When, k.call(), k.Operation)
}

func (k *ccmKillAt) run(ctx context.Context, st *Stage) error {
	point := KillPoint{Operation: string(k.Operation), Call: k.call(), After: k.When == "after"}
	if err := st.CCM.KillAt(ctx, point); err != nil {
		return fmt.Errorf("arm %s: %w", k.Text(), err)
	}
	return nil
}
