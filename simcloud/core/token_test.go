package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
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

// TestSecretsEnd: a secret is good as long as its token, and no message tells
// one that was good from one that never was; the cause does, of one that has expired. What is remembered of tokens ends with them.
func TestSecretsEnd(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	cloud := open(t, core.Config{Clock: clock})
	ctx := t.Context()
	sent := func(err error) string { // what a client of the cloud's own API sees
		var e *simcloud.Error
		if !errors.As(err, &e) {
			return err.Error()
		}
		return string(e.Code) + e.Message + e.Resource
	}
	good := func(what, secret string, want bool) {
		t.Helper()
		for range 2 { // the second time it is remembered
			_, err := cloud.Authenticate(ctx, secret)
			_, unknown := cloud.Authenticate(ctx, "unknown")
			switch {
			case want && err != nil:
				t.Errorf("%s: %v", what, err)
			case !want && (err == nil || sent(err) != sent(unknown)):
				t.Errorf("%s: got %v, want %v", what, err, unknown)
			}
		}
	}
	expired := func(what, secret string, want bool) {
		t.Helper()
		if _, err := cloud.Authenticate(ctx, secret); errors.Is(err, simcloud.ErrTokenExpired) != want {
			t.Errorf("%s: got %v, want expired %t", what, err, want)
		}
	}
	spec := simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader, Lifetime: simcloud.Duration(time.Hour)}
	first := must[tokenResult](t)(cloud.CreateToken(ctx, spec)).Resource
	good("a new one", first.Secret, true)
	clock.creep(time.Hour - 1)
	good("just before it expires", first.Secret, true)
	clock.creep(1)
	good("an expired one", first.Secret, false)
	expired("an expired one", first.Secret, true)
	expired("one that never was", "unknown", false)

	rotated := must[tokenResult](t)(cloud.RotateToken(ctx, first.ID,
		simcloud.TokenRotation{Grace: simcloud.Duration(time.Minute), Lifetime: simcloud.Duration(time.Hour)})).Resource
	good("the new one", rotated.Secret, true)
	good("the old one within its grace", first.Secret, true)
	clock.creep(time.Minute)
	good("the old one after its grace", first.Secret, false)
	expired("the old one after its grace", first.Secret, true)
	good("the new one then", rotated.Secret, true)

	again := must[tokenResult](t)(cloud.RotateToken(ctx, first.ID, simcloud.TokenRotation{})).Resource
	good("one that was rotated without grace", rotated.Secret, false)
	must[tokenResult](t)(cloud.RevokeToken(ctx, first.ID))
	good("a revoked one", again.Secret, false)
	expired("a revoked one", again.Secret, false)

	deleted := must[tokenResult](t)(cloud.CreateToken(ctx, spec)).Resource
	good("before its deletion", deleted.Secret, true)
	must[simcloud.Operation](t)(cloud.DeleteToken(ctx, deleted.ID))
	good("a deleted one", deleted.Secret, false)
	if err := cloud.Check(ctx); err != nil {
		t.Error(err)
	}
}

// TestEndedTokensStayEnded: a reset that lets time go back makes no token good again, nor a secret whose grace was over.
func TestEndedTokensStayEnded(t *testing.T) {
	t.Parallel()
	ctx, cloud := t.Context(), open(t, core.Config{Clock: newFakeClock()})
	must[simcloud.ClockStatus](t)(cloud.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	spec := simcloud.TokenSpec{Name: "short", Role: simcloud.RoleReader, Lifetime: simcloud.Duration(time.Hour)}
	short := must[tokenResult](t)(cloud.CreateToken(ctx, spec)).Resource
	spec.Name, spec.Lifetime = "long", simcloud.Duration(3*time.Hour)
	old := must[tokenResult](t)(cloud.CreateToken(ctx, spec)).Resource
	long := must[tokenResult](t)(cloud.RotateToken(ctx, old.ID, simcloud.TokenRotation{Grace: simcloud.Duration(time.Hour)})).Resource
	must[simcloud.ClockAdvance](t)(cloud.AdvanceClock(ctx, simcloud.Duration(2*time.Hour)))
	must[simcloud.ClockStatus](t)(cloud.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockReal}))
	if err := cloud.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	if offset := must[simcloud.ClockStatus](t)(cloud.GetClock(ctx)).Offset; offset != 0 {
		t.Fatalf("the clock is %s ahead after the reset", offset)
	}
	for what, secret := range map[string]string{"an expired token": short.Secret, "a secret after its grace": old.Secret} {
		_, err := cloud.Authenticate(ctx, secret)
		wantCode(t, what, err, simcloud.Unauthenticated)
	}
	must[simcloud.Caller](t)(cloud.Authenticate(ctx, long.Secret))
	if err := cloud.Check(ctx); err != nil {
		t.Error(err)
	}
}

