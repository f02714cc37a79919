package core_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

type tokenResult = simcloud.Result[simcloud.Token]

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

// TestSecretsEnd: a secret is good as long as its token, and no answer tells
// one that was good from one that never was. What is remembered of tokens ends with them.
func TestSecretsEnd(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	cloud := open(t, core.Config{Clock: clock})
	ctx := t.Context()
	good := func(what, secret string, want bool) {
		t.Helper()
		for range 2 { // the second time it is remembered
			_, err := cloud.Authenticate(ctx, secret)
			_, unknown := cloud.Authenticate(ctx, "nobody's")
			switch {
			case want && err != nil:
				t.Errorf("%s: %v", what, err)
			case !want && (err == nil || err.Error() != unknown.Error()):
				t.Errorf("%s: got %v, want %v", what, err, unknown)
			}
		}
	}
	spec := simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader, Lifetime: simcloud.Duration(time.Hour)}
	first := must[tokenResult](t)(cloud.CreateToken(ctx, spec)).Resource
	good("a new one", first.Secret, true)
	clock.creep(time.Hour - 1)
	good("just before it expires", first.Secret, true)
	clock.creep(1)
	good("an expired one", first.Secret, false)

	rotated := must[tokenResult](t)(cloud.RotateToken(ctx, first.ID,
		simcloud.TokenRotation{Grace: simcloud.Duration(time.Minute), Lifetime: simcloud.Duration(time.Hour)})).Resource
	good("the new one", rotated.Secret, true)
	good("the old one within its grace", first.Secret, true)
	clock.creep(time.Minute)
	good("the old one after its grace", first.Secret, false)
	good("the new one then", rotated.Secret, true)

	again := must[tokenResult](t)(cloud.RotateToken(ctx, first.ID, simcloud.TokenRotation{})).Resource
	good("one that was rotated without grace", rotated.Secret, false)
	must[tokenResult](t)(cloud.RevokeToken(ctx, first.ID))
	good("a revoked one", again.Secret, false)

	deleted := must[tokenResult](t)(cloud.CreateToken(ctx, spec)).Resource
	good("before its deletion", deleted.Secret, true)
	must[simcloud.Operation](t)(cloud.DeleteToken(ctx, deleted.ID))
	good("a deleted one", deleted.Secret, false)
	if err := cloud.Check(ctx); err != nil {
		t.Error(err)
	}
}

// TestSecretsStayHidden: a secret stands in the answer that gives it, and nowhere else.
func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	path := filepath.Join(t.TempDir(), "cloud.db")
	cloud := openAt(t, path, store.Options{}, core.Config{Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	ctx := t.Context()
	key := simcloud.IdempotencyKey("key")
	made := must[tokenResult](t)(cloud.CreateToken(ctx, simcloud.TokenSpec{Name: "t", Role: simcloud.RoleAdmin}, key)).Resource
	rotated := must[tokenResult](t)(cloud.RotateToken(ctx, made.ID, simcloud.TokenRotation{Grace: simcloud.Duration(time.Hour)},
		simcloud.IdempotencyKey("rotate"))).Resource
	must[simcloud.ID](t)(cloud.AddToken(ctx, "given", simcloud.RoleReader, "a-given-secret-0123456789"))
	must[simcloud.Caller](t)(cloud.Authenticate(ctx, rotated.Secret))

	snapshot := must[simcloud.Snapshot](t)(cloud.SaveSnapshot(ctx, simcloud.SnapshotSpec{Name: "s"}))
	state := must[simcloud.State](t)(cloud.GetState(ctx))
	places := map[string][]byte{
		"the state":    must[[]byte](t)(json.Marshal(state)),
		"the list":     must[[]byte](t)(json.Marshal(must[simcloud.Page[simcloud.Token]](t)(cloud.ListTokens(ctx, simcloud.ListOptions{})))),
		"the answer":   must[[]byte](t)(json.Marshal(must[tokenResult](t)(cloud.CreateToken(ctx, simcloud.TokenSpec{Name: "t", Role: simcloud.RoleAdmin}, key)))),
		"the file":     must[[]byte](t)(os.ReadFile(path)),
		"the snapshot": must[[]byte](t)(os.ReadFile(snapshot.File)),
	}
	for event, err := range cloud.WatchEvents(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		places["the events"] = append(places["the events"], must[[]byte](t)(json.Marshal(event))...)
		if event.Revision == state.Revision {
			break
		}
	}
	places["the log"] = log.Bytes()
	for where, raw := range places {
		for _, secret := range []string{made.Secret, rotated.Secret, "a-given-secret-0123456789"} {
			if bytes.Contains(raw, []byte(secret)) {
				t.Errorf("a secret stands in %s", where)
			}
		}
	}
	if !bytes.Contains(places["the events"], []byte(`"kind":"token"`)) || !bytes.Contains(places["the file"], []byte(made.ID)) {
		t.Error("nothing tells of the token, and so the search says nothing")
	}
	if bytes.Contains(places["the snapshot"], []byte(`"role":"admin"`)) {
		t.Error("a token stands in the snapshot")
	}
}
