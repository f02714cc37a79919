package manager

import (
	"slices"
	"sync"
)

// Secret is something that the CCM was given and must not disclose.
type Secret struct {
	What  string // "token of the cloud"
	Value string
}

// ccmSecrets are those that the replicas of a CCM have been given.
type ccmSecrets struct {
	mu  sync.Mutex
	all []Secret
}

func (s *ccmSecrets) add(what, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if secret := (Secret{what, value}); value != "" && !slices.Contains(s.all, secret) {
		s.all = append(s.all, secret)
	}
}

// Secrets are what the CCM and its standby have been given so far and must not
// write into their logs: their tokens of the cloud and, where they run on this host, of the cluster.
func (c *CCM) Secrets() []Secret {
	secrets := &c.files.token.secrets
	secrets.mu.Lock()
	defer secrets.mu.Unlock()
	return slices.Clone(secrets.all)
}
