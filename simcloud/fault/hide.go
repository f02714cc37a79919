package fault

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Hide leaves resources out of a read that were created a short while ago.
type Hide struct {
	reads
	// For is how long a new resource is hidden, by the cloud's clock.
	For simcloud.Duration `json:"for"`
}

func (h *Hide) check(f *fields, path string) { f.duration(path+".for", h.For) }

func (*Hide) example() Rule {
	return Rule{Match: Match{Operation: "GetInstance"}, Effect: Effect{Hide: &Hide{For: simcloud.Duration(30 * time.Second)}}}
}

func (h *Hide) override(ctx context.Context, _ *Hit) context.Context {
	return simcloud.WithOverride(ctx, simcloud.Override{Reading: simcloud.Reading{HideNew: h.For}})
}
