package gobuild

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

func TestWaitForLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(t.Context(), path, func() { t.Error("waited for a free lock") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := lock(ctx, path, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	unlock()
	again, err := lock(t.Context(), path, func() {})
	if err != nil {
		t.Fatal(err)
	}
	again()
}
