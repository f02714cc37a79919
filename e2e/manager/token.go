package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/kubeconfig"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// tokenName is what the CCM's tokens are called in the cloud.
const tokenName = "cloud-controller-manager"

// cloudSecret and clusterSecret say what the CCM's secrets are.
const (
	cloudSecret   = "token of the cloud"
	clusterSecret = "token of the cluster"
)

// ccmToken is the CCM's own token of the cloud, with the role writer: its calls
// can be told from all others', and it can do no more than it should.
type ccmToken struct {
	cloud   Cloud
	file    string
	secrets ccmSecrets

	mu     sync.Mutex // one change at a time; guards what follows
	id     simcloud.ID
	former []simcloud.ID // those that were renewed
}

func (t *ccmToken) current() simcloud.ID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// ensure makes a token unless the file has one that is good.
func (t *ccmToken) ensure(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if raw, err := os.ReadFile(t.file); err == nil {
		caller, err := t.cloud.Sim().Core().Authenticate(ctx, strings.TrimSpace(string(raw)))
		switch {
		case err == nil && caller.Role == simcloud.RoleWriter:
			t.id = caller.Token
			t.secrets.add(cloudSecret, strings.TrimSpace(string(raw)))
			return nil
		case err != nil && !errors.Is(err, simcloud.Unauthenticated):
			return err
		}
	}
	return t.make(ctx)
}

// make makes a token and puts it into the file; the cloud knows it first. mu is held.
func (t *ccmToken) make(ctx context.Context) error {
	secret := core.NewSecret()
	id, err := t.cloud.Sim().Core().AddToken(ctx, tokenName, simcloud.RoleWriter, secret)
	if err != nil {
		return fmt.Errorf("make a token for the cloud controller manager: %w", err)
	}
	// The file has the token and nothing else, as those of Kubernetes' own tokens: a line break is one that AWS' clients refuse.
	if err := kubeconfig.WriteSecret(t.file, []byte(secret)); err != nil {
		return fmt.Errorf("write %s: %w", t.file, err)
	}
	t.secrets.add(cloudSecret, secret)
	if t.id != "" {
		t.former = append(t.former, t.id)
	}
	t.id = id
	return nil
}

func (t *ccmToken) renew(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.make(ctx)
}

func (t *ccmToken) revoke(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := t.cloud.Admin.RevokeToken(ctx, t.id)
	return err
}

// forget deletes the tokens that were renewed, and makes sure that there is a good one.
func (t *ccmToken) forget(ctx context.Context) error {
	t.mu.Lock()
	former := t.former
	t.former = nil
	t.mu.Unlock()
	for _, id := range former {
		if _, err := t.cloud.Admin.DeleteToken(ctx, id); err != nil && !errors.Is(err, simcloud.NotFound) {
			return err
		}
	}
	return t.ensure(ctx)
}

// RestoreToken deletes the tokens that were renewed, and makes sure that there is a good one.
func (c *CCM) RestoreToken(ctx context.Context) error { return c.files.token.forget(ctx) }

// TokenID is the CCM's token in the cloud: the caller of its calls.
func (c *CCM) TokenID() simcloud.ID { return c.files.token.current() }

// RenewToken puts a new token into the CCM's token file, with an id of its own. The old one stays good.
func (c *CCM) RenewToken(ctx context.Context) error {
	if err := c.files.token.renew(ctx); err != nil {
		return err
	}
	return c.launcher.tokenRenewed(ctx)
}

// RevokeToken ends the token that is in the CCM's token file.
func (c *CCM) RevokeToken(ctx context.Context) error { return c.files.token.revoke(ctx) }

// ccmSecrets are those that the replicas of a CCM have been given.
type ccmSecrets struct {
	mu  sync.Mutex
	all []control.Secret
}

func (s *ccmSecrets) add(what, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if secret := (control.Secret{What: what, Value: value}); value != "" && !slices.Contains(s.all, secret) {
		s.all = append(s.all, secret)
	}
}

// latest is the one of its kind that was given last.
func (s *ccmSecrets) latest(what string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range slices.Backward(s.all) {
		if secret.What == what {
			return secret.Value
		}
	}
	return ""
}

// Secrets are what the CCM and its standby have been given so far and must not
// write into their logs: their tokens of the cloud and, where they run on this host, of the cluster.
func (c *CCM) Secrets() []control.Secret {
	secrets := &c.files.token.secrets
	secrets.mu.Lock()
	defer secrets.mu.Unlock()
	return slices.Clone(secrets.all)
}
