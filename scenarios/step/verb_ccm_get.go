package step

import (
	"context"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// CCMGet asks the CCM's secure port.
type CCMGet struct {
	path    string
	capture string
}

func checkGet(d *syntax.Decoder, n *yaml.Node, g *CCMGet) {
	if !strings.HasPrefix(g.path, "/") {
		d.Errorf(syntax.NodeAt(n, "get"), "get is %q: a path such as /metrics is right", g.path)
	}
	if syntax.NodeAt(n, "capture") == n {
		d.Errorf(n, `get lacks the key "capture": the name for the answer`)
	}
}

// Text says in one line what the step does.
func (g *CCMGet) Text() string { return "get " + g.path }

func (g *CCMGet) run(ctx context.Context, st *Stage) error {
	status, body, err := st.CCM.Get(ctx, g.path)
	if err != nil {
		return fmt.Errorf("get %s of the CCM: %w", g.path, err)
	}
	st.Store.Capture(g.capture, map[string]any{"status": int64(status), "body": string(body)})
	return nil
}
