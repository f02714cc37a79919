package core

import (
	"cmp"
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Each project has a quota for each of the QuotaResources. The store keeps
// those that were ever set, and what projects use; the others are derived when they are read.

// ListQuotas lists the quotas of the caller's project; those of all projects for an admin.
func (c *Cloud) ListQuotas(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Quota], error) {
	var page simcloud.Page[simcloud.Quota]
	size, err := checkList("quota", opts, noStates)
	if err = cmp.Or(err, refersToNothing("quota", opts)); err != nil {
		return page, err
	}
	if _, _, err := parseSelector(opts.Selector); err != nil {
		return page, err
	}
	selector, err := labels.Parse(opts.Selector)
	if err != nil {
		return page, invalid("", "selector", "%q is not a label selector: %v", opts.Selector, err)
	}
	filter := hash("quota", string(simcloud.CallerFrom(ctx).Project), opts.Name, opts.Selector)
	after, err := parsePageToken(opts.PageToken, filter)
	if err != nil {
		return page, err
	}
	err = c.view(ctx, func(tx *store.Tx, caller simcloud.Caller) error {
		page.Items, page.Revision = []simcloud.Quota{}, tx.Revision()
		var last uint64
		return quotas(tx, caller, func(place uint64, q simcloud.Quota) bool {
			switch {
			case place <= after || opts.Name != "" && opts.Name != q.Name || !selector.Matches(labels.Set{}):
				return true
			case opts.Page > 0:
				if page.Total++; page.Total > (opts.Page-1)*size && len(page.Items) < size {
					page.Items = append(page.Items, q)
				}
				return true
			case len(page.Items) == size:
				page.NextPage = pageToken(last, filter)
				return false
			}
			page.Items, last = append(page.Items, q), place
			return true
		})
	})
	return page, err
}

// quotaPlaces is how many places of a list each project has; more than there are resources.
const quotaPlaces = 64

// quotas calls yield with the quotas that the caller sees and their places in
// a list, until it returns false.
func quotas(tx *store.Tx, caller simcloud.Caller, yield func(place uint64, q simcloud.Quota) bool) error {
	projects, err := store.Projects.All(tx)
	if err != nil {
		return err
	}
	for _, project := range projects {
		if !seesQuotas(caller, project.ID) {
			continue
		}
		for i, resource := range simcloud.QuotaResources() {
			q, err := quotaOf(tx, project, resource)
			if err != nil {
				return err
			}
			if !yield(store.Projects.Sequence(tx, project.ID)*quotaPlaces+uint64(i)+1, q) {
				return nil
			}
		}
	}
	return nil
}

func seesQuotas(caller simcloud.Caller, project simcloud.ID) bool {
	return caller.Role == simcloud.RoleAdmin || caller.Project == project
}

// GetQuota returns one quota.
func (c *Cloud) GetQuota(ctx context.Context, id simcloud.ID) (q simcloud.Quota, err error) {
	err = c.view(ctx, func(tx *store.Tx, caller simcloud.Caller) error {
		q, err = findQuota(tx, caller, id)
		return err
	})
	return q, err
}

// findQuota returns a quota that the caller may see.
func findQuota(tx *store.Tx, caller simcloud.Caller, id simcloud.ID) (q simcloud.Quota, err error) {
	dot := strings.LastIndex(string(id), ".")
	if dot < 0 || !seesQuotas(caller, id[:dot]) {
		return q, store.Quotas.NotFound(id)
	}
	project, err := store.Projects.Get(tx, id[:dot])
	if simcloud.CodeOf(err) == simcloud.NotFound {
		err = store.Quotas.NotFound(id)
	}
	if err != nil {
		return q, err
	}
	for _, resource := range simcloud.QuotaResources() {
		if string(resource) == string(id[dot+1:]) {
			return quotaOf(tx, project, resource)
		}
	}
	return q, store.Quotas.NotFound(id)
}

// quotaOf returns the quota of a project with what is used of it. One that was
// never set is as old as its project.
func quotaOf(tx *store.Tx, project simcloud.Project, resource simcloud.QuotaResource) (simcloud.Quota, error) {
	id := simcloud.QuotaID(project.ID, resource)
	q, err := store.Quotas.Get(tx, id)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		q = simcloud.Quota{Meta: project.Meta, Resource: resource, Limit: simcloud.Unlimited}
		q.ID, q.Name, q.Project, q.Labels, q.Operation, err = id, string(id), project.ID, nil, "", nil
	}
	if err != nil {
		return q, err
	}
	used, err := tx.Usage(project.ID)
	q.Used = used[resource]
	return q, err
}

// SetQuota sets a limit. What is there beyond it stays.
func (m mutations) SetQuota(
	ctx context.Context, id simcloud.ID, spec simcloud.QuotaSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Quota], error) {
	req := request{verb: "SetQuota", admin: true, ids: []simcloud.ID{id}, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r simcloud.Result[simcloud.Quota], err error) {
		before, err := findQuota(t.tx, t.caller, id)
		if err != nil {
			return r, err
		}
		if err := t.expects(simcloud.Ref(simcloud.KindQuota, id), &before.Meta); err != nil {
			return r, err
		}
		after := before
		after.Limit = spec.Limit
		if !same(before, after) && !store.Quotas.Has(t.tx, id) {
			row := before
			if err := store.Quotas.InsertQuietly(t.tx, t.now, &row); err != nil {
				return r, err
			}
		}
		return replace(t, store.Quotas, before, after)
	})
}

// limited returns the quotas of all projects that limit something.
func limited(tx *store.Tx) ([]simcloud.Quota, error) {
	found := []simcloud.Quota{}
	all, err := store.Quotas.All(tx)
	if err != nil {
		return nil, err
	}
	for _, q := range all {
		if q.Limit == simcloud.Unlimited {
			continue
		}
		used, err := tx.Usage(q.Project)
		if err != nil {
			return nil, err
		}
		q.Used = used[q.Resource]
		found = append(found, q)
	}
	return found, nil
}
