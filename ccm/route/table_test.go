package route

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestOnlyTable(t *testing.T) {
	t.Parallel()
	table := func(id, network simcloud.ID) simcloud.RouteTable {
		return simcloud.RouteTable{Meta: simcloud.Meta{ID: id}, Network: network}
	}
	one, two := []simcloud.RouteTable{table("rt-1", "net-1")}, []simcloud.RouteTable{table("rt-1", "net-1"), table("rt-2", "net-2")}
	for _, c := range []struct {
		all     []simcloud.RouteTable
		network simcloud.ID
		want    simcloud.ID
	}{
		{one, "", "rt-1"}, {one, "net-1", "rt-1"}, {one, "net-2", ""}, {two, "", ""}, {two, "net-2", "rt-2"}, {nil, "", ""},
	} {
		got, err := onlyTable(c.all, c.network)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%d tables, network %q: got %q, %v; want %q", len(c.all), c.network, got, err, c.want)
		}
	}
}
