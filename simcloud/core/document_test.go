package core_test

import (
	"encoding/json"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestDocumentGoneMeanwhile: a change that fails does not bring back a document that was
// deleted while it ran.
func TestDocumentGoneMeanwhile(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	spec := simcloud.DocumentSpec{Name: "a", Dialect: "hcloud", Type: "certificate", Body: json.RawMessage(`{}`)}
	id := must[simcloud.Result[simcloud.Document]](t)(cloud.CreateDocument(t.Context(), spec)).Resource.ID
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb", Listeners: []simcloud.ListenerSpec{{
		Protocol: simcloud.ProtocolHTTPS, Port: 443, ListenerConfig: simcloud.ListenerConfig{TargetPort: 80, Documents: []simcloud.ID{id}},
	}}}))
	settle()
	config := simcloud.ListenerConfig{TargetPort: 81}
	r := must[lbResult](t)(cloud.UpdateListener(failing(t, simcloud.Unavailable), "lb-1", "https-443", config))
	must[simcloud.Operation](t)(cloud.DeleteDocument(t.Context(), id))
	settle()
	failed(t, cloud, r.Operation.ID, "UpdateListener failed: load_balancer/lb-1 is active")
	listener := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1")).Listeners[0]
	if listener.TargetPort != 80 || len(listener.Documents) != 0 {
		t.Errorf("the listener is %+v", listener)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
