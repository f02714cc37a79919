package step

import (
	"context"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// delayVerbs are the verbs of the cluster's API that can be delayed: all, by
// their names or by "*". What a delayed watch tells comes late.
var delayVerbs = append([]string{"*"}, kubeVerbs...)

var delaySchema = func() map[string]any {
	properties := requestsSchema(delayVerbs)
	properties["by"] = syntax.DurationSchema
	return syntax.ObjectSchema([]string{"verbs", "resources", "by"}, properties)
}()

// readDelay reads which requests of the CCM are held back, and for how long.
func readDelay(d *syntax.Decoder, n *yaml.Node, a *kubeAction) {
	a.do, d.DelaysCCM = "delay", true
	d.Object(n, "delay", append(requestFields(d, a, delayVerbs), syntax.Field{Name: "by", Required: true, Decode: d.Duration("by", &a.by)})...)
}

// undelay lets all requests of the CCM through.
func (st *Stage) undelay(ctx context.Context) error {
	err := st.ControlPlane.Undelay(ctx)
	st.delayed = st.delayed && err != nil
	return err
}
