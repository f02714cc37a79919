package hcloud_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (w world) service(lb *hcloud.LoadBalancer, listen, destination int) {
	w.Helper()
	w.does("add_service")(w.hetz.LoadBalancer.AddService(w.Context(), lb, hcloud.LoadBalancerAddServiceOpts{
		Protocol: hcloud.LoadBalancerServiceProtocolTCP, ListenPort: &listen, DestinationPort: &destination,
	}))
}

// TestServiceDefaults: a service that says nothing of its health check gets Hetzner's.
func TestServiceDefaults(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.service(lb, 80, 30080)
	want := hcloud.LoadBalancerServiceHealthCheck{
		Protocol: "tcp", Port: 30080, Interval: 15 * time.Second, Timeout: 10 * time.Second, Retries: 3,
	}
	s := w.balancerNow(lb.ID).Services
	if len(s) != 1 || s[0].Protocol != "tcp" || s[0].ListenPort != 80 || s[0].DestinationPort != 30080 || s[0].Proxyprotocol || s[0].HealthCheck != want {
		t.Errorf("got %+v, want the health check %+v", s, want)
	}
}

// TestServiceUpdateIsPartial: what an update leaves out keeps its value.
func TestServiceUpdateIsPartial(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.does("add_service")(w.hetz.LoadBalancer.AddService(t.Context(), lb, hcloud.LoadBalancerAddServiceOpts{
		Protocol: "tcp", ListenPort: hcloud.Ptr(80), DestinationPort: hcloud.Ptr(30080), Proxyprotocol: hcloud.Ptr(true),
		HealthCheck: &hcloud.LoadBalancerAddServiceOptsHealthCheck{
			Protocol: "http", Port: hcloud.Ptr(9000), Interval: hcloud.Ptr(7 * time.Second), Timeout: hcloud.Ptr(5 * time.Second), Retries: hcloud.Ptr(2),
			HTTP: &hcloud.LoadBalancerAddServiceOptsHealthCheckHTTP{Path: hcloud.Ptr("/healthz")},
		},
	}))
	w.does("update_service")(w.hetz.LoadBalancer.UpdateService(t.Context(), lb, 80, hcloud.LoadBalancerUpdateServiceOpts{
		DestinationPort: hcloud.Ptr(30081), HealthCheck: &hcloud.LoadBalancerUpdateServiceOptsHealthCheck{Retries: hcloud.Ptr(4)},
	}))
	s := w.balancerNow(lb.ID).Services[0]
	h := s.HealthCheck
	if s.DestinationPort != 30081 || !s.Proxyprotocol || s.Protocol != "tcp" {
		t.Errorf("the service is %+v", s)
	}
	if h.Protocol != "http" || h.Port != 9000 || h.Interval != 7*time.Second || h.Timeout != 5*time.Second || h.Retries != 4 || h.HTTP == nil || h.HTTP.Path != "/healthz" {
		t.Errorf("its health check is %+v, %+v", h, h.HTTP)
	}
	w.does("update_service")(w.hetz.LoadBalancer.UpdateService(t.Context(), lb, 80, hcloud.LoadBalancerUpdateServiceOpts{
		Proxyprotocol: hcloud.Ptr(false), HealthCheck: &hcloud.LoadBalancerUpdateServiceOptsHealthCheck{Protocol: "tcp"},
	}))
	s = w.balancerNow(lb.ID).Services[0]
	if s.Proxyprotocol || s.HealthCheck.Protocol != "tcp" || s.HealthCheck.HTTP != nil || s.HealthCheck.Port != 9000 || s.DestinationPort != 30081 {
		t.Errorf("at last it is %+v", s)
	}
}

func TestServiceLimitsAndRefusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	for port := 1; port <= 5; port++ {
		w.service(lb, port, 30000+port)
	}
	_, _, err := w.hetz.LoadBalancer.AddService(t.Context(), lb, hcloud.LoadBalancerAddServiceOpts{Protocol: "tcp", ListenPort: hcloud.Ptr(6), DestinationPort: hcloud.Ptr(6)})
	refused(t, err, hcloud.ErrorCodeResourceLimitExceeded)
	_, _, err = w.hetz.LoadBalancer.AddService(t.Context(), lb, hcloud.LoadBalancerAddServiceOpts{Protocol: "tcp", ListenPort: hcloud.Ptr(5), DestinationPort: hcloud.Ptr(6)})
	refused(t, err, hcloud.ErrorCodeSourcePortAlreadyUsed)
	_, _, err = w.hetz.LoadBalancer.UpdateService(t.Context(), lb, 6, hcloud.LoadBalancerUpdateServiceOpts{DestinationPort: hcloud.Ptr(7)})
	refused(t, err, hcloud.ErrorCodeNotFound)
	w.does("delete_service")(w.hetz.LoadBalancer.DeleteService(t.Context(), lb, 3))
	_, _, err = w.hetz.LoadBalancer.DeleteService(t.Context(), lb, 3)
	refused(t, err, hcloud.ErrorCodeNotFound)
	if n := len(w.balancerNow(lb.ID).Services); n != 4 {
		t.Errorf("it has %d services, want 4", n)
	}
	const path = "load_balancers/1/actions/"
	for _, body := range []string{
		`{}`, `{"protocol":"tcp","listen_port":9}`, `{"protocol":"tcp","destination_port":9}`,
		`{"protocol":"tcp","listen_port":0,"destination_port":9}`, `{"protocol":"tcp","listen_port":9,"destination_port":70000}`,
		`{"protocol":"tcp","listen_port":9,"destination_port":9,"http":{}}`, `{"protocol":"udp","listen_port":9,"destination_port":9}`,
		`{"protocol":"tcp","listen_port":9,"destination_port":9,"health_check":{"protocol":"icmp"}}`,
	} {
		w.refuses("POST", path+"add_service", body, 422, "invalid_input")
	}
	w.refuses("POST", path+"update_service", `{"destination_port":1}`, 422, "invalid_input")
	w.refuses("POST", path+"delete_service", `{}`, 422, "invalid_input")
	w.refuses("POST", "load_balancers/9/actions/delete_service", `{"listen_port":1}`, 404, "not_found")
}

