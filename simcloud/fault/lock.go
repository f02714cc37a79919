package fault

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Lock keeps a resource busy: from the call on at which the rule fires, all
// changes of it are answered with the error locked, whoever of its project asks. A call that creates the
// resource, or reads it, succeeds first. Calls that the lock refuses are not
// counted by any rule.
type Lock struct {
	// For is how long, by the cloud's clock.
	For simcloud.Duration `json:"for"`
}

func (l *Lock) check(f *fields, path string) { f.duration(path+".for", l.For) }

func (*Lock) example() Rule {
	return Rule{
		Match: Match{Operation: "UpdateLoadBalancer"}, When: When{Times: 1}, Effect: Effect{Lock: &Lock{For: simcloud.Duration(30 * time.Second)}},
	}
}

// fits: the call is about one resource, which is there when it has succeeded.
func (*Lock) fits(e simcloud.Endpoint) bool {
	return e.Kind() != "" && e.Kind() != simcloud.KindOperation && !isList(e)
}

func (*Lock) of() string { return "those about one resource" }

func (l *Lock) before(_ context.Context, h *Hit) error {
	ref := h.call.lockable("")
	if ref == "" || !h.call.Endpoint.Write() {
		return nil
	}
	h.set.lock(h.call, ref, h.Fault, l.For)
	return locked(h.call, h.Fault, time.Duration(l.For))
}

func (l *Lock) after(_ context.Context, h *Hit, result Result) error { //nolint:unparam // as all effects
	if ref := h.call.lockable(result.Resource); result.Err == nil && ref != "" {
		h.set.lock(h.call, ref, h.Fault, l.For)
	}
	return nil
}
