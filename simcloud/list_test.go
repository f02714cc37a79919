package simcloud_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// pages answers one number a page, up to n, and then what last says.
func pages(n int, last func() (simcloud.Page[int], error)) simcloud.ListFunc[int] {
	return func(_ context.Context, opts simcloud.ListOptions) (simcloud.Page[int], error) {
		i, _ := strconv.Atoi(opts.PageToken)
		if i == n {
			return last()
		}
		return simcloud.Page[int]{Items: []int{i}, NextPage: strconv.Itoa(i + 1)}, nil
	}
}

func TestListAllReadsEveryPage(t *testing.T) {
	list := pages(3, func() (simcloud.Page[int], error) { return simcloud.Page[int]{Items: []int{3}}, nil })
	got, err := simcloud.ListAll(t.Context(), list, simcloud.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3}, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

func TestListAllIsAllOrNothing(t *testing.T) {
	list := pages(2, func() (simcloud.Page[int], error) {
		return simcloud.Page[int]{}, simcloud.Errorf(simcloud.Unavailable, "", "no answer")
	})
	got, err := simcloud.ListAll(t.Context(), list, simcloud.ListOptions{})
	if !errors.Is(err, simcloud.Unavailable) || got != nil {
		t.Errorf("got %v, %v; want no items and Unavailable: half a list looks like deleted resources", got, err)
	}
}

func TestListAllLeavesACircle(t *testing.T) {
	list := func(context.Context, simcloud.ListOptions) (simcloud.Page[int], error) {
		return simcloud.Page[int]{Items: []int{1}, NextPage: "again"}, nil
	}
	if _, err := simcloud.ListAll(t.Context(), list, simcloud.ListOptions{}); !errors.Is(err, simcloud.Internal) {
		t.Errorf("got %v, want Internal", err)
	}
}
