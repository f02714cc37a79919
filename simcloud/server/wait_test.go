package server_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// TestWaitEndsWithItsToken: who has lost the token while it waits is told so,
// and not what it has waited for, whether that comes or not: at once when it
// comes, else when the server asks next whether the token is good.
func TestWaitEndsWithItsToken(t *testing.T) {
	t.Parallel()
	const first, second = edge.DefaultHeartbeat, 2 * edge.DefaultHeartbeat
	for name, c := range map[string]struct {
		comes         bool
		revoked, ends time.Duration
	}{
		"what it waits for comes":              {true, 0, 0},
		"what it waits for comes later":        {true, first + 1, first + 1},
		"it does not":                          {false, 0, first},
		"it does not, revoked just in time":    {false, first - 1, first},
		"it does not, revoked after the first": {false, first + 1, second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				api, auth := &cloud{}, &revocable{}
				finished := make(chan struct{})
				api.wait = func(ctx context.Context, id simcloud.ID) (simcloud.Operation, error) {
					select {
					case <-finished:
						return simcloud.Operation{Meta: simcloud.Meta{ID: id}}, nil
					case <-ctx.Done():
						return simcloud.Operation{}, ctx.Err()
					}
				}
				auth.cloud = api
				handler := server.New(server.Config{API: api, Control: api, Config: edge.Config{Journal: journal.New(0, time.Now), Auth: auth}})
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				began := time.Now()
				answer := asked(ctx, handler, "GET", "/v1/operations/op-1/wait", "")
				<-time.After(c.revoked)
				synctest.Wait()
				auth.revoked.Store(true)
				if c.comes {
					close(finished)
				}
				if got := <-answer; got.Code != http.StatusUnauthorized {
					t.Errorf("%d %s, want 401", got.Code, got.Body)
				}
				if took := time.Since(began); took != c.ends {
					t.Errorf("the wait ended after %s, want %s", took, c.ends)
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
