package edge_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
)

// cloud has one machine, makes others, and knows one secret.
type cloud struct{ made []string }

func (*cloud) GetInstance(_ context.Context, id simcloud.ID) (simcloud.Instance, error) {
	if id != "i-1" {
		return simcloud.Instance{}, simcloud.Errorf(simcloud.NotFound, "instance/"+string(id), "there is no such instance")
	}
	return instance("i-1", "first"), nil
}

func (c *cloud) CreateInstance(
	_ context.Context, spec simcloud.InstanceSpec, _ ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	if spec.Name == "panic" {
		panic("out of names")
	}
	c.made = append(c.made, spec.Name)
	return simcloud.Result[simcloud.Instance]{
		Resource: instance("i-2", spec.Name), Operation: simcloud.Operation{Meta: simcloud.Meta{ID: "op-1"}},
	}, nil
}

func instance(id simcloud.ID, name string) simcloud.Instance {
	return simcloud.Instance{Meta: simcloud.Meta{ID: id, Name: name}, State: simcloud.InstanceRunning}
}

func (*cloud) Authenticate(_ context.Context, secret string) (simcloud.Caller, error) {
	switch secret {
	case "s3cret":
		return simcloud.Caller{Token: "tok-1", Project: "p", Role: simcloud.RoleWriter}, nil
	case "reader":
		return simcloud.Caller{Token: "tok-2", Project: "p", Role: simcloud.RoleReader}, nil
	default:
		return simcloud.Caller{}, simcloud.Errorf(simcloud.Unauthenticated, "", "no such token")
	}
}

// lab is a cloud that speaks the foreign format.
type lab struct {
	t       *testing.T
	cloud   *cloud
	edge    *edge.Edge
	handler http.Handler
}

func newLab(t *testing.T, configure ...func(*edge.Config)) *lab {
	t.Helper()
	l := &lab{t: t, cloud: &cloud{}}
	cfg := edge.Config{Journal: journal.New(0, time.Now), Auth: l.cloud}
	for _, fn := range configure {
		fn(&cfg)
	}
	l.edge = edge.New(cfg)
	l.handler = l.edge.Handler(foreign{l.cloud})
	return l
}

