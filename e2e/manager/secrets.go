package manager

import (
	"slices"
	"sync"

	"github.com/simcloud-dev/simcloud/e2e/control"
)

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

// Secrets are what the CCM and its standby have been given so far and must not
// write into their logs: their tokens of the cloud and, where they run on this host, of the cluster.
func (c *CCM) Secrets() []control.Secret {
	secrets := &c.files.token.secrets
	secrets.mu.Lock()
	defer secrets.mu.Unlock()
	return slices.Clone(secrets.all)
}
