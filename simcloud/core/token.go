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
	if err := admit(ctx, call{admin: true}); err != nil {
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
func (c *Cloud) CreateToken(ctx context.Context, spec simcloud.TokenSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Token], error) {
	call := call{verb: "CreateToken", admin: true, spec: spec, opts: simcloud.Options(opts)}
	return withSecret(ctx, c, call, func(w *work, hash []byte) (r tokenResult, err error) {
		meta, err := create(w, store.Tokens, spec.Name, spec.Labels)
		if err != nil {
			return r, err
		}
		if spec.Project != "" {
			meta.Project = spec.Project
		}
		if !store.Projects.Has(w.tx, meta.Project) {
			return r, invalid(string(simcloud.KindToken), "project", "there is no project %q", spec.Project)
		}
		token := simcloud.Token{Meta: meta, Role: spec.Role, State: simcloud.TokenActive, Expires: w.after(spec.Lifetime)}
		return insert(w, store.Tokens, token, func(simcloud.Token) error {
			return w.addSecret(store.SecretRecord{Hash: hash, Token: meta.ID})
		})
	})
}

// after is when a lifetime ends; zero for one that does not.
func (w *work) after(lifetime simcloud.Duration) (end time.Time) {
	if lifetime > 0 {
		end = w.now.Add(time.Duration(lifetime))
	}
	return end
}

// RotateToken gives a token a new secret.
func (c *Cloud) RotateToken(
	ctx context.Context, id simcloud.ID, rotation simcloud.TokenRotation, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Token], error) {
	call := call{verb: "RotateToken", admin: true, ids: []simcloud.ID{id}, spec: rotation, opts: simcloud.Options(opts)}
	return withSecret(ctx, c, call, func(w *work, hash []byte) (r tokenResult, err error) {
		token, err := takeAny(w, store.Tokens, id)
		if err != nil {
			return r, err
		}
		if token.State == simcloud.TokenRevoked {
			return r, simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindToken, id), "it is revoked, for good: create another one")
		}
		if rotation.Lifetime > 0 {
			end := w.after(rotation.Lifetime)
			if err := w.notLastAdminUntil(token, end); err != nil {
				return r, err
			}
			token.Expires = end
		}
		if err := w.endSecrets(id, rotation.Grace); err != nil {
			return r, err
		}
		if err := w.addSecret(store.SecretRecord{Hash: hash, Token: id}); err != nil {
			return r, err
		}
		if err := store.Tokens.Update(w.tx, w.now, &token); err != nil {
			return r, err
		}
		op, err := w.done(simcloud.KindToken, id)
		return tokenResult{Resource: shown(token, w.now), Operation: op}, err
	})
}

// RevokeToken ends a token. One that is revoked already stays so.
func (c *Cloud) RevokeToken(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Token], error) {
	call := call{verb: "RevokeToken", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (r tokenResult, err error) {
		before, err := takeAny(w, store.Tokens, id)
		if err != nil {
			return r, err
		}
		if err := w.notLastAdmin(before); err != nil {
			return r, err
		}
		after := before
		after.State = simcloud.TokenRevoked
		return replace(w, store.Tokens, before, after, func(simcloud.Token) error { return w.endSecrets(id, 0) })
	})
}

// DeleteToken ends a token and forgets it.
func (c *Cloud) DeleteToken(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	call := call{verb: "DeleteToken", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, c, call, func(w *work) (op simcloud.Operation, err error) {
		token, err := takeAny(w, store.Tokens, id)
		if err != nil {
			return op, err
		}
		if err := w.notLastAdmin(token); err != nil {
			return op, err
		}
		if err := w.dropToken(id); err != nil {
			return op, err
		}
		return w.done(simcloud.KindToken, id)
	})
}

func (w *work) dropToken(id simcloud.ID) error {
	if err := w.endSecrets(id, 0); err != nil {
		return err
	}
	return store.Tokens.Delete(w.tx, w.now, id)
}

// dropTokens forgets the tokens of a project that goes.
func (w *work) dropTokens(project simcloud.ID) error {
	tokens, err := store.Tokens.Of(w.tx, project)
	for i := 0; i < len(tokens) && err == nil; i++ {
		err = w.dropToken(tokens[i].ID)
	}
	return err
}

// notLastAdmin answers Conflict when nobody could act as an admin without the token.
func (w *work) notLastAdmin(token simcloud.Token) error {
	return w.otherAdmin(token, func(simcloud.Token) bool { return true },
		"it is the last active token of an admin: create another one first")
}

// notLastAdminUntil answers Conflict when a new end of the token comes before
// its present one, and no other admin's token lasts as long as that.
func (w *work) notLastAdminUntil(token simcloud.Token, end time.Time) error {
	lasts := func(t simcloud.Token) bool { return lasting(t.Expires, token.Expires) }
	if lasting(end, token.Expires) {
		return nil
	}
	return w.otherAdmin(token, lasts,
		"with this lifetime no token of an admin would last as long as it does now: create another one first, or give no lifetime")
}

// lasting reports whether what ends at one time lasts until another, of which a zero one never comes.
func lasting(end, until time.Time) bool {
	return end.IsZero() || !until.IsZero() && !end.Before(until)
}

// otherAdmin answers Conflict when the token is an active one of an admin, and no other that fits is.
func (w *work) otherAdmin(token simcloud.Token, fits func(simcloud.Token) bool, message string) error {
	admin := func(t simcloud.Token) bool { return t.Role == simcloud.RoleAdmin && active(t, w.now) }
	if !admin(token) {
		return nil
	}
	tokens, err := store.Tokens.All(w.tx)
	if err != nil {
		return err
	}
	for _, other := range tokens {
		if other.ID != token.ID && admin(other) && fits(other) {
			return nil
		}
	}
	return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindToken, token.ID), "%s", message)
}
