package sim

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// admin is the token that a cloud begins with.
type admin struct {
	secret  string // empty when the cloud does not know it: it keeps a hash
	created bool   // by this start
}

// ensureAdmin finds the admin's token, and makes it in a cloud that has none.
// The file is written before the cloud learns the token: a crash in between
// leaves a secret that the next start takes up, never one that nobody knows.
func ensureAdmin(ctx context.Context, cloud *core.Cloud, cfg Config) (admin, error) {
	secret, err := givenSecret(cfg)
	if err != nil {
		return admin{}, err
	}
	known, err := isAdmin(ctx, cloud, secret)
	if err != nil {
		return admin{}, err
	}
	if secret == "" {
		has, err := cloud.HasTokens(ctx)
		if err != nil || has && cfg.TokenFile == "" {
			return admin{}, err
		}
		secret = newSecret()
	}
	if err := keepSecret(cfg.TokenFile, secret); err != nil || known {
		return admin{secret: secret}, err
	}
	_, err = cloud.CreateToken(ctx, "admin", simcloud.RoleAdmin, secret)
	return admin{secret: secret, created: true}, err
}

// givenSecret is the secret that the configuration or the token file says; empty for none.
func givenSecret(cfg Config) (string, error) {
	if cfg.Token != "" || cfg.TokenFile == "" {
		return cfg.Token, nil
	}
	raw, err := os.ReadFile(cfg.TokenFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", tokenFileError(cfg.TokenFile, err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// isAdmin reports whether the cloud knows the secret as an admin's.
func isAdmin(ctx context.Context, cloud *core.Cloud, secret string) (bool, error) {
	if secret == "" {
		return false, nil
	}
	caller, err := cloud.Authenticate(ctx, secret)
	switch {
	case errors.Is(err, simcloud.Unauthenticated):
		return false, nil
	case err == nil && caller.Role != simcloud.RoleAdmin:
		return false, simcloud.InvalidFields("token", []simcloud.FieldError{
			{Field: "token", Detail: "is that of a " + string(caller.Role) + ": an admin's is needed"},
		})
	}
	return err == nil, err
}

// newSecret returns 32 random bytes as text.
func newSecret() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}

// keepSecret makes a file hold the secret, at once and for its owner alone.
func keepSecret(path, secret string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o077 == 0 {
		if raw, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(raw)) == secret {
			return nil
		}
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".token-*") // mode 0600
	if err != nil {
		return tokenFileError(path, err)
	}
	_, err = file.WriteString(secret + "\n")
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(tokenFileError(path, err), os.Remove(file.Name()))
	}
	return nil
}

func tokenFileError(path string, err error) error {
	return simcloud.Errorf(simcloud.Unavailable, "", "cannot use the token file %s: %w", path, err)
}
