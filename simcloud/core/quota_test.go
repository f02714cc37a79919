package core_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// as returns a context whose caller is of a project.
func as(t testing.TB, project simcloud.ID, role simcloud.Role) context.Context {
	return simcloud.WithCaller(t.Context(), simcloud.Caller{Project: project, Role: role})
}

func setLimit(t testing.TB, cloud *core.Cloud, id simcloud.ID, limit int) {
	t.Helper()
	must[simcloud.Result[simcloud.Quota]](t)(cloud.SetQuota(t.Context(), id, simcloud.QuotaSpec{Limit: limit}))
}

// TestQuotaConcurrent: however many create at once, there is never more than the limit.
func TestQuotaConcurrent(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	const limit = 10
	setLimit(t, cloud, "default.vcpu", 2*limit)
	var made, refused, present atomic.Int64
	var workers sync.WaitGroup
	for worker := range 16 {
		workers.Go(func() {
			for n := range 20 {
				r, err := cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
				switch {
				case errors.Is(err, simcloud.QuotaExceeded):
					refused.Add(1)
					continue
				case err != nil:
					t.Error(err)
					continue
				}
				made.Add(1)
				if now := present.Add(1); now > limit {
					t.Errorf("%d instances at once", now)
				}
				if (worker+n)%2 == 0 {
					present.Add(-1) // before it is gone, so that there are never fewer than this says
					must[simcloud.Operation](t)(cloud.DeleteInstance(t.Context(), r.Resource.ID))
				}
			}
		})
	}
	workers.Wait()
	if made.Load() < limit || refused.Load() == 0 {
		t.Errorf("%d made, %d refused", made.Load(), refused.Load())
	}
	q := must[simcloud.Quota](t)(cloud.GetQuota(t.Context(), "default.vcpu"))
	if int64(q.Used) != 2*present.Load() {
		t.Errorf("%d of %d used with %d instances", q.Used, q.Limit, present.Load())
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestQuotaOfProjects: each project has its own, and only an admin sees and sets those of others.
func TestQuotaOfProjects(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	for _, project := range []simcloud.ID{"a.b", "c"} {
		must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(
			as(t, project, simcloud.RoleWriter), simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/8"}}))
	}
	setLimit(t, cloud, "a.b.network", 1)
	a, c := as(t, "a.b", simcloud.RoleWriter), as(t, "c", simcloud.RoleReader)
	_, err := cloud.CreateNetwork(a, simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/8"}})
	wantCode(t, "a second network", err, simcloud.QuotaExceeded)
	_, err = cloud.CreateNetwork(as(t, "c", simcloud.RoleWriter), simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/8"}})
	wantCode(t, "a second network of another project", err, "")
	_, err = cloud.GetQuota(c, "a.b.network")
	wantCode(t, "the quota of another project", err, simcloud.NotFound)
	_, err = cloud.SetQuota(a, "a.b.network", simcloud.QuotaSpec{Limit: 9})
	wantCode(t, "set by a writer", err, simcloud.Forbidden)
	list := func(ctx context.Context) (projects []simcloud.ID) {
		for _, q := range must[[]simcloud.Quota](t)(simcloud.ListAll(ctx, cloud.ListQuotas, simcloud.ListOptions{PageSize: 4})) {
			projects = append(projects, q.Project)
		}
		if n := len(projects); n%len(simcloud.QuotaResources()) != 0 {
			t.Errorf("%d quotas", n)
		}
		return slices.Compact(projects)
	}
	if diff := cmp.Diff([][]simcloud.ID{{"a.b"}, {"c"}, {"default", "a.b", "c"}}, [][]simcloud.ID{list(a), list(c), list(t.Context())}); diff != "" {
		t.Errorf("projects whose quotas are listed (-want +got):\n%s", diff)
	}
	if used := must[simcloud.Quota](t)(cloud.GetQuota(c, "c.network")).Used; used != 2 {
		t.Errorf("%d networks used", used)
	}
}

// TestQuotaFollowsTypes: what instances use follows the sizes of their types,
// also when both change under them.
func TestQuotaFollowsTypes(t *testing.T) {
	t.Parallel()
	db := must[*store.DB](t)(store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true}))
	cloud := must[*core.Cloud](t)(core.Open(core.Config{DB: db}))
	t.Cleanup(func() { _ = cloud.Close() })
	for range 3 {
		must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	}
	used := func() string {
		vcpu := must[simcloud.Quota](t)(cloud.GetQuota(t.Context(), "default.vcpu")).Used
		memory := must[simcloud.Quota](t)(cloud.GetQuota(t.Context(), "default.memory_mib")).Used
		return fmt.Sprint(vcpu, " ", memory)
	}
	if got := used(); got != "6 12288" {
		t.Errorf("of three small ones: %s", got)
	}
	now := must[simcloud.ClockStatus](t)(cloud.GetClock(t.Context())).Now
	if err := db.Update(func(tx *store.Tx) error {
		if err := changeInstance(tx, "i-1", func(i *simcloud.Instance) { i.Type = "large" }); err != nil {
			return err
		}
		small, err := store.InstanceTypes.Get(tx, "small")
		if err != nil {
			return err
		}
		small.VCPUs = 3
		return store.InstanceTypes.Update(tx, now, &small)
	}); err != nil {
		t.Fatal(err)
	}
	if got := used(); got != "14 24576" { // 8+3+3, 16384+4096+4096
		t.Errorf("after the changes: %s", got)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestQuotaAfterReopening: limits and uses are in the file.
func TestQuotaAfterReopening(t *testing.T) {
	t.Parallel()
	r := newReopener(t, core.Config{})
	must[instanceResult](t)(r.cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	setLimit(t, r.cloud, "default.instance", 1)
	r.open()
	_, err := r.cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
	wantCode(t, "beyond the limit", err, simcloud.QuotaExceeded)
}
