package sim_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// unreadable are documents that their dialect cannot read, with the field that is wrong.
var unreadable = []struct{ dialect, typ, body, field string }{
	{"hcloud", "certificate", `{}`, "body.type"},
	{"hcloud", "certificate", `{"type":7}`, "body"},
	{"hcloud", "certificate", `{"type":"managed"}`, "body.domains"},
	{"hcloud", "certificate", `{"type":"managed","domains":[]}`, "body.domains"},
	{"hcloud", "certificate", `{"type":"managed","domains":null}`, "body.domains"},
	{"hcloud", "certificate", `{"type":"managed","domains":"a.example"}`, "body"},
	{"hcloud", "certificate", `{"type":"managed","domains":["a.example","ä.example"]}`, "body.domains[1]"},
	{"hcloud", "certificate", `{"type":"managed","domains":[""]}`, "body.domains[0]"},
	{"hcloud", "certificate", `{"type":"uploaded"}`, "body.pem"},
	{"hcloud", "certificate", `{"type":"uploaded","pem":"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}`, "body.pem"},
	{"openstack", "secret", `{}`, "body"},
	{"openstack", "secret", `{"secret_type":"opaque","bit_length":"256"}`, "body"},
	{"openstack", "secret", `{"secret_type":"opaque","bit_length":-1}`, "body"},
	{"openstack", "secret", `{"secret_type":"opaque","content_type":"x"}`, "body"},
	{"openstack", "secret", `{"secret_type":"opaque","name":[]}`, "body"},
	{"openstack", "container", `{}`, "body"},
	{"openstack", "container", `{"type":"generic","secrets":{}}`, "body"},
	{"openstack", "container", `{"type":"generic","secrets":[null]}`, "body"},
	{"openstack", "container", `{"type":"generic","secrets":[{"name":"a","id":"lb-1"}]}`, "body"},
	{"openstack", "container", `{"type":"certificate","secrets":[{"name":"private_key","id":"doc-1"}]}`, "body"},
	{"openstack", "port", `{}`, "body"},
	{"openstack", "port", `{"network_id":7}`, "body"},
	{"openstack", "port", `{"network_id":"net-1"}`, "body"},
	{"hcloud", "certifcate", `{}`, "type"},
	{"aws", "certificate", `{}`, "type"},
}

// readable are documents of each type, which their dialect reads.
var readable = []struct{ dialect, typ, body string }{
	{"hcloud", "certificate", `{"type":"managed","domains":["a.example","*.b.example"]}`},
	{"openstack", "secret", `{"secret_type":"opaque","content_type":"text/plain"}`},
	{"openstack", "container", `{"type":"generic","secrets":[{"name":"a","id":"doc-2"}]}`},
	{"openstack", "port", `{"network_id":"00000000-0000-4002-8000-000000000001"}`},
	{"acme", "anything", `{}`}, // nothing reads it
}

// TestDocumentIsCheckedWhenWritten: each dialect refuses what it could not read, by the name of the field.
func TestDocumentIsCheckedWhenWritten(t *testing.T) {
	t.Parallel()
	cloud, err := sim.Open(t.Context(), sim.Config{Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, cloud) })
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token()})
	ids := map[string]simcloud.ID{}
	for _, d := range readable {
		made, err := c.CreateDocument(t.Context(), simcloud.DocumentSpec{Name: d.typ, Dialect: d.dialect, Type: d.typ, Body: json.RawMessage(d.body)})
		if err != nil {
			t.Fatalf("%s %s %s: %v", d.dialect, d.typ, d.body, err)
		}
		ids[d.dialect+d.typ] = made.Resource.ID
	}
	for _, d := range unreadable {
		body := json.RawMessage(d.body)
		_, err := c.CreateDocument(t.Context(), simcloud.DocumentSpec{Name: "bad", Dialect: d.dialect, Type: d.typ, Body: body})
		wantField(t, d.body, err, d.field)
		if id, known := ids[d.dialect+d.typ]; known {
			_, err = c.UpdateDocument(t.Context(), id, simcloud.DocumentUpdate{Body: &body})
			wantField(t, d.body, err, d.field)
		}
	}
	for _, d := range sim.Dialects() {
		for _, typ := range d.Documents {
			if ids[d.Name+typ.Name] == "" {
				t.Errorf("no document here is a %s of %s", typ.Name, d.Name)
			}
		}
	}
}

func wantField(t *testing.T, what string, err error, field string) {
	t.Helper()
	var e *simcloud.Error
	if !errors.As(err, &e) || e.Code != simcloud.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != field {
		t.Errorf("%s: got %v, want Invalid that names %s", what, err, field)
	}
}

// TestUnreadableDocumentOfOldFile: what an older version took is logged once, left out, and does not fail the lists.
func TestUnreadableDocumentOfOldFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	old, err := core.Open(core.Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range unreadable {
		spec := simcloud.DocumentSpec{Name: "bad-" + string(rune('a'+i)), Dialect: d.dialect, Type: d.typ, Body: json.RawMessage(d.body)}
		if _, err := old.CreateDocument(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	good := simcloud.DocumentSpec{Name: "good", Dialect: "hcloud", Type: "certificate", Body: json.RawMessage(readable[0].body)}
	if _, err := old.CreateDocument(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cloud, err := sim.Open(t.Context(), sim.Config{Data: path, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "a document that it cannot read"); n != len(unreadable) {
		t.Errorf("%d lines in the log, want %d:\n%s", n, len(unreadable), log.String())
	}
	session := login(t, cloud)
	get := func(path string) (int, string) {
		status, _, body := ask(t, http.MethodGet, cloud.URL()+path, "", http.Header{"Authorization": {"Bearer " + cloud.Token()}, "X-Auth-Token": {session}})
		return status, body
	}
	if status, body := get("/hcloud/v1/certificates"); status != http.StatusOK || !strings.Contains(body, `"good"`) || strings.Contains(body, `"bad-`) {
		t.Errorf("the list is %d %s", status, body)
	}
	if status, body := get("/hcloud/v1/certificates/1"); status != http.StatusNotFound {
		t.Errorf("a bad certificate is %d %s", status, body)
	}
	for path, number := range map[string]string{"secrets/00000000-0000-4010-8000-": "000000000011", "containers/00000000-0000-4011-8000-": "000000000016"} {
		if status, body := get("/openstack/key-manager/v1/" + path + number); status != http.StatusNotFound {
			t.Errorf("%s is %d %s", path, status, body)
		}
	}
	if status, body := get("/openstack/network/v2.0/ports"); status != http.StatusOK {
		t.Errorf("the list of ports is %d %s", status, body)
	}
	shut(t, cloud)
}

// login opens a session of OpenStack, and returns its text.
func login(t *testing.T, cloud *sim.Cloud) string {
	t.Helper()
	body := `{"auth":{"identity":{"methods":["application_credential"],"application_credential":{"id":"simcloud","secret":"` + cloud.Token() + `"}}}}`
	status, header, answer := ask(t, http.MethodPost, cloud.URL()+"/openstack/identity/v3/auth/tokens", body, nil)
	if status != http.StatusCreated {
		t.Fatalf("the login is %d %s", status, answer)
	}
	return header.Get("X-Subject-Token")
}

// ask sends a request, and returns the answer.
func ask(t *testing.T, method, url, body string, header http.Header) (status int, answered http.Header, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(answer)
}