func (l *lab) add(rule string) {
	l.t.Helper()
	parsed, err := fault.Parse([]byte(rule))
	if err == nil {
		_, err = l.edge.Faults.AddFault(l.t.Context(), parsed)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// ask sends a request; a form makes it a POST. It returns the status and the body in one line.
func (l *lab) ask(query, form string, headers ...string) *httptest.ResponseRecorder {
	l.t.Helper()
	method := http.MethodGet
	if form != "" {
		method = http.MethodPost
	}
	r := httptest.NewRequestWithContext(l.t.Context(), method, "/api?"+query, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Secret", "s3cret")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, r)
	return w
}

func (l *lab) want(w *httptest.ResponseRecorder, status int, parts ...string) {
	l.t.Helper()
	if w.Code != status {
		l.t.Errorf("status %d, want %d: %s", w.Code, status, w.Body)
	}
	for _, part := range parts {
		if !strings.Contains(w.Body.String(), part) {
			l.t.Errorf("%s does not have %s", w.Body, part)
		}
	}
}

// entry returns the latest entry of the journal.
func (l *lab) entry() simcloud.JournalEntry {
	l.t.Helper()
	entries, err := l.edge.Journal.ListJournal(l.t.Context(), simcloud.JournalFilter{})
	if err != nil || len(entries) == 0 {
		l.t.Fatalf("the journal has %v, %v", entries, err)
	}
	return entries[len(entries)-1]
}

const (
	describe = "Action=DescribeMachine&MachineId=i-1"
	run      = "Action=RunMachine"
)

// TestAnotherFormat: calls in a foreign format are answered, recorded and counted as the cloud's own.
func TestAnotherFormat(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.want(l.ask(describe, ""), http.StatusOK, "<Id>i-1</Id>", "<State>running</State>")
	if e := l.entry(); e.Operation != "GetInstance" || e.Resource != "instance/i-1" || e.Status != http.StatusOK || e.Caller.Token != "tok-1" || e.Write {
		t.Errorf("the journal has %+v", e)
	}
	l.want(l.ask(run, "Name=second"), http.StatusOK, "<Id>i-2</Id>", "<Name>second</Name>")
	if e := l.entry(); e.Operation != "CreateInstance" || e.Resource != "instance/i-2" || e.OperationID != "op-1" || !e.Committed {
		t.Errorf("the journal has %+v", e)
	}
	metrics := httptest.NewRecorder()
	l.edge.Metrics().ServeHTTP(metrics, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	l.want(metrics, http.StatusOK, `simcloud_requests_total{code="ok",operation="CreateInstance"} 1`)
}

// TestRefusalsInAnotherFormat: each error of the edge is written by the codec.
func TestRefusalsInAnotherFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, query, form string
		headers           []string
		status            int
		code              string
	}{
		{"no such machine", "Action=DescribeMachine&MachineId=i-9", "", nil, 400, "NoSuchMachine"},
		{"no secret", describe, "", []string{"X-Secret", ""}, 400, "Fault.unauthenticated"},
		{"wrong secret", describe, "", []string{"X-Secret", "x"}, 400, "Fault.unauthenticated"},
		{"role", run, "Name=a", []string{"X-Secret", "reader"}, 400, "Fault.forbidden"},
		{"no such action", "Action=Dance", "", nil, 400, "Fault.unimplemented"},
		{"panic", run, "Name=panic", nil, 500, "Fault.internal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			w := l.ask(test.query, test.form, append(test.headers, "Simcloud-Request-Id", "mine")...)
			l.want(w, test.status, "<Code>"+test.code+"</Code>", "<RequestId>mine</RequestId>")
			if e := l.entry(); e.Status != test.status || string(e.Code) != strings.TrimPrefix(test.code, "Fault.") && test.name != "no such machine" {
				t.Errorf("the journal has %+v", e)
			}
			if len(l.cloud.made) > 0 {
				t.Errorf("the cloud has made %q", l.cloud.made)
			}
		})
	}
}

// TestFaultsInAnotherFormat: rules match the operations of the cloud, and what they answer is the codec's.
func TestFaultsInAnotherFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, rule, query, form string
		status                  int
		body                    string
		made                    int
	}{
		{
			"error before", `{"match": {"operation": "CreateInstance"}, "effect": {"error": {"code": "capacity", "message": "full"}}}`,
			run, "Name=a", 400, "<Code>Fault.capacity</Code><Message>full</Message>", 0,
		},
		{
			"delay after the commit", `{"match": {"operation": "CreateInstance"}, "effect": {"delay": {"duration": "1ms"}}}`,
			run, "Name=a", 200, "<Id>i-2</Id>", 1,
		},
		{
			"the name in the form", `{"match": {"resource": "pick*"}, "effect": {"error": {"code": "unavailable"}}}`,
			run, "Name=picked", 500, "<Code>Fault.unavailable</Code>", 0,
		},
		{
			"another name", `{"match": {"resource": "pick*"}, "effect": {"error": {"code": "unavailable"}}}`,
			run, "Name=a", 200, "<Id>i-2</Id>", 1,
		},
		{
			"unknown state", `{"match": {"operation": "GetInstance"}, "effect": {"garble": {"body": "unknown-enum"}}}`,
			describe, "", 200, "<State>unheard-of</State>", 0,
		},
		{
			"unknown code", `{"match": {"operation": "GetInstance"}, "effect": {"garble": {"body": "unknown-enum"}}}`,
			"Action=DescribeMachine&MachineId=i-9", "", 400, "<Code>unheard-of</Code>", 0,
		},
		{
			"half an answer", `{"match": {"operation": "GetInstance"}, "effect": {"garble": {"body": "truncated"}}}`,
			describe, "", 200, "<Machine>", 0,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.add(test.rule)
			l.want(l.ask(test.query, test.form), test.status, test.body)
			if len(l.cloud.made) != test.made {
				t.Errorf("the cloud has made %q, want %d", l.cloud.made, test.made)
			}
			if hit := l.entry().Fault == "fault-1"; hit == (test.name == "another name") {
				t.Errorf("the journal has the fault: %v", hit)
			}
		})
	}
}

// TestRatesInAnotherFormat: a token that calls too often is refused in the codec's words.
func TestRatesInAnotherFormat(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(cfg *edge.Config) {
		cfg.Rates = func() []simcloud.Rate { return []simcloud.Rate{{Class: "read", PerSecond: 0.001, Burst: 1}} }
	})
	l.want(l.ask(describe, ""), http.StatusOK)
	w := l.ask(describe, "")
	l.want(w, http.StatusBadRequest, "<Code>SlowDown</Code>")
	if w.Header().Get("RateLimit-Remaining") != "0" {
		t.Errorf("the headers are %v", w.Header())
	}
	l.want(l.ask(run, "Name=a"), http.StatusOK)
	l.edge.Forget()
	l.want(l.ask(describe, ""), http.StatusOK)
}
