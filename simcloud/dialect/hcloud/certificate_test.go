package hcloud_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// pair is a certificate for domains and its key, in PEM.
func pair(t *testing.T, domains ...string) (certificate, key string) {
	t.Helper()
	private := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: domains[0]}, DNSNames: domains,
		NotBefore: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), NotAfter: time.Date(2040, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	raw := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, private.Public(), private))
	encoded := must[[]byte](t)(x509.MarshalPKCS8PrivateKey(private))
	block := func(typ string, raw []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: typ, Bytes: raw}))
	}
	return block("CERTIFICATE", raw), block("PRIVATE KEY", encoded)
}

// uploaded makes a certificate for example.com.
func (w world) uploaded(name string) *hcloud.Certificate {
	w.Helper()
	certificate, key := pair(w.T, "example.com")
	return got[*hcloud.Certificate](w)(w.hetz.Certificate.Create(w.Context(), hcloud.CertificateCreateOpts{Name: name, Certificate: certificate, PrivateKey: key}))
}

// managed asks for a certificate that the cloud issues.
func (w world) managed(name string, domains ...string) hcloud.CertificateCreateResult {
	w.Helper()
	return got[hcloud.CertificateCreateResult](w)(w.hetz.Certificate.CreateCertificate(w.Context(), hcloud.CertificateCreateOpts{
		Name: name, Type: hcloud.CertificateTypeManaged, DomainNames: domains, Labels: map[string]string{"a": "b"},
	}))
}

func (w world) certificateNow(id int64) *hcloud.Certificate {
	w.Helper()
	return got[*hcloud.Certificate](w)(w.hetz.Certificate.GetByID(w.Context(), id))
}

// TestUploadedCertificate: what a certificate says is shown, and its key is not kept.
func TestUploadedCertificate(t *testing.T) {
	t.Parallel()
	w := open(t)
	certificate, key := pair(t, "example.com", "*.example.com")
	made := got[hcloud.CertificateCreateResult](t)(w.hetz.Certificate.CreateCertificate(t.Context(), hcloud.CertificateCreateOpts{
		Name: "tls", Type: hcloud.CertificateTypeUploaded, Certificate: certificate, PrivateKey: key,
	}))
	c := made.Certificate
	if made.Action != nil || c.Status != nil || c.Type != hcloud.CertificateTypeUploaded || c.Certificate != certificate || len(c.UsedBy) != 0 {
		t.Errorf("made %+v by %+v", c, made.Action)
	}
	if c.NotValidBefore.Year() != 2020 || c.NotValidAfter.Year() != 2040 || !slices.Equal(c.DomainNames, []string{"example.com", "*.example.com"}) || len(strings.Split(c.Fingerprint, ":")) != 32 {
		t.Errorf("it says %+v", c)
	}
	for _, again := range []*hcloud.Certificate{w.certificateNow(c.ID), got[*hcloud.Certificate](t)(w.hetz.Certificate.GetByName(t.Context(), "tls"))} {
		if again == nil || again.Fingerprint != c.Fingerprint || !again.Created.Equal(c.Created) {
			t.Errorf("it is read as %+v", again)
		}
	}
	kept := must[simcloud.Document](t)(w.native.GetDocument(t.Context(), "doc-1"))
	if strings.Contains(string(kept.Body), "PRIVATE") {
		t.Errorf("the cloud keeps %s", kept.Body)
	}
}

