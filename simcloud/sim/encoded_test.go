package sim

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// asStored counts the reads that a cloud answers with the JSON that it has stored.
type asStored struct {
	*core.Cloud
	answered int
}

func (c *asStored) GetEncoded(ctx context.Context, kind simcloud.Kind, id simcloud.ID) (simcloud.EncodedResource, bool, error) {
	r, ok, err := c.Cloud.GetEncoded(ctx, kind, id)
	if ok {
		c.answered++
	}
	return r, ok, err
}

// TestGetAsStored: a read of one resource has the same answer, and the same
// entry in the journal, when the server sends the JSON that is stored as when it
// makes that of the resource.
func TestGetAsStored(t *testing.T) {
	t.Parallel()
	cloud, err := Open(t.Context(), Config{Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	if _, err := cloud.Core().CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node", UserData: "<a> & b"}); err != nil {
		t.Fatal(err)
	}
	stranger := strangersToken(t, cloud.Core())
	stored := &asStored{Cloud: cloud.Core()}
	storedHandler, storedCalls := handlerOf(cloud.Core(), stored)
	madeHandler, madeCalls := handlerOf(cloud.Core(), struct{ simcloud.API }{cloud.Core()})
	for _, token := range []string{cloud.Token(), stranger, "unknown"} {
		for _, path := range []string{
			"/v1/instances/i-1", "/v1/instances/i-2", "/v1/instances/i-1?x=1", "/v1/instances/%69-1", "/v1/instances/i%2F1", "/v1/instances/%00",
			"/v1/instances/I-1", "/v1/zones/zone-a", "/v1/operations/op-1", "/v1/operations/op-1/wait", "/v1/operations/op-77/wait",
			"/v1/projects/default", "/v1/tokens/tok-1", "/v1/quotas/default.instance", "/v1/zones/zone-a%20",
		} {
			got, want := answerTo(storedHandler, path, token), answerTo(madeHandler, path, token)
			if got.Code != want.Code || got.Body.String() != want.Body.String() {
				t.Errorf("%s is answered %d %s, want %d %s", path, got.Code, got.Body, want.Code, want.Body)
			}
			if diff := cmp.Diff(want.Header(), got.Header()); diff != "" {
				t.Errorf("the header of %s (-made +stored):\n%s", path, diff)
			}
		}
	}
	if stored.answered < 10 {
		t.Errorf("%d reads were answered with what is stored", stored.answered)
	}
	timeless := cmpopts.IgnoreTypes(time.Time{}, time.Duration(0), simcloud.Duration(0))
	if diff := cmp.Diff(entries(t, madeCalls), entries(t, storedCalls), timeless); diff != "" {
		t.Errorf("the journal (-made +stored):\n%s", diff)
	}
}

// strangersToken is the secret of a token of another project.
func strangersToken(t *testing.T, cloud *core.Cloud) string {
	t.Helper()
	if _, err := cloud.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "strangers"}); err != nil {
		t.Fatal(err)
	}
	made, err := cloud.CreateToken(t.Context(), simcloud.TokenSpec{Name: "t", Project: "strangers", Role: simcloud.RoleReader})
	if err != nil {
		t.Fatal(err)
	}
	return made.Resource.Secret
}

// handlerOf answers for a cloud by an API of its own, and notes its calls.
func handlerOf(cloud *core.Cloud, api simcloud.API) (http.Handler, *journal.Journal) {
	calls := journal.New(0, time.Now)
	return server.New(server.Config{API: api, Control: cloud, Config: edge.Config{Journal: calls, Auth: cloud}}), calls
}

func answerTo(handler http.Handler, path, token string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Simcloud-Request-Id", "r")
	handler.ServeHTTP(w, r)
	return w
}

func entries(t *testing.T, calls *journal.Journal) []simcloud.JournalEntry {
	t.Helper()
	noted, err := calls.ListJournal(t.Context(), simcloud.JournalFilter{})
	if err != nil || len(noted) == 0 {
		t.Fatalf("%d calls were noted, %v", len(noted), err)
	}
	return noted
}
