package server_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// TestWaitEndsWithItsToken: who has lost the token while it waits is told so,
// and not what it has waited for, whether that comes or not.
func TestWaitEndsWithItsToken(t *testing.T) {
	t.Parallel()
	for name, comes := range map[string]bool{"what it waits for comes": true, "it does not": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, auth := &cloud{}, &revocable{}
				finished := make(chan struct{})
				c.wait = func(ctx context.Context, id simcloud.ID) (simcloud.Operation, error) {
					select {
					case <-finished:
						return simcloud.Operation{Meta: simcloud.Meta{ID: id}}, nil
					case <-ctx.Done():
						return simcloud.Operation{}, ctx.Err()
					}
				}
				auth.cloud = c
				handler := server.New(server.Config{API: c, Control: c, Journal: journal.New(0, time.Now), Auth: auth})
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				answer := asked(ctx, handler, "GET", "/v1/operations/op-1/wait", "")
				synctest.Wait()
				auth.revoked.Store(true)
				if comes {
					close(finished)
				}
				if got := <-answer; got.Code != http.StatusUnauthorized {
					t.Errorf("%d %s, want 401", got.Code, got.Body)
				}
			})
		})
	}
}

// revocable knows a cloud's tokens until they are revoked.
type revocable struct {
	*cloud
	revoked atomic.Bool
}

func (r *revocable) Authenticate(ctx context.Context, secret string) (simcloud.Caller, error) {
	if r.revoked.Load() {
		secret = "revoked"
	}
	return r.cloud.Authenticate(ctx, secret)
}
