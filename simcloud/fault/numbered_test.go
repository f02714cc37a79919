package fault_test

import (
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// TestNumbered: how each lie changes pages of two of a list of five.
func TestNumbered(t *testing.T) {
	t.Parallel()
	items := []int{1, 2, 3, 4, 5}
	for lie, want := range map[string][][]int{
		"":                             {{1, 2}, {3, 4}, {5}, {}},
		`{"lie": "short"}`:             {{1}, {3}, {}, {}},
		`{"lie": "duplicate"}`:         {{1, 2}, {2, 3, 4}, {4, 5}, {}},
		`{"lie": "shift"}`:             {{1, 2}, {4}, {}, {}},
		`{"lie": "size", "size": 3}`:   {{1, 2, 3}, {4, 5}, {}, {}},
		`{"lie": "size", "size": 100}`: {{1, 2, 3, 4, 5}, {}, {}, {}},
	} {
		ctx := t.Context()
		if lie != "" {
			rule, err := fault.Parse([]byte(`{"match": {"operation": "ListInstances"}, "effect": {"page": ` + lie + `}}`))
			if err != nil {
				t.Fatal(err)
			}
			set := fault.New(fault.Config{})
			if _, err := set.AddFault(ctx, rule); err != nil {
				t.Fatal(err)
			}
			endpoint, _ := simcloud.EndpointOf("ListInstances")
			ctx = set.Pick(ctx, &fault.Call{Endpoint: endpoint}).Override(ctx)
		}
		for i := range want {
			if page, _ := fault.Numbered(ctx, items, i+1, 2); !slices.Equal(page, want[i]) {
				t.Errorf("%s: page %d is %v, want %v", lie, i+1, page, want[i])
			}
		}
		if _, more := fault.Numbered(ctx, items, 1, 2); more != (lie != `{"lie": "short"}` && lie != `{"lie": "size", "size": 100}`) {
			t.Errorf("%s: another page follows the first: %t", lie, more)
		}
		if fault.Lies(ctx) != (lie != "") {
			t.Errorf("%s: Lies is %t", lie, fault.Lies(ctx))
		}
	}
}
