package client_test

import (
	"flag"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/spec"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// newCloud returns the URL of a cloud that goes with the test.
func newCloud(t *testing.T) string {
	t.Helper()
	cloud, _ := simtest.Open(t)
	return cloud.URL()
}

// open is the opener of the specification for clouds that serve as tls says.
func open(tls sim.TLS, transport func(*testing.T, *sim.Cloud) http.RoundTripper) suite.Opener {
	return func(t *testing.T, opts suite.Options) simcloud.API {
		cloud, _ := simtest.Open(t, func(cfg *sim.Config) {
			cfg.Seed, cfg.Progression, cfg.DataPlane, cfg.TLS = opts.Seed, opts.Progression, opts.DataPlane, tls
		})
		return simtest.Dial(t, client.Config{
			Endpoint: cloud.URL(), Token: cloud.Token(), CA: cloud.CAFile(), Transport: transport(t, cloud),
		})
	}
}

// TestAPI runs the specification through a client and a server, and holds all
// that passes between them against the description of the interface.
func TestAPI(t *testing.T) {
	t.Parallel()
	traffic := &traffic{document: readDocument(t, http.DefaultClient, newCloud(t)), seen: map[string]bool{}, examples: map[string]example{}}
	t.Run("HTTP", func(t *testing.T) {
		spec.TestAPI(t, open(sim.TLS{}, traffic.recorder))
		t.Run("Journal", func(t *testing.T) { useJournal(t, open(sim.TLS{}, traffic.recorder)) })
		t.Run("Faults", func(t *testing.T) { useFaults(t, open(sim.TLS{}, traffic.recorder)) })
	})
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // only a part of the specification has run
	}
	for _, e := range simcloud.Endpoints() {
		if !traffic.seen[e.Operation] {
			t.Errorf("nothing of the specification makes %s succeed", e.Operation)
		}
	}
	if *update {
		traffic.writeExamples(t)
	}
}

// TestAPIOverTLS runs the specification through an encrypted connection.
func TestAPIOverTLS(t *testing.T) {
	t.Parallel()
	spec.TestAPI(t, open(sim.TLS{SelfSigned: true}, func(*testing.T, *sim.Cloud) http.RoundTripper { return nil }))
}

// traffic is what passes between many clients and their clouds.
type traffic struct {
	document *document
	mu       sync.Mutex
	seen     map[string]bool // the operations that have succeeded
	examples map[string]example
}

func (tr *traffic) recorder(t *testing.T, _ *sim.Cloud) http.RoundTripper {
	next := &http.Transport{}
	t.Cleanup(next.CloseIdleConnections)
	return &recorder{next: next, document: tr.document, report: func(err error) { t.Error(err) }, seen: tr.note, example: tr.keep}
}

func (tr *traffic) note(operation string, status int) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.seen[operation] = tr.seen[operation] || status < 300
}

// useJournal makes the calls about the journal, which the specification does not have.
func useJournal(t *testing.T, open suite.Opener) {
	c := open(t, suite.Options{Seed: 1}).(*client.Client)
	if _, err := c.GetInstance(t.Context(), "i-404"); simcloud.CodeOf(err) != simcloud.NotFound {
		t.Errorf("got %v", err)
	}
	entries, err := c.ListJournal(t.Context(), simcloud.JournalFilter{Operation: "Get*", Errors: true})
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if entry, err := c.GetJournalEntry(t.Context(), "1"); err != nil || entry.Exchange == nil || entry.Exchange.Got == nil {
		t.Errorf("%+v, %v", entry, err)
	}
	for entry, err := range c.WatchJournal(t.Context(), simcloud.JournalFilter{}) {
		if err != nil || entry.Operation != "GetInstance" {
			t.Errorf("%v, %v", entry, err)
		}
		break
	}
	if err := c.ClearJournal(t.Context()); err != nil {
		t.Error(err)
	}
}

// useFaults makes the calls about faults, which the specification does not have, and some that faults change.
func useFaults(t *testing.T, open suite.Opener) {
	c := open(t, suite.Options{Seed: 1}).(*client.Client)
	rule, err := c.AddFault(t.Context(), fault.Rule{
		Name: "full", Match: fault.Match{Operation: "CreateInstance"},
		Effect: fault.Effect{Error: &fault.Problem{Code: simcloud.Capacity, Message: "no room"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}); simcloud.CodeOf(err) != simcloud.Capacity {
		t.Errorf("got %v", err)
	}
	if got, err := c.GetFault(t.Context(), rule.ID); err != nil || got.Hits != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if rules, err := c.ListFaults(t.Context()); err != nil || len(rules) != 1 {
		t.Errorf("%v, %v", rules, err)
	}
	if err := c.DeleteFault(t.Context(), rule.ID); err != nil {
		t.Error(err)
	}
	if err := c.ClearFaults(t.Context()); err != nil {
		t.Error(err)
	}
}