// TestManagedCertificate: a certificate is issued at once for the domains that were asked for.
func TestManagedCertificate(t *testing.T) {
	t.Parallel()
	w := open(t)
	made := w.managed("le", "example.com", "*.example.org")
	w.waits(made.Action)
	c := w.certificateNow(made.Certificate.ID)
	if made.Action.Command != "create_certificate" || made.Action.Resources[0].ID != c.ID || c.Status.Issuance != "completed" || c.Status.Renewal != "scheduled" || c.Labels["a"] != "b" {
		t.Errorf("made %+v with %+v by %+v", c, c.Status, made.Action)
	}
	block, _ := pem.Decode([]byte(c.Certificate))
	leaf := must[*x509.Certificate](t)(x509.ParseCertificate(block.Bytes))
	if leaf.VerifyHostname("example.com") != nil || leaf.VerifyHostname("a.example.org") != nil || !leaf.NotAfter.Equal(c.NotValidAfter) || c.NotValidAfter.Sub(c.NotValidBefore) != 90*24*time.Hour {
		t.Errorf("it says %+v", c)
	}
	if again := w.certificateNow(c.ID); again.Certificate != c.Certificate {
		t.Error("it is another one at each look")
	}
	_, _, err := w.hetz.Certificate.RetryIssuance(t.Context(), c)
	refused(t, err, hcloud.ErrorCodeInvalidInput)
}

// TestIssuanceFails: a domain that cannot be in DNS makes the action fail, and the retry too.
func TestIssuanceFails(t *testing.T) {
	t.Parallel()
	w := open(t)
	made := w.managed("le", "a.invalid")
	var failed hcloud.ActionError
	if err := w.hetz.Action.WaitFor(t.Context(), made.Action); !asActionError(err, &failed) || failed.Code != "ca_dns_validation_failed" {
		t.Errorf("the action ended in %v", err)
	}
	again := got[*hcloud.Action](t)(w.hetz.Certificate.RetryIssuance(t.Context(), made.Certificate))
	if again.Command != "issue_certificate" || again.Status != hcloud.ActionStatusError {
		t.Errorf("the retry is %+v", again)
	}
	if read := got[*hcloud.Action](t)(w.hetz.Action.GetByID(t.Context(), again.ID)); read.Status != hcloud.ActionStatusError || read.ErrorCode != "ca_dns_validation_failed" {
		t.Errorf("it is read as %+v", read)
	}
	c := w.certificateNow(made.Certificate.ID)
	if !c.Status.IsFailed() || c.Status.Error.Code != "ca_dns_validation_failed" || c.Certificate != "" || !c.NotValidAfter.IsZero() {
		t.Errorf("it is %+v with %+v", c, c.Status)
	}
}

func TestCertificateRefusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	certificate, key := pair(t, "example.com")
	_, other := pair(t, "example.com")
	create := func(fields map[string]any) string {
		return string(must[[]byte](t)(json.Marshal(fields)))
	}
	for field, body := range map[string]map[string]any{
		"name":                {"type": "managed", "domain_names": []string{"a.com"}},
		"type":                {"name": "a", "type": "bought"},
		"certificate":         {"name": "a", "private_key": key},
		"private_key":         {"name": "a", "certificate": certificate},
		"domain_names":        {"name": "a", "type": "managed"},
		"domain_names[0]":     {"name": "a", "type": "managed", "domain_names": []string{"a_b"}},
		"domain_names[1]":     {"name": "a", "type": "managed", "domain_names": []string{"a.com", "a.com"}},
		"labels":              {"name": "a", "type": "managed", "domain_names": []string{"a.com"}, "labels": map[string]string{"a b": ""}},
		"certificate ":        {"name": "a", "certificate": "-----BEGIN", "private_key": key},
		"private_key ":        {"name": "a", "certificate": certificate, "private_key": other},
		"private_key  ":       {"name": "a", "certificate": certificate, "private_key": certificate},
		"private_key   ":      {"name": "a", "type": "managed", "domain_names": []string{"a.com"}, "private_key": key},
		"certificate  ":       {"name": "a", "type": "managed", "domain_names": []string{"a.com"}, "certificate": certificate},
		"domain_names       ": {"name": "a", "certificate": certificate, "private_key": key, "domain_names": []string{"a.com"}},
	} {
		res := w.send("POST", "certificates", create(body))
		if res.status != 422 || !strings.Contains(res.body, `"name":"`+strings.TrimSpace(field)+`"`) {
			t.Errorf("%s: %d %s", field, res.status, res.body)
		}
	}
	if all := must[[]*hcloud.Certificate](t)(w.hetz.Certificate.All(t.Context())); len(all) != 0 {
		t.Errorf("there are %d certificates", len(all))
	}
	w.refuses("GET", "certificates/9", "", 404, "not_found")
	w.refuses("POST", "certificates/9/actions/retry", "", 404, "not_found")
}

