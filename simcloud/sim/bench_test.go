package sim

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gorilla/mux"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// BenchmarkGetInstance reads one instance over HTTP, in turns from the cloud and
// from a bare mux handler that writes the same JSON with the same server's
// settings. The metric bare/cloud is the ratio of their speeds; the budget is 0.8.
func BenchmarkGetInstance(b *testing.B) {
	cloud, path := benchCloud(b)
	bare := benchBare(b, cloud, path)
	b.Run("in turns", func(b *testing.B) {
		var spent [2]time.Duration
		for b.Loop() {
			for i, url := range []string{bare, cloud.URL()} {
				begun := time.Now()
				fetch(b, cloud, url+path)
				spent[i] += time.Since(begun)
			}
		}
		b.ReportMetric(float64(spent[0])/float64(b.N), "ns/bare")
		b.ReportMetric(float64(spent[1])/float64(b.N), "ns/cloud")
		b.ReportMetric(float64(spent[0])/float64(spent[1]), "bare/cloud")
	})
	for name, url := range map[string]string{"bare, parallel": bare, "cloud, parallel": cloud.URL()} {
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					fetch(b, cloud, url+path)
				}
			})
		})
	}
}

var benchClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

func fetch(b *testing.B, cloud *Cloud, url string) {
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+cloud.Token())
	res, err := benchClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	n, err := io.Copy(io.Discard, res.Body)
	if closing := res.Body.Close(); err != nil || closing != nil || res.StatusCode != http.StatusOK || n < 100 {
		b.Fatalf("%s: %d, %d bytes, %v, %v", url, res.StatusCode, n, err, closing)
	}
}

// benchCloud returns a cloud and the path of its one instance.
func benchCloud(b *testing.B) (*Cloud, string) {
	cloud, err := Open(b.Context(), Config{Ephemeral: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := cloud.Close(context.WithoutCancel(b.Context())); err != nil {
			b.Error(err)
		}
	})
	made, err := cloud.Core().CreateInstance(b.Context(), simcloud.InstanceSpec{Name: "node-1", Labels: map[string]string{"a": "b"}})
	if err != nil {
		b.Fatal(err)
	}
	return cloud, "/v1/instances/" + string(made.Resource.ID)
}

// benchBare serves the same instance as simply as it can be done.
func benchBare(b *testing.B, cloud *Cloud, path string) string {
	instance, err := cloud.Core().GetInstance(b.Context(), simcloud.ID(path[len("/v1/instances/"):]))
	if err != nil {
		b.Fatal(err)
	}
	r := mux.NewRouter()
	r.HandleFunc("/v1/instances/{id}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(instance)
	}).Methods(http.MethodGet)
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = newHTTPServer(context.WithoutCancel(b.Context()), r, Limits{}.withDefaults(), slog.New(slog.DiscardHandler))
	srv.Start()
	b.Cleanup(srv.Close)
	return srv.URL
}
