package sim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/durable"
)

// admin is the token that a cloud begins with.
type admin struct {
	secret  string // empty when the cloud does not know it: it keeps a hash
	created bool   // by this start
}

// ensureAdmin finds the admin's token, and makes it in a cloud that has none,
// or when the token file is not there (any more). The file is written before
// the cloud learns the token: a crash in between leaves a secret that the next
// start takes up, never a token that no one knows.
func ensureAdmin(ctx context.Context, cloud *core.Cloud, cfg Config, secret string) (admin, error) {
	known, err := isAdmin(ctx, cloud, secret)
	if err != nil {
		return admin{}, err
	}
	has, err := cloud.HasTokens(ctx)
	switch {
	case err != nil || secret == "" && has && cfg.TokenFile == "":
		return admin{}, err
	case secret == "":
		secret = core.NewSecret()
	case has && !known:
		return admin{}, strangeSecret(cfg)
	}
	if err := keepSecret(cfg.TokenFile, secret); err != nil || known {
		return admin{secret: secret}, err
	}
	_, err = cloud.AddToken(ctx, "admin", simcloud.RoleAdmin, secret)
	return admin{secret: secret, created: true}, err
}

// strangeSecret says that a secret is not one of this cloud's. To let it in
// would make whoever can name a file an admin.
func strangeSecret(cfg Config) error {
	if cfg.Token != "" {
		return simcloud.Errorf(simcloud.Unauthenticated, "", "the cloud in %s does not know the given token: give one of its own", cfg.Data)
	}
	return simcloud.Errorf(simcloud.Unauthenticated, "", "the cloud in %s does not know the token in the token file %s: "+
		"name the file that belongs to it, or one that does not exist yet to have a new admin's token made", cfg.Data, cfg.TokenFile)
}

// givenSecret is the secret that the configuration or the token file says; empty for none.
func givenSecret(cfg Config) (string, error) {
	if cfg.TokenFile != "" {
		if _, err := os.Stat(filepath.Dir(cfg.TokenFile)); err != nil {
			return "", simcloud.Errorf(simcloud.Unavailable, "", "cannot use the token file %s: create its folder %s first: %w",
				cfg.TokenFile, filepath.Dir(cfg.TokenFile), err)
		}
	}
	if cfg.Token != "" || cfg.TokenFile == "" {
		return cfg.Token, checkSecret("token", cfg.Token)
	}
	raw, err := os.ReadFile(cfg.TokenFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", tokenFileError(cfg.TokenFile, err)
	}
	secret := strings.TrimSpace(string(raw))
	return secret, checkSecret("token file "+cfg.TokenFile, secret)
}

const maxSecret = 256

// checkSecret refuses what could never stand in the header of a request.
func checkSecret(field, secret string) error {
	strange := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(secret) <= maxSecret && strings.IndexFunc(secret, strange) < 0 {
		return nil
	}
	return simcloud.InvalidFields("token", []simcloud.FieldError{{Field: field, Detail: fmt.Sprintf(
		"holds no token: must be one line of at most %d letters, digits and signs, without spaces", maxSecret)}})
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
	if err := durable.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
		return tokenFileError(path, err)
	}
	return nil
}

func tokenFileError(path string, err error) error {
	return simcloud.Errorf(simcloud.Unavailable, "", "cannot use the token file %s: %w", path, err)
}
