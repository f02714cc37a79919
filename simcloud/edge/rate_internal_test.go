package edge

import (
	"strconv"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestBucketsAreLetGo: tokens that have not called for long cost no memory, and
// those that are drained stay so.
func TestBucketsAreLetGo(t *testing.T) {
	t.Parallel()
	l := newLimiter()
	now := time.Unix(1e9, 0)
	rates := []simcloud.Rate{{Class: "read", PerSecond: 1, Burst: 1}}
	slow := []simcloud.Rate{{Class: "read", PerSecond: 1e-6, Burst: 1}}
	drained := simcloud.Caller{Token: "drained"}
	l.take(drained, slow, now)
	for i := range 3 * maxBuckets {
		now = now.Add(time.Millisecond)
		if a := l.take(simcloud.Caller{Token: simcloud.ID(strconv.Itoa(i))}, rates, now); a.wait != 0 {
			t.Fatalf("token %d has to wait %s for its first call", i, a.wait)
		}
		if len(l.buckets) > maxBuckets {
			t.Fatalf("%d buckets", len(l.buckets))
		}
	}
	if a := l.take(drained, slow, now); a.wait == 0 {
		t.Error("the drained token may call again")
	}
}