// TestCertificatesAreFound: names are unique, and labels, types and names choose.
func TestCertificatesAreFound(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.uploaded("first")
	second := w.managed("second", "example.com").Certificate
	_, _, err := w.hetz.Certificate.CreateCertificate(t.Context(), hcloud.CertificateCreateOpts{Name: "first", Type: hcloud.CertificateTypeManaged, DomainNames: []string{"example.com"}})
	refused(t, err, hcloud.ErrorCodeUniquenessError)
	_, _, err = w.hetz.Certificate.Update(t.Context(), second, hcloud.CertificateUpdateOpts{Name: "first"})
	refused(t, err, hcloud.ErrorCodeUniquenessError)
	byLabel := hcloud.CertificateListOpts{ListOpts: hcloud.ListOpts{LabelSelector: "a=b"}}
	if all := must[[]*hcloud.Certificate](t)(w.hetz.Certificate.AllWithOpts(t.Context(), byLabel)); len(all) != 1 || all[0].ID != second.ID {
		t.Errorf("by their label: %+v", all)
	}
	if named := got[*hcloud.Certificate](t)(w.hetz.Certificate.GetByName(t.Context(), "first")); named == nil || named.ID != first.ID {
		t.Errorf("by its name: %+v", named)
	}
	if res := w.send("GET", "certificates?type=managed", ""); strings.Contains(res.body, `"first"`) || !strings.Contains(res.body, `"second"`) {
		t.Errorf("the managed ones are %s", res.body)
	}
	updated := got[*hcloud.Certificate](t)(w.hetz.Certificate.Update(t.Context(), first, hcloud.CertificateUpdateOpts{Name: "third", Labels: map[string]string{"c": "d"}}))
	if updated.Name != "third" || updated.Labels["c"] != "d" || updated.Fingerprint != first.Fingerprint {
		t.Errorf("updated to %+v", updated)
	}
	other := simcloud.DocumentSpec{Name: "x", Dialect: "acme", Type: "certificate", Body: json.RawMessage(`{}`)}
	must[simcloud.Result[simcloud.Document]](t)(w.native.CreateDocument(t.Context(), other))
	if all := must[[]*hcloud.Certificate](t)(w.hetz.Certificate.All(t.Context())); len(all) != 2 {
		t.Errorf("there are %d certificates", len(all))
	}
	w.refuses("DELETE", "certificates/3", "", 404, "not_found")
}

// https is a service with certificates.
func https(port int, certificates ...*hcloud.Certificate) hcloud.LoadBalancerAddServiceOpts {
	return hcloud.LoadBalancerAddServiceOpts{
		Protocol: hcloud.LoadBalancerServiceProtocolHTTPS, ListenPort: &port, DestinationPort: hcloud.Ptr(80),
		HTTP: &hcloud.LoadBalancerAddServiceOptsHTTP{Certificates: certificates, RedirectHTTP: hcloud.Ptr(true)},
	}
}

