package server_test

import (
	"context"
	"encoding/json"
	"io"
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

// asked lets a handler answer a request of an admin, without any socket, and returns where its answer comes.
func asked(ctx context.Context, handler http.Handler, method, path, body string) <-chan *httptest.ResponseRecorder {
	return askedBy(ctx, "admin", handler, method, path, strings.NewReader(body))
}

// askedBy is asked with another token.
func askedBy(ctx context.Context, secret string, handler http.Handler, method, path string, body io.Reader) <-chan *httptest.ResponseRecorder {
	answer := make(chan *httptest.ResponseRecorder, 1)
	r := httptest.NewRequestWithContext(ctx, method, path, body)
	r.Header.Set("Authorization", "Bearer "+secret)
	go func() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		answer <- w
	}()
	return answer
}

// TestSettledJournal: a list that was asked for between a change and the record of its call has the call, also when the client has gone away.
func TestSettledJournal(t *testing.T) {
	t.Parallel()
	for _, gone := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			proceed := make(chan struct{})
			c := &cloud{create: func(simcloud.InstanceSpec, simcloud.CallOptions) (simcloud.Result[simcloud.Instance], error) {
				<-proceed
				return simcloud.Result[simcloud.Instance]{Resource: machine("i-9"), Operation: simcloud.Operation{Meta: simcloud.Meta{ID: "op-3"}}}, nil
			}}
			handler := server.New(server.Config{API: c, Control: c, Config: edge.Config{Journal: journal.New(0, time.Now), Auth: c}})
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			created := asked(ctx, handler, "POST", "/v1/instances", `{"name": "a"}`)
			synctest.Wait()
			if gone {
				leave()
			}
			list := asked(t.Context(), handler, "GET", "/_sim/journal?settled=true", "")
			plain := asked(t.Context(), handler, "GET", "/_sim/journal", "")
			synctest.Wait()
			if len(list) > 0 || len(plain) == 0 {
				t.Fatalf("answers: %d of the settled list, %d of the other one", len(list), len(plain))
			}
			close(proceed)
			<-created
			var page simcloud.Page[simcloud.JournalEntry]
			if err := json.Unmarshal((<-list).Body.Bytes(), &page); err != nil {
				t.Fatal(err)
			}
			if calls := page.Items; len(calls) == 0 || calls[len(calls)-1].OperationID != "op-3" || !calls[len(calls)-1].Committed {
				t.Errorf("client gone: %t: %+v", gone, calls)
			}
		})
	}
}

// TestSettledWithoutBody: a call whose client has not sent all of it is not given to the cloud and delays no other caller.
func TestSettledWithoutBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &cloud{}
		handler := server.New(server.Config{API: c, Control: c, Config: edge.Config{Journal: journal.New(0, time.Now), Auth: c}})
		body := make(stalled)
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/instances", body)
		r.Header.Set("Authorization", "Bearer admin")
		go handler.ServeHTTP(httptest.NewRecorder(), r)
		synctest.Wait()
		list := asked(t.Context(), handler, "GET", "/_sim/journal?settled=true", "")
		synctest.Wait()
		if len(list) == 0 {
			t.Error("the list waits for a body")
		}
		close(body)
	})
}

// stalled is a body of which nothing comes until it is closed.
type stalled chan struct{}

func (s stalled) Read([]byte) (int, error) {
	<-s
	return 0, context.Canceled
}

// TestSettledIsOfListsAlone: a stream has no end to wait for.
func TestSettledIsOfListsAlone(t *testing.T) {
	t.Parallel()
	serve(t).refused(t, "GET", "/_sim/journal/events?settled=true", "", 422, simcloud.Invalid)
}
