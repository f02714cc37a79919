package scenarios

import (
	"context"

	"go.yaml.in/yaml/v3"
)

// delayVerbs are the verbs of the cluster's API that can be delayed: all, by
// their names or by "*". What a delayed watch tells comes late.
var delayVerbs = append([]string{"*"}, kubeVerbs...)

var delaySchema = func() map[string]any {
	properties := requestsSchema(delayVerbs)
	properties["by"] = durationSchema
	return objectSchema([]string{"verbs", "resources", "by"}, properties)
}()

// readDelay reads which requests of the CCM are held back, and for how long.
func readDelay(d *decoder, n *yaml.Node, a *kubeAction) {
	a.do, d.delaysCCM = "delay", true
	d.object(n, "delay", append(requestFields(d, a, delayVerbs), field{"by", true, d.duration("by", &a.by)})...)
}

// undelay lets all requests of the CCM through.
func (st *stage) undelay(ctx context.Context) error {
	err := st.ControlPlane.Undelay(ctx)
	st.delayed = st.delayed && err != nil
	return err
}
