package edge_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// formed is a format whose operation is named in the body.
type formed struct{ foreign }

func (f formed) Match(r *http.Request) (edge.Operation, *http.Request) {
	body, err := edge.Body(r)
	args, _ := url.ParseQuery(string(body))
	switch {
	case err != nil:
		return edge.Operation{Endpoint: simcloud.Endpoint{Operation: "Unknown", Method: http.MethodGet}, Name: "unread", Handle: func(*http.Request) (edge.Reply, error) {
			return edge.Reply{}, simcloud.Errorf(simcloud.Invalid, "", "read the form: %w", err)
		}}, r
	case args.Get("Action") == "RunMachine":
		return edge.Operation{Endpoint: endpoint("CreateInstance"), Name: "run", Handle: f.run, Subject: subject}, r
	default:
		return edge.Operation{Endpoint: simcloud.Endpoint{Operation: "Unknown", Method: http.MethodGet}, Handle: unknown}, r
	}
}

// WriteProblem writes what the format calls the operation, too.
func (f formed) WriteProblem(w http.ResponseWriter, p edge.Problem) {
	w.Header().Set("X-Name", p.Name)
	f.foreign.WriteProblem(w, p)
}

// TestOperationInTheBody: a format may read the body to find the operation; fault rules and the handler read it again, and
// an error has the operation's name.
func TestOperationInTheBody(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.handler = l.edge.Handler(formed{foreign{l.cloud}})
	const media = "application/x-www-form-urlencoded"
	l.add(`{"match": {"operation": "CreateInstance", "resource": "cursed"}, "effect": {"error": {"code": "capacity"}}}`)
	l.want(l.ask("", "Action=RunMachine&Name=blessed", "Content-Type", media), http.StatusOK)
	res := l.ask("", "Action=RunMachine&Name=cursed", "Content-Type", media)
	l.want(res, http.StatusBadRequest)
	if name := res.Result().Header.Get("X-Name"); name != "run" || len(l.cloud.made) != 1 || l.cloud.made[0] != "blessed" {
		t.Errorf("made are %v, and what failed is called %q", l.cloud.made, name)
	}
	res = l.ask("", "Action=RunMachine&Name="+strings.Repeat("a", edge.MaxBody))
	l.want(res, http.StatusBadRequest)
	if name := res.Result().Header.Get("X-Name"); name != "unread" {
		t.Errorf("a body that is too large is for the operation %q", name)
	}
}

// TestBody: what did not arrive whole ends in its error, each time that it is read.
func TestBody(t *testing.T) {
	t.Parallel()
	for size, whole := range map[int]bool{0: true, edge.MaxBody: true, edge.MaxBody + 1: false} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://cloud", strings.NewReader(strings.Repeat("a", size)))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			body, err := edge.Body(r)
			var large *http.MaxBytesError
			if len(body) != min(size, edge.MaxBody) || (err == nil) != whole || !whole && !errors.As(err, &large) {
				t.Errorf("of %d bytes there are %d, %v", size, len(body), err)
			}
		}
	}
}
