package core_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	const secret = "a very secret secret"
	path := filepath.Join(t.TempDir(), "cloud.db")
	cloud := openAt(t, path, store.Options{}, core.Config{})
	if has := must[bool](t)(cloud.HasTokens(t.Context())); has {
		t.Error("a new cloud has tokens")
	}
	for _, wrong := range []string{secret, ""} {
		_, err := cloud.Authenticate(t.Context(), wrong)
		wantCode(t, "Authenticate before", err, simcloud.Unauthenticated)
	}
	theirs := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "theirs", Role: simcloud.RoleAdmin})
	id := must[simcloud.ID](t)(cloud.AddToken(theirs, "ci", simcloud.RoleWriter, secret))
	got := must[simcloud.Caller](t)(cloud.Authenticate(t.Context(), secret))
	if want := (simcloud.Caller{Token: id, Project: "theirs", Role: simcloud.RoleWriter}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := cloud.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	must[simcloud.Caller](t)(cloud.Authenticate(t.Context(), secret))
	if has := must[bool](t)(cloud.HasTokens(t.Context())); !has {
		t.Error("no tokens after a reset")
	}
	if raw := must[[]byte](t)(os.ReadFile(path)); bytes.Contains(raw, []byte(secret)) {
		t.Error("the secret stands in the file")
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAddTokenErrors(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	_, err := cloud.AddToken(t.Context(), "a", "king", "s")
	wantCode(t, "unknown role", err, simcloud.Invalid)
	_, err = cloud.AddToken(t.Context(), "a", simcloud.RoleReader, "")
	wantCode(t, "no secret", err, simcloud.Invalid)
	must[simcloud.ID](t)(cloud.AddToken(t.Context(), "a", simcloud.RoleReader, "s"))
	_, err = cloud.AddToken(t.Context(), "b", simcloud.RoleAdmin, "s")
	wantCode(t, "secret of another token", err, simcloud.AlreadyExists)
	_, err = cloud.AddToken(asRole(t.Context(), simcloud.RoleWriter), "c", simcloud.RoleAdmin, "x")
	wantCode(t, "as a writer", err, simcloud.Forbidden)
}
