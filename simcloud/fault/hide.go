package fault

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Hide leaves resources out of a read that were created a short while ago.
type Hide struct {
	reads
	For simcloud.Duration `json:"for"`
}

func (h *Hide) check(f *fields, path string) { f.duration(path+".for", h.For) }

func (h *Hide) override(ctx context.Context, _ *Hit) context.Context {
	return simcloud.WithOverride(ctx, simcloud.Override{Reading: simcloud.Reading{HideNew: h.For}})
}
