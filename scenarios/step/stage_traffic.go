package step

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// startTraffic starts a traffic under a name, which ends one that had it before.
func (st *Stage) startTraffic(ctx context.Context, name string, r request, every, timeout time.Duration) {
	st.stopTraffic(ctx, name)
	st.traffic[name] = StartTraffic(st.life, r, every, timeout)
}

// stopTraffic ends a traffic, if it runs. What it has counted stays to be seen.
func (st *Stage) stopTraffic(ctx context.Context, name string) {
	if t := st.traffic[name]; t != nil {
		t.Stop(ctx)
	}
}

// stopAllTraffic ends what still runs.
func (st *Stage) stopAllTraffic(ctx context.Context) {
	for name := range st.traffic {
		st.stopTraffic(ctx, name)
	}
}

// syncTraffic brings what the snapshot says of the traffic up to date.
func (st *Stage) syncTraffic() {
	if len(st.traffic) == 0 {
		return
	}
	now := map[string]any{}
	for name, t := range st.traffic {
		now[name] = t.Value()
	}
	st.Store.Change(observe.FromTraffic, func(next *observe.Snapshot) { next.Traffic = now })
}