// TestHTTPService: a service with the protocol http has settings, which a change to tcp drops.
func TestHTTPService(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.does("add_service")(w.hetz.LoadBalancer.AddService(t.Context(), lb, hcloud.LoadBalancerAddServiceOpts{Protocol: "http"}))
	s := w.balancerNow(lb.ID).Services[0]
	if s.Protocol != "http" || s.ListenPort != 80 || s.DestinationPort != 80 || s.HTTP.CookieName != "HCLBSTICKY" || s.HTTP.CookieLifetime != 5*time.Minute || s.HTTP.StickySessions {
		t.Errorf("by default it is %+v", s)
	}
	w.does("update_service")(w.hetz.LoadBalancer.UpdateService(t.Context(), lb, 80, hcloud.LoadBalancerUpdateServiceOpts{HTTP: &hcloud.LoadBalancerUpdateServiceOptsHTTP{
		CookieName: hcloud.Ptr("C"), StickySessions: hcloud.Ptr(true), TimeoutIdle: hcloud.Ptr(90 * time.Second),
	}}))
	w.does("update_service")(w.hetz.LoadBalancer.UpdateService(t.Context(), lb, 80, hcloud.LoadBalancerUpdateServiceOpts{DestinationPort: hcloud.Ptr(8080)}))
	s = w.balancerNow(lb.ID).Services[0]
	if s.HTTP.CookieName != "C" || !s.HTTP.StickySessions || s.HTTP.CookieLifetime != 5*time.Minute || s.HTTP.TimeoutIdle != 90*time.Second || s.DestinationPort != 8080 {
		t.Errorf("after two updates it is %+v", s)
	}
	_, _, err := w.hetz.LoadBalancer.AddService(t.Context(), lb, hcloud.LoadBalancerAddServiceOpts{Protocol: "tcp", ListenPort: hcloud.Ptr(80), DestinationPort: hcloud.Ptr(1)})
	refused(t, err, hcloud.ErrorCodeSourcePortAlreadyUsed)
	w.does("update_service")(w.hetz.LoadBalancer.UpdateService(t.Context(), lb, 80, hcloud.LoadBalancerUpdateServiceOpts{Protocol: "tcp"}))
	if all := w.balancerNow(lb.ID).Services; len(all) != 1 || all[0].Protocol != "tcp" || all[0].HTTP.CookieName != "" || all[0].DestinationPort != 8080 {
		t.Errorf("in the end there are %+v", all)
	}
	if listeners := must[simcloud.LoadBalancer](t)(w.native.GetLoadBalancer(t.Context(), "lb-1")).Listeners; len(listeners[0].Options) != 0 {
		t.Errorf("the cloud has %+v", listeners)
	}
}

// TestHealthCheckOfHTTP: all of it is kept, and an update changes what it names alone.
func TestHealthCheckOfHTTP(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.does("add_service")(w.hetz.LoadBalancer.AddService(t.Context(), lb, hcloud.LoadBalancerAddServiceOpts{
		Protocol: "http", HealthCheck: &hcloud.LoadBalancerAddServiceOptsHealthCheck{Protocol: "http", HTTP: &hcloud.LoadBalancerAddServiceOptsHealthCheckHTTP{
			Domain: hcloud.Ptr("example.com"), Path: hcloud.Ptr("/a"), Response: hcloud.Ptr("ok"), StatusCodes: []string{"200"}, TLS: hcloud.Ptr(true),
		}},
	}))
	want := hcloud.LoadBalancerServiceHealthCheckHTTP{Domain: "example.com", Path: "/a", Response: "ok", StatusCodes: []string{"200"}, TLS: true}
	if h := w.balancerNow(lb.ID).Services[0].HealthCheck.HTTP; !reflect.DeepEqual(*h, want) {
		t.Errorf("got %+v, want %+v", h, want)
	}
	want.Path = "/b"
	w.does("update_service")(w.hetz.LoadBalancer.UpdateService(t.Context(), lb, 80, hcloud.LoadBalancerUpdateServiceOpts{
		HealthCheck: &hcloud.LoadBalancerUpdateServiceOptsHealthCheck{Protocol: "http", HTTP: &hcloud.LoadBalancerUpdateServiceOptsHealthCheckHTTP{Path: hcloud.Ptr("/b")}},
	}))
	if h := w.balancerNow(lb.ID).Services[0].HealthCheck.HTTP; !reflect.DeepEqual(*h, want) {
		t.Errorf("updated to %+v, want %+v", h, want)
	}
	w.refuses("POST", "load_balancers/1/actions/update_service", `{"listen_port":80,"health_check":{"http":{"status_codes":["2x"]}}}`, 422, "invalid_input")
}
