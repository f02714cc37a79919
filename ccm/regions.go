package ccm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type regionAPI interface {
	ListRegions(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Region], error)
}

// regions tells the instances that the provider is for from those of another
// region or cloud. Ids are the cloud's own: another one has an i-1, too.
type regions struct {
	api  regionAPI
	only simcloud.ID // of the config; empty for any of the cloud

	mu    sync.Mutex
	known map[simcloud.ID]bool // regions that the cloud has, or had
}

// newRegions takes provider ids of one region for the provider's, or with an empty one of any that the cloud has.
func newRegions(api regionAPI, only simcloud.ID) *regions { return &regions{api: api, only: only} }

// errForeign is in every error about a provider id that is not this provider's to answer for.
var errForeign = errors.New("nothing is known of its machine")

// parse reads a provider id, which must be of our scheme and of the config's
// region, or of one that the cloud has. If not, the error is errForeign; any
// other means that the cloud could not be asked, which it is only about a
// region that it has not shown before.
func (r *regions) parse(ctx context.Context, providerID string) (ProviderID, error) {
	id, err := r.form(providerID)
	if err != nil {
		return ProviderID{}, err
	}
	if err := r.ours(ctx, id); err != nil {
		return ProviderID{}, err
	}
	return id, nil
}

// form is parse without asking the cloud.
func (r *regions) form(providerID string) (ProviderID, error) {
	id, err := ParseProviderID(providerID)
	if err != nil {
		return ProviderID{}, fmt.Errorf("%w: %w", err, errForeign)
	}
	if r.only != "" && id.Region != r.only {
		return ProviderID{}, fmt.Errorf("provider id %q is of region %s, and this provider is for region %s: %w", id, id.Region, r.only, errForeign)
	}
	return id, nil
}

// ours is an error when the region of a well-formed id is not one of the cloud's.
func (r *regions) ours(ctx context.Context, id ProviderID) error {
	if r.only != "" || r.has(id.Region) {
		return nil
	}
	all, err := simcloud.ListAll(ctx, r.api.ListRegions, simcloud.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the regions to find that of %q: %w", id, notAboutOne(err))
	}
	for _, region := range all {
		r.learn(region.ID)
	}
	if !r.has(id.Region) {
		return fmt.Errorf("provider id %q is of region %s, which the cloud does not have: %w", id, id.Region, errForeign)
	}
	return nil
}

// holds is an error when the instance that was found for an id is of another region than it says.
func (r *regions) holds(id ProviderID, inst simcloud.Instance) error {
	if inst.Region != id.Region {
		return fmt.Errorf("provider id %q is of region %s, and instance %s of region %q: %w", id, id.Region, inst.ID, inst.Region, errForeign)
	}
	r.learn(id.Region)
	return nil
}

func (r *regions) has(region simcloud.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[region]
}

func (r *regions) learn(region simcloud.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[simcloud.ID]bool{}
	}
	r.known[region] = true
}
