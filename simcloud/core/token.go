package core

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

type tokenResult = simcloud.Result[simcloud.Token]

// GetToken returns one token, of whichever project.
func (c *Cloud) GetToken(ctx context.Context, id simcloud.ID) (token simcloud.Token, err error) {
	if err := admit(ctx, request{admin: true}); err != nil {
		return token, err
	}
	err = c.view(ctx, func(tx *store.Tx, _ simcloud.Caller) error {
		token, err = store.Tokens.Get(tx, id)
		token = shown(token, c.clock.now())
		return err
	})
	return token, err
}

// active reports whether a token is good at a time.
func active(token simcloud.Token, now time.Time) bool {
	return token.State == simcloud.TokenActive && (token.Expires.IsZero() || now.Before(token.Expires))
}

// shown is a token as it is read. Nothing happens when a token expires: the
// store goes on saying that it is active.
func shown(token simcloud.Token, now time.Time) simcloud.Token {
	if token.State == simcloud.TokenActive && !active(token, now) {
		token.State = simcloud.TokenExpired
	}
	return token
}

// CreateToken makes a token.
func (m mutations) CreateToken(ctx context.Context, spec simcloud.TokenSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Token], error) {
	req := request{verb: "CreateToken", admin: true, spec: spec, opts: simcloud.Options(opts)}
	return withSecret(ctx, m, req, func(t *txn, hash []byte) (r tokenResult, err error) {
		meta, err := newMeta(t, store.Tokens, spec.Name, spec.Labels)
		if err != nil {
			return r, err
		}
		if spec.Project != "" {
			meta.Project = spec.Project
		}
		if !store.Projects.Has(t.tx, meta.Project) {
			return r, invalid(string(simcloud.KindToken), "project", "project %q not found", spec.Project)
		}
		token := simcloud.Token{Meta: meta, Role: spec.Role, State: simcloud.TokenActive, Expires: t.after(spec.Lifetime)}
		return insert(t, store.Tokens, token, func(simcloud.Token) error {
			return t.addSecret(store.SecretRecord{Hash: hash, Token: meta.ID})
		})
	})
}

// after is when a lifetime ends; zero for one that does not.
func (t *txn) after(lifetime simcloud.Duration) (end time.Time) {
	if lifetime > 0 {
		end = t.now.Add(time.Duration(lifetime))
	}
	return end
}

// RotateToken gives a token a new secret.
func (m mutations) RotateToken(
	ctx context.Context, id simcloud.ID, rotation simcloud.TokenRotation, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Token], error) {
	req := request{verb: "RotateToken", admin: true, ids: []simcloud.ID{id}, spec: rotation, opts: simcloud.Options(opts)}
	return withSecret(ctx, m, req, func(t *txn, hash []byte) (r tokenResult, err error) {
		token, err := getForUpdateAnyProject(t, store.Tokens, id)
		if err != nil {
			return r, err
		}
		if token.State == simcloud.TokenRevoked {
			return r, simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindToken, id), "it is revoked, for good: create another one")
		}
		if rotation.Lifetime > 0 {
			end := t.after(rotation.Lifetime)
			if err := t.keepAdmin(token, end); err != nil {
				return r, err
			}
			token.Expires = end
		}
		if err := t.endSecrets(id, rotation.Grace); err != nil {
			return r, err
		}
		if err := t.addSecret(store.SecretRecord{Hash: hash, Token: id}); err != nil {
			return r, err
		}
		if err := store.Tokens.Update(t.tx, t.now, &token); err != nil {
			return r, err
		}
		op, err := t.done(simcloud.KindToken, id)
		return tokenResult{Resource: shown(token, t.now), Operation: op}, err
	})
}

// RevokeToken ends a token. One that is revoked already stays so.
func (m mutations) RevokeToken(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Token], error) {
	req := request{verb: "RevokeToken", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r tokenResult, err error) {
		before, err := getForUpdateAnyProject(t, store.Tokens, id)
		if err != nil {
			return r, err
		}
		if err := t.keepAdmin(before, t.now); err != nil {
			return r, err
		}
		after := before
		after.State = simcloud.TokenRevoked
		return replace(t, store.Tokens, before, after, func(simcloud.Token) error { return t.endSecrets(id, 0) })
	})
}

// DeleteToken ends a token and forgets it.
func (m mutations) DeleteToken(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteToken", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (op simcloud.Operation, err error) {
		token, err := getForUpdateAnyProject(t, store.Tokens, id)
		if err != nil {
			return op, err
		}
		if err := t.keepAdmin(token, t.now); err != nil {
			return op, err
		}
		if err := t.dropToken(id); err != nil {
			return op, err
		}
		return t.done(simcloud.KindToken, id)
	})
}

// keepEnded lets what has ended stay so when time goes back to now: an expired token, and a secret whose grace is over.
func (t *txn) keepEnded(now time.Time) error {
	tokens, err := store.Tokens.All(t.tx)
	if err != nil {
		return err
	}
	t.tx.OnCommit(t.cloud.callers.forget)
	for _, token := range tokens {
		last := func(secret *store.SecretRecord) bool { return secret.Until.IsZero() || t.now.Before(secret.Until) }
		if err := store.KeepSecrets(t.tx, token.ID, last); err != nil {
			return err
		}
		if token.Expires.IsZero() || t.now.Before(token.Expires) || token.Expires.Before(now) {
			continue
		}
		token.Expires = now
		if err := store.Tokens.Update(t.tx, now, &token); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) dropToken(id simcloud.ID) error {
	if err := t.endSecrets(id, 0); err != nil {
		return err
	}
	return store.Tokens.Delete(t.tx, t.now, id)
}

// dropTokens forgets the tokens of a project that goes.
func (t *txn) dropTokens(project simcloud.ID) error {
	tokens, err := store.Tokens.Of(t.tx, project)
	for i := 0; i < len(tokens) && err == nil; i++ {
		err = t.dropToken(tokens[i].ID)
	}
	return err
}

// keepAdmin answers Conflict when a token is to end at a time, and then admins
// would lose the cloud earlier than they do now: it is an active token of an
// admin, and no other one lasts until its present end.
func (t *txn) keepAdmin(token simcloud.Token, end time.Time) error {
	if !activeAdmin(token, t.now) || lasting(end, token.Expires) {
		return nil
	}
	tokens, err := store.Tokens.All(t.tx)
	for _, other := range tokens {
		if other.ID != token.ID && activeAdmin(other, t.now) && lasting(other.Expires, token.Expires) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindToken, token.ID), "%s", lastAdminText(token, end.After(t.now)))
}

// lastAdminText says why the last token of an admin must stay, and what to do.
func lastAdminText(token simcloud.Token, shortened bool) string {
	need, why, instead := "without a lifetime", "", ""
	if !token.Expires.IsZero() {
		need = "that lasts until " + token.Expires.UTC().Format(time.RFC3339)
	}
	if shortened {
		why, instead = "the lifetime ends the token earlier, and ", ", or leave the lifetime out"
	}
	return why + "no other active admin token lasts as long as this one: create an admin token " + need + " first" + instead
}

func activeAdmin(token simcloud.Token, now time.Time) bool {
	return token.Role == simcloud.RoleAdmin && active(token, now)
}

// lasting reports whether what ends at one time lasts until another, of which a zero one never comes.
func lasting(end, until time.Time) bool {
	return end.IsZero() || !until.IsZero() && !end.Before(until)
}