// endToken are the calls that end a token, at once or earlier than it would have ended.
var endToken = map[string]func(ctx context.Context, cloud *core.Cloud, id simcloud.ID) error{
	"revoke": func(ctx context.Context, cloud *core.Cloud, id simcloud.ID) error {
		_, err := cloud.RevokeToken(ctx, id)
		return err
	},
	"delete": func(ctx context.Context, cloud *core.Cloud, id simcloud.ID) error {
		_, err := cloud.DeleteToken(ctx, id)
		return err
	},
	"rotate": func(ctx context.Context, cloud *core.Cloud, id simcloud.ID) error {
		_, err := cloud.RotateToken(ctx, id, simcloud.TokenRotation{Lifetime: simcloud.Duration(time.Minute)})
		return err
	},
	"rotate with a grace": func(ctx context.Context, cloud *core.Cloud, id simcloud.ID) error {
		rotation := simcloud.TokenRotation{Lifetime: simcloud.Duration(time.Minute), Grace: simcloud.Duration(24 * time.Hour)}
		_, err := cloud.RotateToken(ctx, id, rotation)
		return err
	},
}

// TestAdminAccessLasts: no call ends the access of admins earlier than it
// would have ended. Only another token of an admin that lasts as long allows it.
func TestAdminAccessLasts(t *testing.T) {
	t.Parallel()
	const never, hour = simcloud.Duration(0), simcloud.Duration(time.Hour)
	for _, c := range []struct {
		lifetime simcloud.Duration
		role     simcloud.Role
		other    simcloud.Duration
		allowed  bool
		first    string // what the refusal asks for
	}{
		{never, simcloud.RoleAdmin, never, true, ""},
		{never, simcloud.RoleAdmin, hour, false, "create an admin token without a lifetime first"},
		{never, simcloud.RoleWriter, never, false, "create an admin token without a lifetime first"},
		{hour, simcloud.RoleAdmin, never, true, ""},
		{hour, simcloud.RoleAdmin, hour, true, ""},
		{hour, simcloud.RoleAdmin, hour - 1, false, "create an admin token that lasts until 2026-01-02T04:04:05Z first"},
		{hour, simcloud.RoleWriter, never, false, "create an admin token that lasts until 2026-01-02T04:04:05Z first"},
	} {
		for name, end := range endToken {
			t.Run(fmt.Sprintf("%s %v beside %s %v", name, c.lifetime, c.role, c.other), func(t *testing.T) {
				t.Parallel()
				ctx, cloud := t.Context(), open(t, core.Config{Clock: newFakeClock()})
				must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(ctx, simcloud.ProjectSpec{Name: "p"}))
				token := must[tokenResult](t)(cloud.CreateToken(ctx,
					simcloud.TokenSpec{Name: "t", Project: "p", Role: simcloud.RoleAdmin, Lifetime: c.lifetime})).Resource
				must[tokenResult](t)(cloud.CreateToken(ctx, simcloud.TokenSpec{Name: "other", Role: c.role, Lifetime: c.other}))
				_, err := cloud.DeleteProject(ctx, "p")
				wantCode(t, "delete its project", err, simcloud.InUse)
				if err = end(ctx, cloud, token.ID); c.allowed {
					wantCode(t, name, err, "")
					return
				}
				wantCode(t, name, err, simcloud.Conflict)
				if err == nil || !strings.Contains(err.Error(), c.first) {
					t.Errorf("got %v, want it to say %q", err, c.first)
				}
				must[simcloud.Caller](t)(cloud.Authenticate(ctx, token.Secret))
			})
		}
	}
}

// TestRotateLastAdmin: the new secret of the last admin's token lasts as long
// as the token does, with and without a grace for the old one.
func TestRotateLastAdmin(t *testing.T) {
	t.Parallel()
	for _, grace := range []time.Duration{0, time.Minute, 24 * time.Hour} {
		clock := newFakeClock()
		ctx, cloud := t.Context(), open(t, core.Config{Clock: clock})
		spec := simcloud.TokenSpec{Name: "t", Role: simcloud.RoleAdmin, Lifetime: simcloud.Duration(time.Hour)}
		token := must[tokenResult](t)(cloud.CreateToken(ctx, spec)).Resource
		after := must[tokenResult](t)(cloud.RotateToken(ctx, token.ID, simcloud.TokenRotation{Grace: simcloud.Duration(grace)})).Resource
		if after.Expires != token.Expires {
			t.Errorf("grace %v: it expires at %v, want %v", grace, after.Expires, token.Expires)
		}
		clock.creep(time.Hour - 1)
		must[simcloud.Caller](t)(cloud.Authenticate(ctx, after.Secret))
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
