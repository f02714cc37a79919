package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// TestConsoleCluster: what the console shows of a cluster is for admins, and a cloud alone says that it has none.
func TestConsoleCluster(t *testing.T) {
	t.Parallel()
	cluster := &console.Cluster{}
	cluster.SetNode(console.Node{ID: "node-1", Name: "node-1", State: "Ready"})
	s := serve(t, func(cfg *server.Config) { cfg.Cluster = cluster })
	s.refused(t, "GET", console.ClusterPath, "", http.StatusUnauthorized, simcloud.Unauthenticated, "Authorization", "")
	s.refused(t, "GET", console.ClusterPath, "", http.StatusForbidden, simcloud.Forbidden, "Authorization", "Bearer reader")
	s.refused(t, "GET", console.ClusterPath+"?after=x", "", http.StatusUnprocessableEntity, simcloud.Invalid)
	read := func(s *serving, query string) (changes console.Changes) {
		t.Helper()
		res, raw := s.send(t, "GET", console.ClusterPath+query, "")
		if err := json.Unmarshal(raw, &changes); err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v: %s, %v", res.StatusCode, res.Header, raw, err)
		}
		return changes
	}
	if got := read(s, ""); !got.Attached || !got.Whole || len(got.Nodes) != 1 || got.Nodes[0].Name != "node-1" {
		t.Errorf("the cluster is %+v", got)
	}
	if got := read(s, "?after=1"); !got.Attached || got.Whole || len(got.Nodes)+len(got.Records) != 0 {
		t.Errorf("after the latest change there is %+v", got)
	}
	if got := read(serve(t), ""); got.Attached {
		t.Errorf("a cloud alone has %+v", got)
	}
	if entries, err := s.journal.ListJournal(t.Context(), simcloud.JournalFilter{}); err != nil || len(entries) != 0 {
		t.Errorf("the journal has %+v of it, %v", entries, err)
	}
}
