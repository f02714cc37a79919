package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// spoken is a dialect with one operation: GET /spoken/ID reads an instance.
type spoken struct{ cloud simcloud.InstanceAPI }

func (s spoken) Match(r *http.Request) (edge.Operation, *http.Request) {
	endpoint, _ := simcloud.EndpointOf("GetInstance")
	id := simcloud.ID(strings.TrimPrefix(r.URL.Path, "/spoken/"))
	return edge.Operation{Endpoint: endpoint, ID: id, Handle: func(r *http.Request) (edge.Reply, error) {
		instance, err := s.cloud.GetInstance(r.Context(), id)
		return edge.Reply{Status: http.StatusOK, Body: instance.Name}, err
	}}, r
}

func (spoken) Credential(r *http.Request) (string, error) { return r.Header.Get("Password"), nil }

func (spoken) WriteReply(w http.ResponseWriter, reply edge.Reply) {
	w.WriteHeader(reply.Status)
	_, _ = fmt.Fprintf(w, "it is called %s", reply.Body)
}

func (spoken) WriteProblem(w http.ResponseWriter, p edge.Problem) {
	w.WriteHeader(http.StatusTeapot)
	_, _ = fmt.Fprintf(w, "no: %s", p.Err.Code)
}

func (spoken) Garble(body []byte, _ bool, _ string) []byte { return body }

// TestDialect: a dialect answers below its path, and shares the journal with the cloud's own format.
func TestDialect(t *testing.T) {
	t.Parallel()
	s := serve(t, func(cfg *server.Config) { cfg.Dialects = map[string]edge.Codec{"/spoken/": spoken{cfg.API}} })
	s.cloud.get = func(_ context.Context, id simcloud.ID) (simcloud.Instance, error) { return machine(id), nil }
	for _, test := range []struct {
		path, password string
		status         int
		body           string
	}{
		{"/spoken/i-1", "admin", http.StatusOK, "it is called node-1"},
		{"/spoken/i-1", "guess", http.StatusTeapot, "no: unauthenticated"},
	} {
		res, body := s.send(t, "GET", test.path, "", "Password", test.password)
		if res.StatusCode != test.status || string(body) != test.body {
			t.Errorf("GET %s: %d %s, want %d %s", test.path, res.StatusCode, body, test.status, test.body)
		}
	}
	if res, body := s.send(t, "GET", "/v1/instances/i-1", ""); res.StatusCode != http.StatusOK {
		t.Errorf("the cloud's own format: %d %s", res.StatusCode, body)
	}
	s.refused(t, "GET", "/spoke", "", http.StatusNotImplemented, simcloud.Unimplemented)
	entries, err := s.journal.ListJournal(t.Context(), simcloud.JournalFilter{Operation: "GetInstance"})
	if err != nil || len(entries) != 3 || entries[0].Resource != "instance/i-1" {
		t.Errorf("the journal has %+v, %v", entries, err)
	}
}
