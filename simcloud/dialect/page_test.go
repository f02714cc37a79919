package dialect_test

import (
	"errors"
	"net/url"
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

var paging = dialect.Paging{Number: "page", Size: "per_page", Default: 25, Max: 50}

// TestParse reads positions, and names each parameter that is wrong.
func TestParse(t *testing.T) {
	t.Parallel()
	clamped := paging
	clamped.Clamp = true
	for _, c := range []struct {
		paging dialect.Paging
		query  string
		want   dialect.Position
		fields []string
	}{
		{paging, "", dialect.Position{Page: 1, Size: 25}, nil},
		{paging, "page=3&per_page=50", dialect.Position{Page: 3, Size: 50}, nil},
		{paging, "page=0&per_page=51", dialect.Position{}, []string{"page", "per_page"}},
		{paging, "page=x", dialect.Position{}, []string{"page"}},
		{paging, "page=1000001", dialect.Position{}, []string{"page"}},
		{clamped, "per_page=51", dialect.Position{Page: 1, Size: 50}, nil},
		{clamped, "per_page=-1", dialect.Position{}, []string{"per_page"}},
	} {
		query, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		at, err := c.paging.Parse(query.Get)
		var invalid *simcloud.Error
		var fields []string
		if errors.As(err, &invalid) {
			for _, field := range invalid.Fields {
				fields = append(fields, field.Field)
			}
		}
		if !slices.Equal(fields, c.fields) || err == nil && at != c.want {
			t.Errorf("%q: got %+v, %v; want %+v, wrong %v", c.query, at, err, c.want, c.fields)
		}
	}
}

// TestPosition: what leads to other pages does not lead out of the list.
func TestPosition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at                   dialect.Position
		previous, next, last int
	}{
		{dialect.Position{Page: 1, Size: 2, Total: 0}, 0, 0, 1},
		{dialect.Position{Page: 1, Size: 2, Total: 2}, 0, 0, 1},
		{dialect.Position{Page: 1, Size: 2, Total: 3}, 0, 2, 2},
		{dialect.Position{Page: 2, Size: 2, Total: 5}, 1, 3, 3},
		{dialect.Position{Page: 3, Size: 2, Total: 5}, 2, 0, 3},
		{dialect.Position{Page: 9, Size: 2, Total: 5}, 3, 0, 3},
	} {
		if c.at.Previous() != c.previous || c.at.Next() != c.next || c.at.Last() != c.last {
			t.Errorf("%+v leads to %d, %d and %d, want %d, %d and %d", c.at, c.at.Previous(), c.at.Next(), c.at.Last(), c.previous, c.next, c.last)
		}
	}
}

// TestList: a page of the cloud is that of all items cut.
func TestList(t *testing.T) {
	t.Parallel()
	cloud := simtest.New(t)
	for _, name := range []string{"a", "b", "c"} {
		if _, err := cloud.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: name, CIDRs: []string{"10.0.0.0/24"}}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := simcloud.ListAll(t.Context(), cloud.ListNetworks, simcloud.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for number := 1; number <= 4; number++ {
		at := dialect.Position{Page: number, Size: 3}
		items, found, err := dialect.List(t.Context(), cloud.ListNetworks, simcloud.ListOptions{}, at)
		if err != nil {
			t.Fatal(err)
		}
		want, cut := dialect.Cut(all, at)
		if found != cut || found.Total != 4 || !slices.EqualFunc(items, want, func(a, b simcloud.Network) bool { return a.ID == b.ID }) {
			t.Errorf("page %d: %v at %+v, want %v at %+v", number, items, found, want, cut)
		}
	}
}
