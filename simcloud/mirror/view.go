package mirror

import (
	"encoding/json"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func viewOf(state simcloud.State) View {
	return View{
		Instances:     byID(state.Instances),
		LoadBalancers: byID(state.LoadBalancers),
		RouteTables:   byID(state.RouteTables),
	}
}

// resource is a pointer to a type that has a Meta.
type resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

func byID[T any, P resource[T]](items []T) map[simcloud.ID]T {
	all := make(map[simcloud.ID]T, len(items))
	for i := range items {
		all[P(&items[i]).GetMeta().ID] = items[i]
	}
	return all
}

// take takes in a change; false when it is of a kind that a view does not have.
func (v View) take(ev simcloud.Event) (known bool, err error) {
	switch ev.Kind {
	case simcloud.KindInstance:
		return true, takeInto(v.Instances, ev)
	case simcloud.KindLoadBalancer:
		return true, takeInto(v.LoadBalancers, ev)
	case simcloud.KindRouteTable:
		return true, takeInto(v.RouteTables, ev)
	default:
		return false, nil
	}
}

func takeInto[T any](all map[simcloud.ID]T, ev simcloud.Event) error {
	if ev.Type == simcloud.Deleted {
		delete(all, ev.ID)
		return nil
	}
	var v T
	if err := json.Unmarshal(ev.Object, &v); err != nil {
		return fmt.Errorf("read the %s of event %d: %w", ev.Kind, ev.Revision, err)
	}
	all[ev.ID] = v
	return nil
}
