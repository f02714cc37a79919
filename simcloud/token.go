package simcloud

import (
	"errors"
	"time"
)

// Token lets its holder act for a project.
type Token struct {
	Meta
	Role  Role       `json:"role"`
	State TokenState `json:"state"`
	// Expires is when the token is no longer good, by the cloud's clock; zero: never.
	Expires time.Time `json:"expires,omitzero"`
	// Secret is what the holder sends. It stands in the answers of CreateToken
	// and RotateToken alone: the cloud keeps only a hash of it, and a repeated
	// call with the same idempotency key answers without it.
	Secret string `json:"secret,omitempty"`
}

// TokenState is whether a token is good.
type TokenState string

// The states of a token.
const (
	TokenActive  TokenState = "active"
	TokenExpired TokenState = "expired"
	TokenRevoked TokenState = "revoked"
)

// ErrTokenExpired is the cause of an Unauthenticated error of a caller whose token was good and has come to its end.
// The cloud's own API does not tell that; dialects whose clouds do, can.
var ErrTokenExpired = errors.New("the token has expired")

// TokenSpec describes a token to create.
type TokenSpec struct {
	Name string `json:"name"`
	// Project is the one that the token acts for; empty means the caller's.
	Project ID                `json:"project,omitempty"`
	Role    Role              `json:"role"`
	Labels  map[string]string `json:"labels,omitempty"`
	// Lifetime is how long the token is good; 0 means for ever.
	Lifetime Duration `json:"lifetime,omitempty"`
}

// TokenRotation is how the old secret of a token ends.
type TokenRotation struct {
	// Grace is how long the old secret stays good beside the new one; 0: not at all.
	Grace Duration `json:"grace,omitempty"`
	// Lifetime is how long the token is good from now on; 0 leaves its expiry as it is.
	Lifetime Duration `json:"lifetime,omitempty"`
}
