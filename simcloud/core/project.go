package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Authenticate returns the caller that a token's secret stands for, or Unauthenticated.
//
// The secret's hash is the key that is looked up: what the time of a look-up
// tells is about hashes, of which nobody can choose the secret.
func (c *Cloud) Authenticate(ctx context.Context, secret string) (simcloud.Caller, error) {
	var caller simcloud.Caller
	if err := ctx.Err(); err != nil {
		return caller, err
	}
	err := c.db.View(func(tx *store.Tx) error {
		token, ok, err := store.Tokens.Get(tx, secretHash(secret))
		if err == nil && !ok {
			err = simcloud.Errorf(simcloud.Unauthenticated, "", "there is no such token")
		}
		caller = simcloud.Caller{Token: token.ID, Project: token.Project, Role: token.Role}
		return err
	})
	if err != nil {
		return simcloud.Caller{}, err
	}
	return caller, nil
}

func secretHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// AddToken makes a token with a given secret for the caller's project and returns its id. Only
// a hash of the secret is kept. AlreadyExists: the secret is another token's.
func (c *Cloud) AddToken(ctx context.Context, name string, role simcloud.Role, secret string) (simcloud.ID, error) {
	if err := checkToken(role, secret); err != nil {
		return "", err
	}
	var id simcloud.ID
	err := c.update(ctx, call{verb: "AddToken", admin: true}, func(w *work) error {
		if err := w.ensureProject(); err != nil {
			return err
		}
		key := secretHash(secret)
		if _, taken, err := store.Tokens.Get(w.tx, key); err != nil || taken {
			return errors.Join(err, simcloud.Errorf(simcloud.AlreadyExists, "token", "the secret is that of another token"))
		}
		n, err := store.TokenCounter.Next(w.tx)
		if err != nil {
			return err
		}
		id = simcloud.ID(fmt.Sprintf("tok-%d", n))
		return store.Tokens.Put(w.tx, key, store.TokenRecord{
			ID: id, Name: name, Project: w.caller.Project, Role: role, Created: w.now,
		})
	})
	return id, err
}

func checkToken(role simcloud.Role, secret string) error {
	switch {
	case role != simcloud.RoleAdmin && role != simcloud.RoleWriter && role != simcloud.RoleReader:
		return invalid("token", "role", "%q is not one of reader, writer, admin", role)
	case secret == "":
		return invalid("token", "secret", "is empty")
	default:
		return nil
	}
}

// HasTokens reports whether anybody has a token.
func (c *Cloud) HasTokens(ctx context.Context) (bool, error) {
	var has bool
	if err := ctx.Err(); err != nil {
		return false, err
	}
	err := c.db.View(func(tx *store.Tx) error {
		var err error
		_, _, has, err = store.Tokens.First(tx, "")
		return err
	})
	return has, err
}

// ensureProject makes the caller's project when its first resource is made.
// There is no operation for it: over the network callers have tokens, and a
// token makes its project.
func (w *work) ensureProject() error {
	id := w.caller.Project
	switch {
	case store.Projects.Has(w.tx, id):
		return nil
	case id == "":
		return simcloud.Errorf(simcloud.Forbidden, "", "the caller has no project")
	}
	return store.Projects.Insert(w.tx, w.now, &simcloud.Project{Meta: simcloud.Meta{ID: id, Name: string(id), Project: id}})
}
