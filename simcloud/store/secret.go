package store

import (
	"encoding/hex"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// secretKeyBytes is how much of a hash finds a secret. What is left is for the
// caller to compare: a look-up takes a time that depends on the key.
const secretKeyBytes = 16

// SecretKey returns the key of Secrets for a hash.
func SecretKey(hash []byte) string { return hex.EncodeToString(hash[:secretKeyBytes]) }

// AddSecret gives a token one more secret.
func AddSecret(tx *Tx, secret SecretRecord) error {
	key := SecretKey(secret.Hash)
	if err := Secrets.Put(tx, key, secret); err != nil {
		return err
	}
	keys, _, err := TokenSecrets.Get(tx, string(secret.Token))
	if err != nil {
		return err
	}
	return TokenSecrets.Put(tx, string(secret.Token), append(keys, key))
}

// KeepSecrets replaces the secrets of a token by what change makes of them;
// false lets one go.
func KeepSecrets(tx *Tx, token simcloud.ID, change func(*SecretRecord) bool) error {
	keys, _, err := TokenSecrets.Get(tx, string(token))
	if err != nil {
		return err
	}
	kept := []string{}
	for _, key := range keys {
		secret, ok, err := Secrets.Get(tx, key)
		if err != nil {
			return err
		}
		if !ok || !change(&secret) {
			if err := Secrets.Delete(tx, key); err != nil {
				return err
			}
			continue
		}
		kept = append(kept, key)
		if err := Secrets.Put(tx, key, secret); err != nil {
			return err
		}
	}
	if len(kept) == 0 {
		return TokenSecrets.Delete(tx, string(token))
	}
	return TokenSecrets.Put(tx, string(token), kept)
}

// checkSecrets compares the two tables of secrets with each other and with the tokens.
func (tx *Tx) checkSecrets() []error {
	var problems []error
	fail := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	var err error
	listed := map[string]bool{}
	for id, keys := range TokenSecrets.All(tx, &err) {
		if !Tokens.Has(tx, simcloud.ID(id)) {
			fail("%s has secrets and is not there", id)
		}
		for _, key := range keys {
			listed[key] = true
			if secret, ok, err := Secrets.Get(tx, key); err != nil || !ok || string(secret.Token) != id {
				fail("secret %s is not one of %s", key, id)
			}
		}
	}
	if err != nil {
		fail("%w", err)
	}
	for key, secret := range Secrets.All(tx, &err) {
		if !listed[key] || SecretKey(secret.Hash) != key {
			fail("secret %s belongs to no token", key)
		}
	}
	if err != nil {
		fail("%w", err)
	}
	return problems
}
