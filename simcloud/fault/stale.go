package fault

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Stale lets a read show the cloud as it was. Writes see it as it is.
type Stale struct {
	reads
	// By is how long ago the cloud was as it is shown, by its clock.
	By simcloud.Duration `json:"by"`
}

func (s *Stale) check(f *fields, path string) { f.duration(path+".by", s.By) }

func (*Stale) example() Rule {
	return Rule{Match: Match{Operation: "ListInstances"}, Effect: Effect{Stale: &Stale{By: simcloud.Duration(30 * time.Second)}}}
}

func (s *Stale) override(ctx context.Context, _ *Hit) context.Context {
	return simcloud.WithOverride(ctx, simcloud.Override{Reading: simcloud.Reading{StaleBy: s.By}})
}
