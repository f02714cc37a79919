package kubeapi

import (
	"regexp"
	"testing"
)

// TestUIDs: they follow from the seed, and differ within the 31 digits that the names of a cloud may have room for.
func TestUIDs(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$`)
	one, same, other := &state{seed: 1}, &state{seed: 1}, &state{seed: 2}
	beginnings := map[string]bool{}
	for range 1000 {
		uid := one.nextUID()
		if !form.MatchString(string(uid)) {
			t.Fatalf("%s is not the UID of a server", uid)
		}
		if again := same.nextUID(); again != uid {
			t.Fatalf("%s of the same seed, want %s", again, uid)
		}
		if another := other.nextUID(); another == uid {
			t.Fatalf("%s of another seed, too", uid)
		}
		if beginnings[string(uid[:18])] {
			t.Fatalf("another one begins as %s", uid)
		}
		beginnings[string(uid[:18])] = true
	}
}
