package providerid

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

type regionAPI interface {
	ListRegions(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Region], error)
}

// Regions tells the instances that the provider is for from those of another
// region or cloud. Ids are the cloud's own: another one has an i-1, too.
type Regions struct {
	api  regionAPI
	only simcloud.ID // of the config; empty for any of the cloud

	mu    sync.Mutex
	known map[simcloud.ID]bool // regions that the cloud has, or had
}

// NewRegions takes provider ids of one region for the provider's, or with an empty one of any that the cloud has.
func NewRegions(api regionAPI, only simcloud.ID) *Regions { return &Regions{api: api, only: only} }

// ErrForeign is in every error about a provider id that is not this provider's to answer for.
var ErrForeign = errors.New("nothing is known of its machine")

// Parse reads a provider id, which must be of our scheme and of the config's
// region, or of one that the cloud has. If not, the error is errForeign; any
// other means that the cloud could not be asked, which it is only about a
// region that it has not shown before.
func (r *Regions) Parse(ctx context.Context, providerID string) (ID, error) {
	id, err := r.Form(providerID)
	if err != nil {
		return ID{}, err
	}
	if err := r.Ours(ctx, id); err != nil {
		return ID{}, err
	}
	return id, nil
}

// Form is parse without asking the cloud.
func (r *Regions) Form(providerID string) (ID, error) {
	id, err := Parse(providerID)
	if err != nil {
		return ID{}, fmt.Errorf("%w: %w", err, ErrForeign)
	}
	if r.only != "" && id.Region != r.only {
		return ID{}, fmt.Errorf("provider id %q is of region %s, and this provider is for region %s: %w", id, id.Region, r.only, ErrForeign)
	}
	return id, nil
}

// Ours is an error when the region of a well-formed id is not one of the cloud's.
func (r *Regions) Ours(ctx context.Context, id ID) error {
	if r.only != "" || r.has(id.Region) {
		return nil
	}
	all, err := simcloud.ListAll(ctx, r.api.ListRegions, simcloud.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the regions to find that of %q: %w", id, call.NotAboutOne(err))
	}
	for _, region := range all {
		r.learn(region.ID)
	}
	if !r.has(id.Region) {
		return fmt.Errorf("provider id %q is of region %s, which the cloud does not have: %w", id, id.Region, ErrForeign)
	}
	return nil
}

// Holds is an error when the instance that was found for an id is of another region than it says.
func (r *Regions) Holds(id ID, inst simcloud.Instance) error {
	if inst.Region != id.Region {
		return fmt.Errorf("provider id %q is of region %s, and instance %s of region %q: %w", id, id.Region, inst.ID, inst.Region, ErrForeign)
	}
	r.learn(id.Region)
	return nil
}

func (r *Regions) has(region simcloud.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[region]
}

func (r *Regions) learn(region simcloud.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[simcloud.ID]bool{}
	}
	r.known[region] = true
}
