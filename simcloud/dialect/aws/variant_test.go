package aws_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestVariants: each answer that can be chosen is the one that clients get, from the next request on.
func TestVariants(t *testing.T) {
	t.Parallel()
	for _, v := range simcloud.VariantsOf("aws") {
		for _, value := range v.Values[1:] {
			t.Run(v.Name+"="+value, func(t *testing.T) {
				t.Parallel()
				w := open(t)
				want := map[string]func(world, string){
					simcloud.VariantAWSTerminated: world.wantTerminated,
				}[v.Name]
				if want == nil {
					t.Fatal("nothing tests it")
				}
				want(w, v.Values[0])
				must[simcloud.Config](t)(w.native.UpdateConfig(t.Context(), simcloud.ConfigUpdate{DialectVariants: &map[string]string{v.Name: value}}))
				want(w, value)
			})
		}
	}
}

func (w world) wantTerminated(value string) {
	w.Helper()
	i := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.remove(i.ID)
	if value == "shown" {
		w.wantStates(string(i.ID)+" terminated", "InstanceId.1", string(i.ID))
		return
	}
	w.wantStates("")
	w.refused("InvalidInstanceID.NotFound", 400, ec2, "DescribeInstances", "InstanceId.1", string(i.ID))
}
