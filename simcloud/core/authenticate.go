package core

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Authenticate returns the caller that a token's secret stands for, or
// Unauthenticated: the message does not tell what is wrong with a secret. The
// cause is [simcloud.ErrTokenExpired] when the token has come to its end.
//
// A secret is looked up by one half of its hash, and the other half is
// compared in constant time: what the time of an answer tells leads nowhere.
func (c *Cloud) Authenticate(ctx context.Context, secret string) (simcloud.Caller, error) {
	if err := ctx.Err(); err != nil {
		return simcloud.Caller{}, err
	}
	hash := sha256.Sum256([]byte(secret))
	holder, generation, known := c.callers.find(hash)
	if !known {
		var err error
		if holder, err = c.holderOf(hash[:]); err != nil {
			return simcloud.Caller{}, err
		}
		c.callers.keep(hash, holder, generation)
	}
	return holder.at(c.clock.now())
}

// holder is the caller that a secret stands for, and until when; the zero value is no caller.
type holder struct {
	caller simcloud.Caller
	until  time.Time // zero: for ever
}

// at is the caller at a time.
func (h holder) at(now time.Time) (simcloud.Caller, error) {
	known := h.caller.Token != ""
	if known && (h.until.IsZero() || now.Before(h.until)) {
		return h.caller, nil
	}
	var cause error
	if known {
		cause = simcloud.ErrTokenExpired
	}
	return simcloud.Caller{}, &simcloud.Error{Code: simcloud.Unauthenticated, Message: "the token is unknown, expired or revoked", Err: cause}
}

// holderOf asks the store.
func (c *Cloud) holderOf(hash []byte) (h holder, err error) {
	err = c.db.View(func(tx *store.Tx) error {
		secret, ok, err := store.Secrets.Get(tx, store.SecretKey(hash))
		if err != nil || !ok || subtle.ConstantTimeCompare(secret.Hash, hash) == 0 {
			return err
		}
		token, err := store.Tokens.Get(tx, secret.Token)
		if err != nil || token.State != simcloud.TokenActive {
			return err
		}
		h = holder{simcloud.Caller{Token: token.ID, Project: token.Project, Role: token.Role}, earlier(token.Expires, secret.Until)}
		return nil
	})
	return h, err
}

// earlier returns the earlier of two ends, of which a zero one never comes.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// callers remembers whom secrets stand for until a token changes, so that most
// requests are let in without a read of the store. It knows hashes of secrets
// of existing tokens only: their number has a bound.
type callers struct {
	mu         sync.RWMutex
	known      map[[sha256.Size]byte]holder
	generation uint64 // rises with each change of a token
}

func (c *callers) find(hash [sha256.Size]byte) (h holder, generation uint64, known bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	h, known = c.known[hash]
	return h, c.generation, known
}

// keep remembers what was read from the store, unless a token has changed
// since the generation: then it may be out of date.
func (c *callers) keep(hash [sha256.Size]byte, h holder, generation uint64) {
	if h.caller.Token == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation != generation {
		return
	}
	if c.known == nil {
		c.known = map[[sha256.Size]byte]holder{}
	}
	c.known[hash] = h
}

// forget is called when a change of a token is on disk, before whoever made it knows.
func (c *callers) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = nil
	c.generation++
}
