package main

import (
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
)

// signingKey is the variable with the key of -sign: an Ed25519 key in PEM, as "openssl genpkey -algorithm ed25519" writes it.
const signingKey = "SIMCLOUD_RELEASE_KEY"

// readKey reads the key of -sign.
func readKey(text string) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, fmt.Errorf("-sign: %s is no key in PEM: must be what \"openssl genpkey -algorithm ed25519\" writes", signingKey)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("-sign: %s: %w", signingKey, err)
	}
	key, is := parsed.(ed25519.PrivateKey)
	if !is {
		return nil, fmt.Errorf("-sign: %s is a key of the type %T: must be Ed25519", signingKey, parsed)
	}
	return key, nil
}

// sign writes the signature of a file beside it, and returns its path. "openssl pkeyutl -verify -rawin" checks it.
func sign(key ed25519.PrivateKey, path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	signature, err := key.Sign(nil, raw, crypto.Hash(0))
	if err != nil {
		return "", err
	}
	return path + ".sig", os.WriteFile(path+".sig", signature, 0o644)
}
