package fault

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Stale lets a read show the cloud as it was. Writes see it as it is.
type Stale struct {
	reads
	By simcloud.Duration `json:"by"`
}

func (s *Stale) check(f *fields, path string) { f.duration(path+".by", s.By) }

func (s *Stale) override(ctx context.Context, _ *Hit) context.Context {
	return simcloud.WithOverride(ctx, simcloud.Override{Reading: simcloud.Reading{StaleBy: s.By}})
}
