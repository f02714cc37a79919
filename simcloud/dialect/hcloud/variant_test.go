package hcloud_test

import (
	"strings"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestVariants: each answer that can be chosen is the one that clients get, from the next request on.
func TestVariants(t *testing.T) {
	t.Parallel()
	for _, v := range simcloud.VariantsOf("hcloud") {
		for _, value := range v.Values[1:] {
			t.Run(v.Name+"="+value, func(t *testing.T) {
				t.Parallel()
				w := open(t)
				want := map[string]func(world, string){
					simcloud.VariantHcloudHealthCheck:            world.wantHealthCheck,
					simcloud.VariantHcloudRefusalStatus:          world.wantRefusalStatus,
					simcloud.VariantHcloudCertificateFingerprint: world.wantFingerprint,
					simcloud.VariantHcloudRetryRefusal:           world.wantRetryRefusal,
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

func (w world) wantHealthCheck(value string) {
	w.Helper()
	interval, timeout := map[string]string{"15-10-3": `"interval":15`, "10-15-3": `"interval":10`}[value], map[string]string{"15-10-3": `"timeout":10`, "10-15-3": `"timeout":15`}[value]
	for _, body := range []string{
		`{"name": "made-` + value + `", "load_balancer_type": "lb11", "location": "zone-a", "services": [{"protocol": "tcp", "listen_port": 80, "destination_port": 80}]}`,
		`{"name": "added-` + value + `", "load_balancer_type": "lb11", "location": "zone-a"}`,
	} {
		w.send("POST", "load_balancers", body)
	}
	lb := got[*hcloud.LoadBalancer](w)(w.hetz.LoadBalancer.GetByName(w.Context(), "added-"+value))
	if err := w.addTCP(lb); err != nil {
		w.Fatal(err)
	}
	for _, name := range []string{"made-", "added-"} {
		if res := w.send("GET", "load_balancers?name="+name+value, ""); !strings.Contains(res.body, interval) || !strings.Contains(res.body, timeout) || !strings.Contains(res.body, `"retries":3`) {
			w.Errorf("%s%s is %s", name, value, res.body)
		}
	}
}

func (w world) addTCP(lb *hcloud.LoadBalancer) error {
	_, _, err := w.hetz.LoadBalancer.AddService(w.Context(), lb, hcloud.LoadBalancerAddServiceOpts{
		Protocol: hcloud.LoadBalancerServiceProtocolTCP, ListenPort: new(80), DestinationPort: new(80),
	})
	return err
}

func (w world) wantRefusalStatus(value string) {
	w.Helper()
	status := map[string]int{"422": 422, "409": 409, "412": 412}[value]
	if res := w.send("POST", "load_balancers", `{"name": "one", "load_balancer_type": "lb11", "location": "zone-a"}`); res.status != 201 && res.status != 409 {
		w.Fatalf("%d %s", res.status, res.body)
	}
	lb := got[*hcloud.LoadBalancer](w)(w.hetz.LoadBalancer.GetByName(w.Context(), "one"))
	_ = w.addTCP(lb) // the second time it is there
	service := `{"protocol": "tcp", "listen_port": 80, "destination_port": 80}`
	w.refuses("POST", "load_balancers/1/actions/add_service", service, status, "source_port_already_used")
	w.refuses("POST", "load_balancers", `{"name": "two", "load_balancer_type": "lb11", "location": "moon"}`, 422, "invalid_input") // its status is known
}

func (w world) wantFingerprint(value string) {
	w.Helper()
	bytes := map[string]int{"sha256": 32, "sha1": 20}[value]
	made := w.uploaded("of-" + value)
	read := w.certificateNow(made.ID)
	all := must[[]*hcloud.Certificate](w)(w.hetz.Certificate.All(w.Context()))
	for _, c := range append(all, made, read) {
		if parts := strings.Split(c.Fingerprint, ":"); len(parts) != bytes {
			w.Errorf("by %s the fingerprint is %s", value, c.Fingerprint)
		}
	}
}

func (w world) wantRetryRefusal(value string) {
	w.Helper()
	made := w.managed("le-"+strings.ReplaceAll(value, "_", "-"), "example.com")
	_, _, err := w.hetz.Certificate.RetryIssuance(w.Context(), made.Certificate)
	refused(w.T, err, hcloud.ErrorCode(value))
}
