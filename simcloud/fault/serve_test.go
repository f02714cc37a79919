package fault_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
	"github.com/simcloud-dev/simcloud/simcloud/server"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// admits lets all callers in.
type admits struct{}

func (admits) Authenticate(context.Context, string) (simcloud.Caller, error) {
	return simcloud.Caller{Project: simcloud.DefaultProject, Role: simcloud.RoleAdmin}, nil
}

// serve returns a client, which calls once, of a server with these rules.
func serve(t *testing.T, set *fault.Set, api simcloud.API, configure ...func(*server.Config)) *client.Client {
	t.Helper()
	cfg := server.Config{API: api, Config: edge.Config{Journal: journal.New(0, time.Now), Faults: set, Auth: admits{}}}
	for _, fn := range configure {
		fn(&cfg)
	}
	srv := httptest.NewServer(server.New(cfg))
	t.Cleanup(srv.Close)
	return simtest.Dial(t, client.Config{Endpoint: srv.URL, Token: "t", Retries: -1})
}
