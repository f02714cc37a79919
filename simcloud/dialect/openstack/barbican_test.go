package openstack_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/keymanager/v1/containers"
	"github.com/gophercloud/gophercloud/v2/openstack/keymanager/v1/secrets"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// barbican is a client of the key manager, which finds it in the catalog.
func (w world) barbican() *gophercloud.ServiceClient { return w.clientOf(openstack.NewKeyManagerV1) }

// secret makes a secret, and returns its URL.
func (w world) secret(opts secrets.CreateOpts) string {
	w.Helper()
	return must[*secrets.Secret](w)(secrets.Create(w.Context(), w.barbican(), opts).Extract()).SecretRef
}

// certificate makes a container with a certificate and its key, and returns its URL.
func (w world) certificate(name string) string {
	w.Helper()
	refs := []containers.SecretRef{
		{Name: "certificate", SecretRef: w.secret(secrets.CreateOpts{Name: name + ".crt", Payload: "a certificate", PayloadContentType: "text/plain", SecretType: secrets.CertificateSecret})},
		{Name: "private_key", SecretRef: w.secret(secrets.CreateOpts{Name: name + ".key", Payload: "a key", PayloadContentType: "text/plain", SecretType: secrets.PrivateSecret})},
	}
	made := must[*containers.Container](w)(containers.Create(w.Context(), w.barbican(), containers.CreateOpts{Type: containers.CertificateContainer, Name: name, SecretRefs: refs}).Extract())
	return made.ContainerRef
}

// idIn is the id at the end of a URL.
func idIn(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// TestSecrets: what is said of a secret comes back, and its payload is kept nowhere.
func TestSecrets(t *testing.T) {
	t.Parallel()
	w := open(t)
	k := w.barbican()
	ref := w.secret(secrets.CreateOpts{
		Name: "a key, of _", Algorithm: "aes", BitLength: 256, Mode: "cbc", SecretType: secrets.SymmetricSecret,
		Payload: base64.StdEncoding.EncodeToString([]byte("very-secret")), PayloadContentType: "application/octet-stream", PayloadContentEncoding: "base64",
	})
	if want := w.cloud.URL() + "/openstack/key-manager/v1/secrets/00000000-0000-4010-8000-000000000001"; ref != want {
		t.Errorf("the secret is %s, want %s", ref, want)
	}
	got := must[*secrets.Secret](t)(secrets.Get(t.Context(), k, idIn(ref)).Extract())
	if got.Name != "a key, of _" || got.Algorithm != "aes" || got.BitLength != 256 || got.Mode != "cbc" || got.SecretType != "symmetric" || got.Status != "ACTIVE" ||
		got.SecretRef != ref || got.ContentTypes["default"] != "application/octet-stream" || got.Created.IsZero() {
		t.Errorf("the secret is %+v", got)
	}
	kept := must[simcloud.Document](t)(w.native.GetDocument(t.Context(), "doc-1"))
	if kept.Name != "a-key-of" || kept.Dialect != "openstack" || kept.Type != "secret" || strings.Contains(string(kept.Body), base64.StdEncoding.EncodeToString([]byte("very-secret"))) {
		t.Errorf("the document is %+v: %s", kept, kept.Body)
	}
	journal := must[[]simcloud.JournalEntry](t)(w.native.ListJournal(t.Context(), simcloud.JournalFilter{Operation: "openstack:barbican:*", Bodies: true}))
	if text := string(must[[]byte](t)(json.Marshal(journal))); !strings.Contains(text, "a key, of _") || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte("very-secret"))) {
		t.Error("the journal has the payload")
	}
	if text := string(must[[]byte](t)(json.Marshal(journal))); !strings.Contains(text, "symmetric") || !strings.Contains(text, "secrets/00000000-0000-4010") {
		t.Errorf("the journal does not tell of the secret: %s", text)
	}
	twin := w.secret(secrets.CreateOpts{Name: "a key, of _"})
	long := strings.Repeat("a", 253)
	for range 2 {
		if got := must[*secrets.Secret](t)(secrets.Get(t.Context(), k, idIn(w.secret(secrets.CreateOpts{Name: long}))).Extract()); got.Name != long {
			t.Errorf("the name is %q", got.Name)
		}
	}
	spaced := w.secret(secrets.CreateOpts{Name: " b ", Payload: "x", PayloadContentType: "text/plain; charset=utf-8"})
	if got := must[*secrets.Secret](t)(secrets.Get(t.Context(), k, idIn(spaced)).Extract()); got.Name != "b" || got.ContentTypes["default"] != "text/plain" {
		t.Errorf("the secret is %+v", got)
	}
	if bare := must[*secrets.Secret](t)(secrets.Get(t.Context(), k, idIn(twin)).Extract()); bare.Name != "a key, of _" || bare.SecretType != "opaque" || bare.ContentTypes != nil {
		t.Errorf("a second one of that name is %+v", bare)
	}
	if err := secrets.Delete(t.Context(), k, idIn(ref)).ExtractErr(); err != nil {
		t.Error(err)
	}
	container := idIn(w.certificate("web"))
	for _, id := range []string{idIn(ref), "x", container, strings.Replace(container, "4011", "4010", 1)} {
		refused(t, secrets.Get(t.Context(), k, id).Err, http.StatusNotFound, "Secret not found: "+id)
		refused(t, secrets.Delete(t.Context(), k, id).Err, http.StatusNotFound, "Secret not found: "+id)
	}
}

func TestSecretsRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	for body, want := range map[string]string{
		`{"secret_type": "x"}`:                                          "'x' is not one of [symmetric",
		`{"payload": "x"}`:                                              "'payload_content_type' must also be supplied. Invalid property: 'payload_content_type'",
		`{"payload_content_type": "text"}`:                              "payload must be provided",
		`{"payload": "x", "payload_content_type": "image/png"}`:         "'image/png' is not one of [text/plain",
		`{"payload": "x", "payload_content_type": "application/pkcs8"}`: "must be base64",
		`{"payload": "?", "payload_content_type": "application/pkcs8", "payload_content_encoding": "base64"}`: "Invalid payload",
		`{"payload": " ", "payload_content_type": "text/plain"}`:                                              "must be non empty",
		`{"payload": "x", "payload_content_type": "text/plain", "payload_content_encoding": "base64"}`:        "must not be supplied when",
		`{"bit_length": 0}`:                            "0 must be between 1 and 32767. Invalid property: 'bit_length'",
		`{"name": "` + strings.Repeat("é", 256) + `"}`: "the text has 256 characters: must have at most 255. Invalid property: 'name'",
		`{"name": 1}`:                                  "name: number is not allowed",
		`{"what": 1}`:                                  "what",
	} {
		if got := w.send(http.MethodPost, "/key-manager/v1/secrets", body); got.status != http.StatusBadRequest || !strings.Contains(got.body, want) {
			t.Errorf("%s: %d %s, want %q", body, got.status, got.body, want)
		}
	}
	long := `{"payload": "` + strings.Repeat("x", 20001) + `", "payload_content_type": "text/plain"}`
	if got := w.send(http.MethodPost, "/key-manager/v1/secrets", long); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a long payload: %d %s", got.status, got.body)
	}
	for _, path := range []string{"/key-manager/v1/secrets", "/key-manager/v1/secrets/00000000-0000-4010-8000-000000000001/payload"} {
		if got := w.send(http.MethodGet, path, ""); got.status != http.StatusNotImplemented {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// TestContainers: a container has the URLs of its secrets.
func TestContainers(t *testing.T) {
	t.Parallel()
	w := open(t)
	k := w.barbican()
	ref := w.certificate("web")
	got := must[*containers.Container](t)(containers.Get(t.Context(), k, idIn(ref)).Extract())
	base := w.cloud.URL() + "/openstack/key-manager/v1/secrets/00000000-0000-4010-8000-00000000000"
	want := []containers.SecretRef{{Name: "certificate", SecretRef: base + "1"}, {Name: "private_key", SecretRef: base + "2"}}
	if got.Name != "web" || got.Type != "certificate" || got.Status != "ACTIVE" || got.ContainerRef != ref || !cmp.Equal(got.SecretRefs, want) {
		t.Errorf("the container is %+v", got)
	}
	for body, text := range map[string]string{
		`{"type": "x"}`: "'x' is not one of [generic rsa certificate]",
		`{"type": "certificate", "secret_refs": [{"name": "private_key", "secret_ref": "` + base + `1"}]}`:                                 "The 'certificate' reference is required for the certificate type",
		`{"type": "generic", "secret_refs": [{"name": "a", "secret_ref": "` + base + `1"}, {"name": "b", "secret_ref": "` + base + `1"}]}`: "Duplicate secret ids",
		`{"type": "generic", "secret_refs": [{"name": "a", "secret_ref": "https://b/key-manager/v1/secrets/1"}]}`:                          "does not match the configured hostname",
		`{"type": "certificate", "secret_refs": [{"name": "public_key", "secret_ref": "` + base + `1"}]}`:                                  "only [certificate private_key",
		`{"type": "generic", "secret_refs": [{"name": "a", "secret_ref": "` + base + `1"}, {"name": "a", "secret_ref": "` + base + `2"}]}`: "Duplicate reference names",
	} {
		if got := w.send(http.MethodPost, "/key-manager/v1/containers", body); got.status != http.StatusBadRequest || !strings.Contains(got.body, text) {
			t.Errorf("%s: %d %s, want %q", body, got.status, got.body, text)
		}
	}
	bare := must[*containers.Container](t)(containers.Create(t.Context(), k, containers.CreateOpts{Type: containers.CertificateContainer}).Extract())
	if bare := must[*containers.Container](t)(containers.Get(t.Context(), k, idIn(bare.ContainerRef)).Extract()); len(bare.SecretRefs) != 0 || bare.Name != "" {
		t.Errorf("a container of nothing is %+v", bare)
	}
	for _, missing := range []string{base + "9", ref, base + "x"} {
		opts := containers.CreateOpts{Type: containers.GenericContainer, SecretRefs: []containers.SecretRef{{Name: "a", SecretRef: missing}}}
		refused(t, containers.Create(t.Context(), k, opts).Err, http.StatusNotFound, "Secret provided for 'a' doesn't exist.")
	}
	if err := containers.Delete(t.Context(), k, idIn(ref)).ExtractErr(); err != nil {
		t.Error(err)
	}
	for _, id := range []string{idIn(ref), "x", idIn(base + "1")} {
		refused(t, containers.Get(t.Context(), k, id).Err, http.StatusNotFound, "Container not found: "+id)
		refused(t, containers.Delete(t.Context(), k, id).Err, http.StatusNotFound, "Container not found: "+id)
	}
}

// TestKeyManagerFaults: rules know a container by its id and its name.
func TestKeyManagerFaults(t *testing.T) {
	t.Parallel()
	w := open(t)
	ref := w.certificate("web")
	for _, match := range []fault.Match{{Operation: "openstack:barbican:GetContainer", Resource: "document/doc-3"}, {Operation: "GetDocument", Resource: "web"}} {
		must[fault.Rule](t)(w.native.AddFault(t.Context(), fault.Rule{Match: match, When: fault.When{Times: 1}, Effect: fault.Effect{Error: &fault.Problem{Code: simcloud.Unavailable}}}))
		refused(t, containers.Get(t.Context(), w.barbican(), idIn(ref)).Err, http.StatusServiceUnavailable, `"title":"Service Unavailable"`)
	}
	must[*containers.Container](t)(containers.Get(t.Context(), w.barbican(), idIn(ref)).Extract())
}

// TestCertificatesOfListeners: Octavia takes a listener that refers to certificates that it can read, however the listener is made or changed.
func TestCertificatesOfListeners(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	good := l.certificate("web")
	text := must[*containers.Container](t)(containers.Get(t.Context(), l.barbican(), idIn(good)).Extract()).SecretRefs[0].SecretRef
	bundle := l.secret(secrets.CreateOpts{Payload: "eA==", PayloadContentType: "application/octet-stream", PayloadContentEncoding: "base64"})
	container := func(kind containers.ContainerType, refs ...containers.SecretRef) string {
		return must[*containers.Container](t)(containers.Create(t.Context(), l.barbican(), containers.CreateOpts{Type: kind, SecretRefs: refs}).Extract()).ContainerRef
	}
	gone := l.certificate("gone")
	if err := secrets.Delete(t.Context(), l.barbican(), "00000000-0000-4010-8000-000000000006").ExtractErr(); err != nil { // its key
		t.Fatal(err)
	}
	unreadable := []string{
		"x", strings.Replace(good, "4011-8000-000000000003", "4011-8000-000000000001", 1), text, l.secret(secrets.CreateOpts{}), gone,
		container(containers.CertificateContainer), container(containers.CertificateContainer, containers.SecretRef{Name: "certificate", SecretRef: text}),
		container(containers.GenericContainer, containers.SecretRef{Name: "certificate", SecretRef: text}, containers.SecretRef{Name: "private_key", SecretRef: bundle}),
	}
	tree := func(ref string) string {
		return `{"loadbalancer": {"name": "lb", "vip_subnet_id": "` + subnet4 + `", "listeners": [{"protocol": "TERMINATED_HTTPS", "protocol_port": 443, "default_tls_container_ref": "` + ref + `"}]}}`
	}
	for _, ref := range unreadable {
		l.post("loadbalancers", tree(ref), http.StatusBadRequest, "Could not retrieve certificate: ['"+ref+"']")
	}
	l.post("loadbalancers", tree(good), http.StatusCreated, good)
	const listener = "listeners/00000443-0004-400e-8000-000000000001"
	l.put(listener, `{"listener": {"default_tls_container_ref": "`+text+`", "sni_container_refs": ["x", "`+good+`"]}}`, http.StatusBadRequest, "Could not retrieve certificate: ['x', '"+text+"']")
	l.put(listener, `{"listener": {"default_tls_container_ref": "`+bundle+`"}}`, http.StatusOK, bundle)
	l.post("listeners", `{"listener": {"loadbalancer_id": "00000000-0000-4004-8000-000000000001", "protocol": "TCP", "protocol_port": 80, "default_tls_container_ref": "`+good+`"}}`,
		http.StatusBadRequest, "Certificate container references are only allowed on TERMINATED_HTTPS protocol listeners.")
}
