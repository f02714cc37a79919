package client

import (
	"os"
	"strings"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// tokenSource knows the secret to authenticate with.
type tokenSource struct {
	file string // empty when the secret never changes

	mu     sync.Mutex
	secret string
	read   fileStamp // of the file that the secret was read from
}

// fileStamp tells versions of a file apart.
type fileStamp struct {
	modified time.Time
	size     int64
}

// get returns the secret, read again when its file has changed.
func (t *tokenSource) get() (string, error) {
	if t.file == "" {
		return t.secret, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	info, err := os.Stat(t.file)
	if err != nil {
		return "", tokenFileError(err)
	}
	stamp := fileStamp{info.ModTime(), info.Size()}
	if stamp == t.read {
		return t.secret, nil
	}
	if err := t.load(); err != nil {
		return "", err
	}
	t.read = stamp
	return t.secret, nil
}

func (t *tokenSource) load() error {
	raw, err := os.ReadFile(t.file)
	if err != nil {
		return tokenFileError(err)
	}
	secret := strings.TrimSpace(string(raw))
	if secret == "" {
		return simcloud.Errorf(simcloud.Unavailable, "", "the token file %s is empty", t.file)
	}
	t.secret = secret
	return nil
}

// refused reports whether the file holds another secret than the one that the cloud refused.
func (t *tokenSource) refused(secret string) bool {
	if t.file == "" {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.load() == nil && t.secret != secret
}

func tokenFileError(err error) error {
	return simcloud.Errorf(simcloud.Unavailable, "", "read the token file: %w", err)
}
