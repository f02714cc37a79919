package core_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func save(t testing.TB, cloud *core.Cloud, name string) simcloud.Snapshot {
	t.Helper()
	return must[simcloud.Snapshot](t)(cloud.SaveSnapshot(t.Context(), simcloud.SnapshotSpec{Name: name}))
}

func create(t testing.TB, cloud *core.Cloud, name string, opts ...simcloud.CallOption) simcloud.Instance {
	t.Helper()
	return must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name}, opts...)).Resource
}

// copyTo puts a file into a cloud's folder of snapshots.
func copyTo(t testing.TB, folder, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func content(t testing.TB, path string) []byte {
	t.Helper()
	return must[[]byte](t)(os.ReadFile(path))
}

// TestSnapshotHasNoSecret: neither a token nor what stands for its secret is in
// the file, nor what a client has used as an idempotency key.
func TestSnapshotHasNoSecret(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	const secret = "a-secret-that-no-one-should-see-0123456789"
	must[simcloud.ID](t)(cloud.AddToken(t.Context(), "the-name-of-the-token", simcloud.RoleAdmin, secret))
	create(t, cloud, "a", simcloud.IdempotencyKey("the-key"))
	// The token is the last event of its own snapshot.
	must[simcloud.ID](t)(cloud.AddToken(t.Context(), "the-name-of-the-token", simcloud.RoleAdmin, secret+"2"))
	raw := content(t, save(t, cloud, "s").File)
	sum := sha256.Sum256([]byte(secret))
	for what, text := range map[string]string{
		"secret": secret, "hash": string(sum[:]), "half of the hash": string(sum[:16]), "hex of the hash": hex.EncodeToString(sum[:]),
		"base64 of the hash": base64.StdEncoding.EncodeToString(sum[:])[:40], "name of the token": "the-name-of-the-token", "key": "the-key",
	} {
		if bytes.Contains(raw, []byte(text)) {
			t.Errorf("the %s is in the snapshot", what)
		}
	}
	if !bytes.Contains(raw, []byte(`"i-1"`)) {
		t.Error("the instance is not in the snapshot")
	}
}

// TestSnapshotOfAnotherCloud: a file copied from another cloud has all that
// decides what comes next.
func TestSnapshotOfAnotherCloud(t *testing.T) {
	t.Parallel()
	there := open(t, core.Config{Seed: 7})
	create(t, there, "a")
	want := must[simcloud.State](t)(there.GetState(t.Context()))
	file := content(t, save(t, there, "s").File)
	next := create(t, there, "next").Addresses

	folder := filepath.Join(t.TempDir(), "snapshots")
	here := open(t, core.Config{Seed: 8, Snapshots: folder})
	create(t, here, "x")
	create(t, here, "y")
	copyTo(t, folder, "copy.db", file)
	list := must[[]simcloud.Snapshot](t)(here.ListSnapshots(t.Context()))
	if len(list) != 1 || list[0].Name != "copy" || list[0].Revision != want.Revision {
		t.Fatalf("the snapshots are %+v", list)
	}
	must[simcloud.Snapshot](t)(here.LoadSnapshot(t.Context(), "copy"))
	got := must[simcloud.State](t)(here.GetState(t.Context()))
	if got.Seed != 7 || len(got.Instances) != 1 || got.Instances[0].Name != "a" {
		t.Errorf("the state is %+v", got)
	}
	if diff := cmp.Diff(next, create(t, here, "next").Addresses); diff != "" {
		t.Errorf("addresses that come next (-there +here):\n%s", diff)
	}
	if err := here.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSnapshotIsADataFile: a copy of a snapshot is a whole cloud, without tokens.
func TestSnapshotIsADataFile(t *testing.T) {
	t.Parallel()
	there := open(t, core.Config{})
	create(t, there, "a")
	file := content(t, save(t, there, "s").File)
	cloud := openAt(t, copyTo(t, t.TempDir(), "cloud.db", file), store.Options{}, core.Config{})
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if next := create(t, cloud, "b").ID; next != "i-2" {
		t.Errorf("the next id is %s", next)
	}
}

// TestUnusableSnapshots: a list leaves them out and logs it, using one says
// what is wrong, and nothing changes.
func TestUnusableSnapshots(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	folder := t.TempDir()
	cloud := open(t, core.Config{Snapshots: folder, Log: slog.New(slog.NewTextHandler(&log, nil))})
	create(t, cloud, "a")
	whole := content(t, save(t, cloud, "whole").File)
	newer := bytes.ReplaceAll(whole, fmt.Appendf(nil, "schema%d", store.Version), fmt.Appendf(nil, "schema%d", store.Version+1))
	if bytes.Equal(whole, newer) {
		t.Fatal("the version was not found in the file")
	}
	spoilt := bytes.Replace(whole, []byte(`"created":"2`), []byte(`"created":"x`), 1) // JSON still, and no time
	for name, raw := range map[string][]byte{
		"junk": []byte("hello"), "cut": whole[:len(whole)/2], "newer": newer, "empty": nil, "spoilt": spoilt,
	} {
		path := copyTo(t, folder, name+".db", raw)
		before := must[simcloud.State](t)(cloud.GetState(t.Context()))
		_, err := cloud.LoadSnapshot(t.Context(), simcloud.ID(name))
		wantCode(t, "load "+name, err, simcloud.Conflict)
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%v does not name the file", err)
		}
		_, err = cloud.DiffSnapshot(t.Context(), "whole", name)
		wantCode(t, "diff with "+name, err, simcloud.Conflict)
		if after := must[simcloud.State](t)(cloud.GetState(t.Context())); after.Revision != before.Revision {
			t.Errorf("loading %s has changed something", name)
		}
		if !bytes.Equal(content(t, path), raw) {
			t.Errorf("%s was written", path)
		}
	}
	copyTo(t, folder, "no snapshot.db", whole)
	copyTo(t, folder, "notes.txt", whole)
	list := must[[]simcloud.Snapshot](t)(cloud.ListSnapshots(t.Context()))
	if len(list) != 1 || list[0].Name != "whole" {
		t.Errorf("the list is %+v", list)
	}
	for _, name := range []string{"junk.db", "cut.db", "newer.db", "empty.db", "spoilt.db"} {
		if !strings.Contains(log.String(), name) {
			t.Errorf("the log does not name %s:\n%s", name, log.String())
		}
	}
}

type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// TestOldSnapshot: a file of the first version is brought to this one on a
// copy; it stays as it is.
func TestOldSnapshot(t *testing.T) {
	t.Parallel()
	packed := must[*os.File](t)(os.Open("../store/testdata/v1.db.gz"))
	defer func() { _ = packed.Close() }()
	raw := must[[]byte](t)(io.ReadAll(must[*gzip.Reader](t)(gzip.NewReader(packed))))
	folder := t.TempDir()
	cloud := open(t, core.Config{Snapshots: folder})
	path := copyTo(t, folder, "old.db", raw)
	list := must[[]simcloud.Snapshot](t)(cloud.ListSnapshots(t.Context()))
	if len(list) != 1 || list[0].Created.IsZero() {
		t.Fatalf("the list is %+v", list)
	}
	must[simcloud.Snapshot](t)(cloud.LoadSnapshot(t.Context(), "old"))
	state := must[simcloud.State](t)(cloud.GetState(t.Context()))
	if len(state.Instances) == 0 || len(state.FloatingIPPools) == 0 || len(state.Tokens) != 0 {
		t.Errorf("%d instances, %d pools, %d tokens", len(state.Instances), len(state.FloatingIPPools), len(state.Tokens))
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(content(t, path), raw) {
		t.Error("the snapshot was written")
	}
	if files := must[[]os.DirEntry](t)(os.ReadDir(folder)); len(files) != 1 {
		t.Errorf("%d files in the folder", len(files))
	}
}

// TestLoadKeepsTokens: who could call still can, and has a project.
func TestLoadKeepsTokens(t *testing.T) {
	t.Parallel()
	r := newReopener(t, core.Config{})
	save(t, r.cloud, "s")
	ctx := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "p", Role: simcloud.RoleAdmin})
	must[simcloud.ID](t)(r.cloud.AddToken(ctx, "mine", simcloud.RoleWriter, "a-secret-0123456789-0123456789"))
	must[instanceResult](t)(r.cloud.CreateInstance(simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "gone", Role: simcloud.RoleAdmin}),
		simcloud.InstanceSpec{Name: "a", Network: must[simcloud.Result[simcloud.Network]](t)(r.cloud.CreateNetwork(
			simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "gone", Role: simcloud.RoleAdmin}),
			simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/16"}})).Resource.ID}))
	must[simcloud.Snapshot](t)(r.cloud.LoadSnapshot(t.Context(), "s"))
	for range 2 {
		caller := must[simcloud.Caller](t)(r.cloud.Authenticate(t.Context(), "a-secret-0123456789-0123456789"))
		if caller.Project != "p" {
			t.Errorf("the caller is %+v", caller)
		}
		var projects []simcloud.ID
		for _, p := range r.state().Projects {
			projects = append(projects, p.ID)
		}
		if diff := cmp.Diff([]simcloud.ID{"default", "p"}, projects); diff != "" {
			t.Errorf("projects (-want +got):\n%s", diff)
		}
		if err := r.cloud.Check(t.Context()); err != nil {
			t.Error(err)
		}
		r.open()
	}
}

// TestSaveWhileOthersWrite: what is saved is one moment, and no caller waits for it.
func TestSaveWhileOthersWrite(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	stop := make(chan struct{})
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r, err := cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
				if err == nil {
					_, err = cloud.DeleteInstance(t.Context(), r.Resource.ID)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for n := range 5 {
		snapshot := save(t, cloud, fmt.Sprintf("s%d", n))
		loaded := openAt(t, copyTo(t, t.TempDir(), "cloud.db", content(t, snapshot.File)), store.Options{}, core.Config{})
		if err := loaded.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	others.Wait()
	must[simcloud.Snapshot](t)(cloud.LoadSnapshot(t.Context(), "s2"))
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSaveIntoNowhere: a snapshot that cannot be written is an error, and leaves nothing.
func TestSaveIntoNowhere(t *testing.T) {
	t.Parallel()
	file := copyTo(t, t.TempDir(), "file", nil)
	cloud := open(t, core.Config{Snapshots: filepath.Join(file, "snapshots")})
	_, err := cloud.SaveSnapshot(t.Context(), simcloud.SnapshotSpec{Name: "s"})
	wantCode(t, "save", err, simcloud.Unavailable)
}
