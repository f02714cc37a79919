package server_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// TestRoleBeforeBody: a body that the caller has no role to send is not waited for, and not judged.
func TestRoleBeforeBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &cloud{}
		handler := server.New(server.Config{API: c, Control: c, Config: edge.Config{Journal: journal.New(0, time.Now), Auth: c}})
		for _, e := range simcloud.Endpoints() {
			if !e.Write() {
				continue
			}
			body := make(stalled)
			answer := askedBy(t.Context(), "reader", handler, e.Method, e.Path, body)
			synctest.Wait()
			if len(answer) == 0 {
				t.Errorf("%s waits for the body of a reader", e.Operation)
			}
			close(body)
			if got := <-answer; got.Code != http.StatusForbidden {
				t.Errorf("%s of a reader: %d, want 403", e.Operation, got.Code)
			}
		}
	})
	s := serve(t)
	p := s.refused(t, "POST", "/v1/instances", `{"nonsense":`, http.StatusForbidden, simcloud.Forbidden, "Authorization", "Bearer reader")
	if want := "CreateInstance needs the role writer, the token has reader"; !strings.Contains(p.Detail, want) {
		t.Errorf("detail %q, want %q", p.Detail, want)
	}
}
