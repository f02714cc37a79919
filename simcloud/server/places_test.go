package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// TestPlaces: a token has so much under way at most, of streams and waits and
// of all else; others are not concerned, nor are the simulator's own calls.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lasting []string // what the first of them is about to exceed the bound of
		free    string   // what still has a place
		says    string
	}{
		"streams and waits": {
			[]string{"/v1/events", "/v1/operations/op-1/wait", "/v1/events", "/v1/operations/op-1/wait"}, "/v1/instances/i-1",
			"the token has 2 streams and waits under way",
		},
		"requests": {
			[]string{"/v1/instances/slow", "/v1/instances/slow", "/v1/instances/slow"}, "/v1/events",
			"the token has 2 requests under way",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				handler := slowCloud(server.Config{Config: edge.Config{Streams: 2, Requests: 2}})
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				var begun []<-chan *httptest.ResponseRecorder
				for _, path := range test.lasting {
					begun = append(begun, asked(ctx, handler, "GET", path, ""))
					synctest.Wait()
				}
				for i, answer := range begun {
					if refused := len(answer) > 0; refused != (i >= 2) {
						t.Errorf("call %d is answered: %t", i+1, refused)
					} else if refused {
						full(t, <-answer, test.says)
					}
				}
				free := asked(ctx, handler, "GET", test.free, "")
				own := asked(ctx, handler, "GET", "/_sim/journal", "")
				other := askedBy(ctx, "reader", handler, "GET", test.lasting[0], http.NoBody)
				synctest.Wait()
				if test.free == "/v1/events" == (len(free) > 0) || len(own) == 0 || len(other) > 0 {
					t.Errorf("answered: the other sort %t, the simulator's own %t, another token's %t", len(free) > 0, len(own) > 0, len(other) > 0)
				}
				leave()
				synctest.Wait()
				again := asked(t.Context(), handler, "GET", "/v1/instances/i-1", "")
				synctest.Wait()
				if status := (<-again).Code; status != http.StatusOK {
					t.Errorf("once they have ended: %d, want 200", status)
				}
			})
		})
	}
}

// slowCloud answers for a cloud whose streams, waits and instance "slow" last until their client leaves.
func slowCloud(cfg server.Config) http.Handler {
	c := &cloud{events: silence}
	c.get = func(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
		if id == "slow" {
			<-ctx.Done()
		}
		return machine(id), ctx.Err()
	}
	c.wait = func(ctx context.Context, _ simcloud.ID) (simcloud.Operation, error) {
		<-ctx.Done()
		return simcloud.Operation{}, ctx.Err()
	}
	cfg.API, cfg.Control, cfg.Journal = c, c, journal.New(0, time.Now)
	if cfg.Auth == nil {
		cfg.Auth = c
	}
	return server.New(cfg)
}

func full(t *testing.T, answer *httptest.ResponseRecorder, says string) {
	t.Helper()
	if answer.Code != http.StatusTooManyRequests || answer.Header().Get("Retry-After") != "1" || !strings.Contains(answer.Body.String(), says) {
		t.Errorf("%d, Retry-After %q, %s; want 429 that says %q", answer.Code, answer.Header().Get("Retry-After"), answer.Body, says)
	}
}