// TestHTTPSService: a service uses certificates, which cannot be deleted as long as it does.
func TestHTTPSService(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb, first, second := w.balancer("a"), w.uploaded("first"), w.managed("second", "example.com").Certificate
	w.does("add_service")(w.hetz.LoadBalancer.AddService(t.Context(), lb, https(443, first, second)))
	s := w.balancerNow(lb.ID).Services[0]
	if s.Protocol != "https" || s.ListenPort != 443 || len(s.HTTP.Certificates) != 2 || s.HTTP.Certificates[1].ID != second.ID || !s.HTTP.RedirectHTTP {
		t.Errorf("the service is %+v, %+v", s, s.HTTP)
	}
	if used := w.certificateNow(first.ID).UsedBy; len(used) != 1 || used[0].ID != lb.ID || used[0].Type != hcloud.CertificateUsedByRefTypeLoadBalancer {
		t.Errorf("it is used by %+v", used)
	}
	_, err := w.hetz.Certificate.Delete(t.Context(), first)
	refused(t, err, hcloud.ErrorCodeResourceInUse)
	w.does("update_service")(w.hetz.LoadBalancer.UpdateService(t.Context(), lb, 443, hcloud.LoadBalancerUpdateServiceOpts{
		HTTP: &hcloud.LoadBalancerUpdateServiceOptsHTTP{Certificates: []*hcloud.Certificate{second}},
	}))
	if _, err := w.hetz.Certificate.Delete(t.Context(), first); err != nil {
		t.Errorf("when no service has it: %v", err)
	}
	w.does("update_service")(w.hetz.LoadBalancer.UpdateService(t.Context(), lb, 443, hcloud.LoadBalancerUpdateServiceOpts{Protocol: "http"}))
	if s := w.balancerNow(lb.ID).Services[0]; s.Protocol != "http" || len(s.HTTP.Certificates) != 0 || s.HTTP.RedirectHTTP {
		t.Errorf("with the protocol http it is %+v, %+v", s, s.HTTP)
	}
	if _, err := w.hetz.Certificate.Delete(t.Context(), second); err != nil {
		t.Errorf("when no service has it: %v", err)
	}
}

func TestHTTPSRefusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	const path = "load_balancers/1/actions/"
	for _, body := range []string{
		`{"protocol":"https"}`, `{"protocol":"https","http":{}}`, `{"protocol":"https","http":{"certificates":[]}}`,
		`{"protocol":"https","http":{"certificates":[9]}}`, `{"protocol":"http","http":{"certificates":[1]}}`,
	} {
		w.refuses("POST", path+"add_service", body, 422, "invalid_input")
	}
	w.does("add_service")(w.hetz.LoadBalancer.AddService(t.Context(), lb, hcloud.LoadBalancerAddServiceOpts{Protocol: "http"}))
	w.refuses("POST", path+"update_service", `{"listen_port":80,"protocol":"https"}`, 422, "invalid_input")
	if s := w.balancerNow(lb.ID).Services; len(s) != 1 || s[0].Protocol != "http" {
		t.Errorf("the services are %+v", s)
	}
}

// TestCertificateLimit: the type of a load balancer says how many certificates it takes.
func TestCertificateLimit(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	var certificates []*hcloud.Certificate
	for _, name := range strings.Split("a b c d e f g h i j k", " ") {
		certificates = append(certificates, w.managed(name, name+".example.com").Certificate)
	}
	w.does("add_service")(w.hetz.LoadBalancer.AddService(t.Context(), lb, https(443, certificates[:10]...)))
	w.does("add_service")(w.hetz.LoadBalancer.AddService(t.Context(), lb, https(444, certificates[0])))
	_, _, err := w.hetz.LoadBalancer.AddService(t.Context(), lb, https(445, certificates[10]))
	refused(t, err, hcloud.ErrorCodeResourceLimitExceeded)
	w.does("change_type")(w.hetz.LoadBalancer.ChangeType(t.Context(), lb, hcloud.LoadBalancerChangeTypeOpts{LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb21"}}))
	w.does("add_service")(w.hetz.LoadBalancer.AddService(t.Context(), lb, https(445, certificates[10])))
	_, _, err = w.hetz.LoadBalancer.ChangeType(t.Context(), lb, hcloud.LoadBalancerChangeTypeOpts{LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}})
	refused(t, err, "invalid_load_balancer_type")
}
