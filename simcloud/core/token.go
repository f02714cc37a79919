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
			if err := w.keepAdmin(token, end); err != nil {
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
		if err := w.keepAdmin(before, w.now); err != nil {
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
		if err := w.keepAdmin(token, w.now); err != nil {
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

// keepAdmin answers Conflict when a token is to end at a time, and then admins
// would lose the cloud earlier than they do now: it is an active token of an
// admin, and no other one lasts until its present end.
func (w *work) keepAdmin(token simcloud.Token, end time.Time) error {
	if !activeAdmin(token, w.now) || lasting(end, token.Expires) {
		return nil
	}
	tokens, err := store.Tokens.All(w.tx)
	for _, other := range tokens {
		if other.ID != token.ID && activeAdmin(other, w.now) && lasting(other.Expires, token.Expires) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindToken, token.ID), "%s", lastAdminText(token, end.After(w.now)))
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
