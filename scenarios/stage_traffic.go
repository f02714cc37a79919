package scenarios

import (
	"context"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"time"
)

// startTraffic starts a traffic under a name, which ends one that had it before.
func (st *stage) startTraffic(ctx context.Context, name string, r request, every, timeout time.Duration) {
	st.stopTraffic(ctx, name)
	st.traffic[name] = startTraffic(st.life, r, every, timeout)
}

// stopTraffic ends a traffic, if it runs. What it has counted stays to be seen.
func (st *stage) stopTraffic(ctx context.Context, name string) {
	if t := st.traffic[name]; t != nil {
		t.stop(ctx)
	}
}

// stopAllTraffic ends what still runs.
func (st *stage) stopAllTraffic(ctx context.Context) {
	for name := range st.traffic {
		st.stopTraffic(ctx, name)
	}
}

// syncTraffic brings what the snapshot says of the traffic up to date.
func (st *stage) syncTraffic() {
	if len(st.traffic) == 0 {
		return
	}
	now := map[string]any{}
	for name, t := range st.traffic {
		now[name] = t.value()
	}
	st.store.Change(observe.FromTraffic, func(next *observe.Snapshot) { next.Traffic = now })
}
