package server

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"text/tabwriter"

	"github.com/simcloud-dev/simcloud/simcloud/console"
)

// serveLanding shows the console to a browser that opens the URL of the cloud, and says what is served where to
// everyone else.
func (s *server) serveLanding(w http.ResponseWriter, r *http.Request) {
	if console.Wanted(r) {
		console.Handler().ServeHTTP(w, r)
		return
	}
	w.Header().Set("Vary", "Accept")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	line := func(path, what string) { _, _ = fmt.Fprintf(table, "%s\t%s\n", path, what) } // a client that has gone is not our concern
	line("simcloud", "a simulated cloud; its APIs need a token")
	line("/", "the console, in a browser")
	line("/v1", "the cloud's own API: "+docsPath+" for humans, "+documentPath+" for programs")
	for _, path := range slices.Sorted(maps.Keys(s.Titles)) {
		line(path, s.Titles[path])
	}
	line("/_sim", "the simulator: faults, journal, clock, snapshots")
	line("/metrics", "metrics; /healthz and /readyz for probes")
	_ = table.Flush()
}
