package scenarios

import (
	"context"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ccmGet asks the CCM's secure port.
type ccmGet struct {
	path    string
	capture string
}

func checkGet(d *decoder, n *yaml.Node, g *ccmGet) {
	if !strings.HasPrefix(g.path, "/") {
		d.errorf(nodeAt(n, "get"), "get is %q: a path such as /metrics is right", g.path)
	}
	if nodeAt(n, "capture") == n {
		d.errorf(n, `get lacks the key "capture": the name for the answer`)
	}
}

func (g *ccmGet) text() string { return "get " + g.path }

func (g *ccmGet) run(ctx context.Context, st *stage) error {
	status, body, err := st.CCM.Get(ctx, g.path)
	if err != nil {
		return fmt.Errorf("get %s of the CCM: %w", g.path, err)
	}
	st.store.Capture(g.capture, map[string]any{"status": int64(status), "body": string(body)})
	return nil
}
