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
		theirs += timed(b, 50, http.MethodGet, cloud.URL()+"/v1/instances/i-1", "", "Authorization", "Bearer "+cloud.Token())
		ours += timed(b, 50, http.MethodPost, cloud.URL()+"/aws", form(ec2, "DescribeInstances", "InstanceId.1", "i-1"), "X-Amz-Security-Token", cloud.Token())
	}
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "of-native")
}

// timed is how long so many requests take, one after the other.
func timed(b *testing.B, times int, method, url, body, header, value string) time.Duration {
	b.Helper()
	began := time.Now()
	for range times {
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

// BenchmarkInstances measures a list of all instances of a large cloud, of which a few have gone a while ago and whose history is
// as long as it can be, against the same list without what has gone: 1 is as long.
func BenchmarkInstances(b *testing.B) {
	cloud, native := simtest.Open(b)
	const live, dead = 5000, 50
	for n := range live + dead {
		if _, err := native.CreateInstance(b.Context(), simcloud.InstanceSpec{Name: fmt.Sprint("node-", n)}); err != nil {
			b.Fatal(err)
		}
	}
	for n := range dead {
		if _, err := native.DeleteInstance(b.Context(), simcloud.ID(fmt.Sprint("i-", n+1))); err != nil {
			b.Fatal(err)
		}
	}
	for n := range 5000 {
		if _, err := native.UpdateInstance(b.Context(), "i-100", simcloud.InstanceUpdate{Labels: &map[string]string{"round": fmt.Sprint(n)}}); err != nil {
			b.Fatal(err)
		}
	}
	all, running := form(ec2, "DescribeInstances"), form(ec2, "DescribeInstances", "Filter.1.Name", "instance-state-name", "Filter.1.Value.1", "running")
	var with, without time.Duration
	for b.Loop() {
		with += timed(b, 1, http.MethodPost, cloud.URL()+"/aws", all, "X-Amz-Security-Token", cloud.Token())
		without += timed(b, 1, http.MethodPost, cloud.URL()+"/aws", running, "X-Amz-Security-Token", cloud.Token())
	}
	b.ReportMetric(with.Seconds()/without.Seconds(), "of-live")
}
