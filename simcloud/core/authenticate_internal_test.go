package core

import (
	"crypto/sha256"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestCallersForget: what was read before a token changed is not remembered after it.
func TestCallersForget(t *testing.T) {
	t.Parallel()
	var c callers
	hash, found := sha256.Sum256([]byte("s")), holder{caller: simcloud.Caller{Token: "tok-1"}}
	_, generation, _ := c.find(hash)
	c.forget()
	c.keep(hash, found, generation)
	if _, _, known := c.find(hash); known {
		t.Error("it remembers what may be out of date")
	}
	_, generation, _ = c.find(hash)
	c.keep(hash, found, generation)
	c.keep(sha256.Sum256([]byte("unknown")), holder{}, generation)
	if _, _, known := c.find(hash); !known || len(c.known) != 1 {
		t.Errorf("it remembers %v", c.known)
	}
}
