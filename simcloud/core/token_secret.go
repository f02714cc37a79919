package core

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// NewSecret returns 32 random bytes as text. They do not come from the cloud's
// seed, which is no secret.
func NewSecret() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}

// hashOf is what the cloud keeps of a secret. A secret is random and long, so
// it cannot be guessed: it needs no slow hash.
func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// withSecret is mutate for what gives a token a secret. It puts the secret
// into the answer after that has been kept for the call's idempotency key, and
// only when the call was not answered before.
func withSecret(ctx context.Context, m mutations, req request, fn func(t *txn, hash []byte) (tokenResult, error)) (tokenResult, error) {
	secret, fresh := NewSecret(), false
	r, err := mutate(ctx, m, req, func(t *txn) (tokenResult, error) {
		fresh = true
		return fn(t, hashOf(secret))
	})
	if err == nil && fresh {
		r.Resource.Secret = secret
	}
	return r, err
}

// addSecret gives a token one more secret.
func (t *txn) addSecret(secret store.SecretRecord) error {
	t.tx.OnCommit(t.cloud.callers.forget)
	return store.AddSecret(t.tx, secret)
}

// endSecrets ends the secrets that a token has, once grace is over.
func (t *txn) endSecrets(token simcloud.ID, grace simcloud.Duration) error {
	t.tx.OnCommit(t.cloud.callers.forget)
	end := t.now.Add(time.Duration(grace))
	return store.KeepSecrets(t.tx, token, func(secret *store.SecretRecord) bool {
		if secret.Until.IsZero() || end.Before(secret.Until) {
			secret.Until = end
		}
		return t.now.Before(secret.Until)
	})
}

// AddToken makes a token with a given secret for the caller's project and
// returns its id. It is for the creator of a cloud, which has no token yet.
// AlreadyExists: the secret is another token's.
func (m mutations) AddToken(ctx context.Context, name string, role simcloud.Role, secret string) (simcloud.ID, error) {
	if secret == "" {
		return "", invalid(string(simcloud.KindToken), "secret", "is empty")
	}
	spec := simcloud.TokenSpec{Name: name, Role: role}
	var id simcloud.ID
	err := m.update(ctx, request{verb: "AddToken", admin: true, spec: spec}, func(t *txn) error {
		hash := hashOf(secret)
		if _, taken, err := store.Secrets.Get(t.tx, store.SecretKey(hash)); err != nil {
			return err
		} else if taken {
			return simcloud.Errorf(simcloud.AlreadyExists, string(simcloud.KindToken), "the secret is that of another token")
		}
		meta, err := newMeta(t, store.Tokens, name, nil)
		if err != nil {
			return err
		}
		id = meta.ID
		if err := store.Tokens.Insert(t.tx, t.now, &simcloud.Token{Meta: meta, Role: role, State: simcloud.TokenActive}); err != nil {
			return err
		}
		return t.addSecret(store.SecretRecord{Hash: hash, Token: id})
	})
	return id, err
}

// HasTokens reports whether the cloud has a token.
func (c *Cloud) HasTokens(ctx context.Context) (has bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	err = c.db.View(func(tx *store.Tx) error {
		_, has, err = store.Tokens.First(tx, store.Query{})
		return err
	})
	return has, err
}
