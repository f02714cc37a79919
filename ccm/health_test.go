package ccm

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// flaky is a cloud for check that answers or does not.
type flaky struct {
	simcloud.API
	down  atomic.Bool
	asked atomic.Int64
}

func (f *flaky) ListRegions(context.Context, simcloud.ListOptions) (page simcloud.Page[simcloud.Region], err error) {
	f.asked.Add(1)
	if f.down.Load() {
		return page, simcloud.Errorf(simcloud.Unavailable, "", "as the test says")
	}
	return page, nil
}

func (f *flaky) ListNetworks(context.Context, simcloud.ListOptions) (page simcloud.Page[simcloud.Network], err error) {
	return page, nil
}

// builder gives clients of a cluster that takes everything.
type builder struct {
	cloudprovider.ControllerClientBuilder
}

func (builder) ClientOrDie(string) kubernetes.Interface { return fake.NewClientset() }

// initialized is a provider of this cloud; close of stop ends what it began.
func initialized(t *testing.T, api *flaky) (cloud *Cloud, stop chan struct{}) {
	t.Helper()
	recorded, err := call.NewMetrics(ignoreMetric)
	if err != nil {
		t.Fatal(err)
	}
	cloud, stop = observed(api, config.Default(), recorded), make(chan struct{})
	cloud.Initialize(builder{}, stop)
	return cloud, stop
}

// TestACloudThatIsAwayIsAsked: its return is noticed without a call of a
// controller, and while it answers it is not asked. Leader migration initialises twice.
func TestACloudThatIsAwayIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := &flaky{}
		cloud, stop := initialized(t, api)
		cloud.Initialize(builder{}, stop)
		time.Sleep(time.Hour)
		if n := api.asked.Load(); n != 0 {
			t.Errorf("asked %d times in an idle hour", n)
		}
		api.down.Store(true)
		_, _ = cloud.api.ListRegions(t.Context(), simcloud.ListOptions{})
		time.Sleep(time.Minute + time.Second) // after the twelfth time of asking
		if err := cloud.Reachable(); err == nil {
			t.Error("healthy after a minute without an answer")
		}
		api.down.Store(false)
		time.Sleep(recheckPeriod)
		synctest.Wait()
		if err := cloud.Reachable(); err != nil {
			t.Errorf("%s after the cloud came back: %v", recheckPeriod, err)
		}
		if n, want := api.asked.Load(), int64(1+time.Minute/recheckPeriod+1); n != want {
			t.Errorf("asked %d times, want %d", n, want)
		}
		close(stop)
		synctest.Wait()
	})
}

// TestTheConfigIsCheckedOnceTheCloudAnswers: also when a controller is the first to learn that it does.
func TestTheConfigIsCheckedOnceTheCloudAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := &flaky{}
		api.down.Store(true)
		cloud, stop := initialized(t, api)
		_, _ = cloud.api.ListRegions(t.Context(), simcloud.ListOptions{})
		api.down.Store(false)
		if _, err := cloud.api.ListNetworks(t.Context(), simcloud.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if n := api.asked.Load(); n != 2 {
			t.Errorf("the regions were asked for %d times, want once more, to check the config", n)
		}
		close(stop)
		synctest.Wait()
	})
}
