package core_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// fixtureSecret is the admin's in the files of former releases.
const fixtureSecret = "simcloud-fixture-admin-secret-0123456789"

const fixtures = "../store/testdata/"

// formerFile unpacks the data file that a former release has left.
func formerFile(t *testing.T, name string) string {
	t.Helper()
	packed := must[[]byte](t)(os.ReadFile(fixtures + name + ".db.gz"))
	raw := must[[]byte](t)(io.ReadAll(must[*gzip.Reader](t)(gzip.NewReader(bytes.NewReader(packed)))))
	path := filepath.Join(t.TempDir(), "cloud.db")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// formerState is what the former release said of the file.
func formerState(t *testing.T, name string) (state simcloud.State) {
	t.Helper()
	if err := json.Unmarshal(must[[]byte](t)(os.ReadFile(fixtures+name+".state.json")), &state); err != nil {
		t.Fatal(err)
	}
	return state
}

// openFormer opens a former file on a clock that has only begun to go on.
func openFormer(t *testing.T, path string, state simcloud.State) *core.Cloud {
	t.Helper()
	clock := &fakeClock{now: state.Time, timers: map[*fakeTimer]bool{}}
	return openAt(t, path, store.Options{}, core.Config{Clock: clock})
}

// TestMigrationKeeps: a file of each former version opens, with all that was in it.
func TestMigrationKeeps(t *testing.T) {
	t.Parallel()
	want := formerState(t, "v1")
	cloud := openFormer(t, formerFile(t, "v1"), want)
	got := must[simcloud.State](t)(cloud.GetState(t.Context()))
	if len(got.FloatingIPPools) != 2 || len(got.Tokens) != 1 {
		t.Errorf("%d pools and %d tokens, want 2 and 1", len(got.FloatingIPPools), len(got.Tokens))
	}
	// These the former release did not have, or did not show.
	got.FloatingIPPools, got.Tokens, got.Revision = nil, nil, want.Revision
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("state (-before +after):\n%s", diff)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestMigrationKeepsVersion2: a file without sums gets them, and keeps all that was in it.
func TestMigrationKeepsVersion2(t *testing.T) {
	t.Parallel()
	want := formerState(t, "v2")
	path := formerFile(t, "v2")
	for range 2 { // the second time it is of this version
		cloud := openFormer(t, path, want)
		got := must[simcloud.State](t)(cloud.GetState(t.Context()))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("state (-before +after):\n%s", diff)
		}
		must[simcloud.Caller](t)(cloud.Authenticate(t.Context(), fixtureSecret))
		again := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{
			Name: "a", Labels: map[string]string{"role": "a"}, UserData: "#!a",
		}, simcloud.IdempotencyKey("create-a")))
		if again.Resource.ID != "i-1" {
			t.Errorf("the key made %s", again.Resource.ID)
		}
		if err := errors.Join(cloud.Check(t.Context()), cloud.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestMigrationGoesOn: tokens, running operations and idempotency keys of the former release still count.
func TestMigrationGoesOn(t *testing.T) {
	t.Parallel()
	state := formerState(t, "v1")
	cloud := openFormer(t, formerFile(t, "v1"), state)
	caller := must[simcloud.Caller](t)(cloud.Authenticate(t.Context(), fixtureSecret))
	ctx := simcloud.WithCaller(t.Context(), caller)
	token := must[simcloud.Token](t)(cloud.GetToken(ctx, caller.Token))
	if token.Role != simcloud.RoleAdmin || token.State != simcloud.TokenActive || token.Project != simcloud.DefaultProject {
		t.Errorf("the admin's token became %+v", token)
	}
	fired := must[simcloud.ClockAdvance](t)(cloud.AdvanceClock(ctx, simcloud.Duration(3*time.Hour))).Fired
	ready := 0
	for _, op := range state.Operations {
		if op.State != simcloud.OperationRunning {
			continue
		}
		if ready >= len(fired) || fired[ready].ID != op.ID || !fired[ready].Finished.Equal(op.ReadyAt) {
			t.Errorf("%s does not end at %s: %v", op.ID, op.ReadyAt, fired)
		}
		ready++
	}
	if ready == 0 {
		t.Error("the former release has left nothing running")
	}
	if err := cloud.Check(ctx); err != nil {
		t.Error(err)
	}
}

// TestMigrationLeadsOn: what the former release did not know works on what it has left.
func TestMigrationLeadsOn(t *testing.T) {
	t.Parallel()
	state := formerState(t, "v1")
	path := formerFile(t, "v1")
	cloud := openFormer(t, path, state)
	ctx := t.Context()
	_, err := cloud.DeleteFloatingIPPool(ctx, core.FloatingPool)
	wantCode(t, "delete a pool with a former floating IP", err, simcloud.InUse)
	for _, spec := range []simcloud.FloatingIPSpec{{Name: "four"}, {Name: "six", Family: 6}} {
		fip := must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(ctx, spec)).Resource
		if fip.Address == state.FloatingIPs[0].Address {
			t.Errorf("%s got the address of %s", fip.ID, state.FloatingIPs[0].ID)
		}
	}
	quota := must[simcloud.Quota](t)(cloud.GetQuota(ctx, simcloud.QuotaID(simcloud.DefaultProject, simcloud.QuotaInstances)))
	if quota.Used != len(state.Instances) {
		t.Errorf("%d instances count, want %d", quota.Used, len(state.Instances))
	}
	must[simcloud.Result[simcloud.Subnet]](t)(cloud.CreateSubnet(ctx, simcloud.SubnetSpec{Name: "s", Network: "net-1", CIDR: "10.0.7.0/24"}))
	volume := must[simcloud.Result[simcloud.Volume]](t)(cloud.CreateVolume(ctx,
		simcloud.VolumeSpec{Name: "v", SizeGiB: 1, Zone: state.Instances[0].Zone})).Resource
	must[simcloud.Result[simcloud.Volume]](t)(cloud.AttachVolume(ctx, volume.ID, simcloud.VolumeAttachment{Instance: state.Instances[0].ID}))
	must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(ctx, simcloud.ProjectSpec{Name: "new"}))
	made := must[simcloud.Result[simcloud.Token]](t)(cloud.CreateToken(ctx,
		simcloud.TokenSpec{Name: "t", Project: "new", Role: simcloud.RoleWriter})).Resource
	must[simcloud.Caller](t)(cloud.Authenticate(ctx, made.Secret))
	if made.ID == "tok-1" {
		t.Error("a token got the id of a former one")
	}
	must[simcloud.Result[simcloud.Cluster]](t)(cloud.CreateCluster(ctx, simcloud.ClusterSpec{Name: "c", Endpoint: "https://10.0.0.1:6443"}))
	if err := cloud.Check(ctx); err != nil {
		t.Error(err)
	}
	if err := cloud.Close(); err != nil {
		t.Fatal(err)
	}
	again := openFormer(t, path, state)
	must[simcloud.Caller](t)(again.Authenticate(ctx, fixtureSecret))
	if err := again.Check(ctx); err != nil {
		t.Errorf("opened once more: %v", err)
	}
}
