package hcloud_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestChangesHaveGoodLabels: PUT of each kind refuses bad labels, and then changes nothing.
func TestChangesHaveGoodLabels(t *testing.T) {
	t.Parallel()
	w := open(t)
	network := must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "old", CIDRs: []string{"10.9.0.0/16"}})).Resource
	for path, name := range map[string]func() string{
		fmt.Sprintf("servers/%s", number(w.instance(simcloud.InstanceSpec{Name: "old"}).ID)): func() string {
			return must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), "i-1")).Name
		},
		fmt.Sprintf("networks/%s", number(network.ID)): func() string {
			return must[simcloud.Network](t)(w.native.GetNetwork(t.Context(), network.ID)).Name
		},
		fmt.Sprintf("load_balancers/%d", w.balancer("old").ID): func() string { return w.balancerNow(1).Name },
		fmt.Sprintf("certificates/%d", w.uploaded("old").ID):   func() string { return w.certificateNow(1).Name },
	} {
		for _, labels := range []string{`{"hetzner.cloud/a":"b"}`, `{"a b":"c"}`, `{"a":"b c"}`} {
			w.refuses("PUT", path, `{"name":"new","labels":`+labels+`}`, 422, "invalid_input")
		}
		if now := name(); now != "old" {
			t.Errorf("%s: after refusals its name is %q", path, now)
		}
		if res := w.send("PUT", path, `{"name":"new","labels":{"a":"b"}}`); res.status != 200 || name() != "new" {
			t.Errorf("%s: with good labels the answer is %d %s", path, res.status, res.body)
		}
	}
}

// number is the digits of an id of the cloud.
func number(id simcloud.ID) string {
	_, digits, _ := strings.Cut(string(id), "-")
	return digits
}
