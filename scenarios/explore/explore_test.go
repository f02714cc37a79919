package explore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// TestOneHistory: the history that is asked for is run, once, and no other one.
func TestOneHistory(t *testing.T) {
	t.Parallel()
	e := Explorer{
		Runner: OnClusters(func(context.Context, int) (run.Cluster, error) { return nil, errors.New("no cluster") }, 7),
		Seed:   7, History: 8, Parallel: 2, Time: time.Hour,
	}
	if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "history 8: ") || strings.Count(err.Error(), "history ") != 1 {
		t.Errorf("it ran something else: %v", err)
	}
	x := exploration{Explorer: &e}
	if first, some := x.take(); first.number != 8 || !some {
		t.Errorf("the first is %d, %t", first.number, some)
	}
	if other, some := x.take(); some {
		t.Errorf("there is another one: %d", other.number)
	}
}
