package core_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// rangesOf returns the ranges of a cloud's networks and of its pools.
func (r *reopener) ranges() (networks, pools []string) {
	state := r.state()
	for _, network := range state.Networks {
		networks = append(networks, network.CIDRs...)
	}
	for _, pool := range state.FloatingIPPools {
		pools = append(pools, pool.CIDR)
	}
	return networks, pools
}

func (r *reopener) wantRanges(when string, networks, pools []string) {
	r.Helper()
	haveNetworks, havePools := r.ranges()
	if diff := cmp.Diff([][]string{networks, pools}, [][]string{haveNetworks, havePools}); diff != "" {
		r.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func TestRangesOfTheDefaultTopology(t *testing.T) {
	t.Parallel()
	usual := []string{core.FloatingPoolCIDR, core.FloatingPoolV6CIDR}
	mine := []string{"10.7.0.0/17", "fd00:7::/64"}
	r := newReopener(t, core.Config{Networks: mine, FloatingCIDRs: []string{"127.7.0.0/16"}})
	pools := []string{"127.7.0.0/16", core.FloatingPoolV6CIDR}
	r.wantRanges("a new cloud", mine, pools)

	inst := must[instanceResult](t)(r.cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})).Resource
	for i, prefix := range []string{"10.7.", "fd00:7::"} {
		if got := inst.Addresses[i].Address; len(got) < len(prefix) || got[:len(prefix)] != prefix {
			t.Errorf("address %d is %s, want one of %s", i, got, mine[i])
		}
	}
	if err := r.cloud.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.wantRanges("after a reset", mine, pools)

	r.cfg = core.Config{}
	r.open()
	r.wantRanges("opened with other ranges", mine, pools)
	if err := r.cloud.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.wantRanges("opened with other ranges, and reset", []string{"10.0.0.0/16"}, usual)
}

func TestRangesAreRefused(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]core.Config{
		"no range":                   {Networks: []string{"10.7.0.0"}},
		"two of a family":            {Networks: []string{"10.7.0.0/17", "10.8.0.0/17"}},
		"pools with host bits":       {FloatingCIDRs: []string{"127.7.0.1/16"}},
		"two pools of a family":      {FloatingCIDRs: []string{"127.7.0.0/16", "127.8.0.0/16"}},
		"a pool of public addresses": {FloatingCIDRs: []string{"198.18.5.0/24"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			cfg.DB = db
			if cloud, err := core.Open(cfg); !errors.Is(err, simcloud.Invalid) {
				t.Errorf("got %v, want Invalid", err)
				if err == nil {
					_ = cloud.Close()
				}
			}
		})
	}
}
