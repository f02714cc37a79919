package hcloud_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// BenchmarkGet compares how fast a resource is read by this dialect and by the native API, in turn. It
// reports the requests a second of the dialect as a part of those of the native API: 1 is as many. Something else
// in the cloud changes all the time.
func BenchmarkGet(b *testing.B) {
	for _, resource := range []struct{ name, native, path string }{
		{"server", "/v1/instances/i-1", "/hcloud/v1/servers/1"},
		{"load_balancer", "/v1/load-balancers/lb-1", "/hcloud/v1/load_balancers/1"},
	} {
		b.Run(resource.name, func(b *testing.B) {
			cloud, native := simtest.Open(b)
			for n := range 100 {
				vm, err := native.CreateInstance(b.Context(), simcloud.InstanceSpec{Name: fmt.Sprint("node-", n)})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := native.CreateLoadBalancer(b.Context(), simcloud.LoadBalancerSpec{
					Name: fmt.Sprint("lb-", n), PublicFamilies: []int{4, 6}, Targets: []simcloud.TargetSpec{{Instance: vm.Resource.ID}},
				}); err != nil {
					b.Fatal(err)
				}
			}
			var theirs, ours time.Duration
			busy := map[string]string{}
			for b.Loop() {
				busy["round"] = fmt.Sprint(theirs)
				if _, err := native.UpdateInstance(b.Context(), "i-2", simcloud.InstanceUpdate{Labels: &busy}); err != nil {
					b.Fatal(err)
				}
				theirs += timed(b, cloud.URL()+resource.native, cloud.Token())
				ours += timed(b, cloud.URL()+resource.path, cloud.Token())
			}
			b.ReportMetric(theirs.Seconds()/ours.Seconds(), "of-native")
		})
	}
}

// timed is how long some requests take, one after the other.
func timed(b *testing.B, url, token string) time.Duration {
	b.Helper()
	began := time.Now()
	for range 50 {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			b.Fatalf("%s: status %d, %v", url, res.StatusCode, err)
		}
		_ = res.Body.Close() // it was read to its end
	}
	return time.Since(began)
}
