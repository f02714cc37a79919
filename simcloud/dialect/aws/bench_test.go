package aws_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// BenchmarkInstance compares how fast an instance is read by this dialect and by the native API, in turn. It
// reports the requests a second of the dialect as a part of those of the native API: 1 is as many. Something else
// in the cloud changes all the time.
func BenchmarkInstance(b *testing.B) {
	cloud, native := simtest.Open(b)
	for n := range 100 {
		if _, err := native.CreateInstance(b.Context(), simcloud.InstanceSpec{Name: fmt.Sprint("node-", n)}); err != nil {
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
		theirs += timed(b, http.MethodGet, cloud.URL()+"/v1/instances/i-1", "", "Authorization", "Bearer "+cloud.Token())
		ours += timed(b, http.MethodPost, cloud.URL()+"/aws", form(ec2, "DescribeInstances", "InstanceId.1", "i-1"), "X-Amz-Security-Token", cloud.Token())
	}
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "of-native")
}

// timed is how long some requests take, one after the other.
func timed(b *testing.B, method, url, body, header, value string) time.Duration {
	b.Helper()
	began := time.Now()
	for range 50 {
		req, err := http.NewRequestWithContext(b.Context(), method, url, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set(header, value)
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
