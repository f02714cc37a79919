package client_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// newCloud returns the URL of a cloud that goes with the test.
func newCloud(t *testing.T) string {
	t.Helper()
	cloud, _ := simtest.Open(t)
	return cloud.URL()
}

// TestAPI runs the specification through a client and a server, and holds all
// that passes between them against the description of the interface.
func TestAPI(t *testing.T) {
	t.Parallel()
	d := readDocument(t, http.DefaultClient, newCloud(t))
	var mu sync.Mutex
	seen := map[string]bool{}
	t.Run("HTTP", func(t *testing.T) {
		simtest.TestAPI(t, func(t *testing.T, opts simtest.Options) simcloud.API {
			cloud, _ := simtest.Open(t, func(cfg *sim.Config) { cfg.Seed, cfg.Progression = opts.Seed, opts.Progression })
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			c, err := client.New(client.Config{Endpoint: cloud.URL(), Token: cloud.Token(), Transport: &recorder{
				next: transport, document: d, report: func(err error) { t.Error(err) },
				seen: func(operation string, status int) {
					mu.Lock()
					defer mu.Unlock()
					seen[operation] = seen[operation] || status < 300
				},
			}})
			if err != nil {
				t.Fatal(err)
			}
			return c
		})
	})
	var missing []string
	for _, e := range simcloud.Endpoints() {
		if !seen[e.Operation] {
			missing = append(missing, e.Operation)
		}
	}
	if testing.Verbose() {
		t.Logf("seen %d; never answered with a success: %s", len(slices.Collect(maps.Keys(seen))), strings.Join(missing, ", "))
	}
}
