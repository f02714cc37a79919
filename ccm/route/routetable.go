package route

import (
	"context"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// read returns the route table, by one call once it is known which it is.
func (r *Routes) read(ctx context.Context) (simcloud.RouteTable, error) {
	id, err := r.tableID(ctx)
	if err != nil {
		return simcloud.RouteTable{}, err
	}
	table, err := r.api.GetRouteTable(ctx, id)
	if call.IsGone(err) {
		r.remember("") // another may have come in its place
	}
	if err != nil {
		return table, fmt.Errorf("read route table %s: %w", id, err)
	}
	return table, nil
}

// tableID is the table of the config, or else the only one of the network.
func (r *Routes) tableID(ctx context.Context) (simcloud.ID, error) {
	if r.table != "" {
		return r.table, nil
	}
	r.mu.Lock()
	known := r.resolved
	r.mu.Unlock()
	if known != "" {
		return known, nil
	}
	all, err := simcloud.ListAll(ctx, r.api.ListRouteTables, simcloud.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("list the route tables: %w", call.NotAboutOne(err))
	}
	id, err := onlyTable(all, r.network)
	if err == nil {
		r.remember(id)
	}
	return id, err
}

func (r *Routes) remember(id simcloud.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resolved = id
}

// onlyTable picks the table of the network, or of any network when it is not said which.
func onlyTable(all []simcloud.RouteTable, network simcloud.ID) (simcloud.ID, error) {
	all = slices.DeleteFunc(slices.Clone(all), func(t simcloud.RouteTable) bool { return network != "" && t.Network != network })
	where := "of the cloud"
	if network != "" {
		where = fmt.Sprintf("of network %s", network)
	}
	if len(all) != 1 {
		return "", fmt.Errorf("the cloud config has no routeTable, and there is not one route table %s but %d: set routeTable to the id of one", where, len(all))
	}
	return all[0].ID, nil
}
