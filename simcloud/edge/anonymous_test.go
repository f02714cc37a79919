package edge_test

import (
	"net/http"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// open is the foreign format with operations that need no credential.
type open struct{ foreign }

func (o open) Match(r *http.Request) (edge.Operation, *http.Request) {
	op, r := o.foreign.Match(r)
	op.Anonymous = true
	return op, r
}

// TestAnonymous: a request needs no credential, and one with a credential that is good has its caller.
func TestAnonymous(t *testing.T) {
	t.Parallel()
	for secret, token := range map[string]simcloud.ID{"": "", "wrong": "", "s3cret": "tok-1", "reader": "tok-2"} {
		l := newLab(t)
		l.handler = l.edge.Handler(open{foreign{l.cloud}})
		l.want(l.ask(describe, "", "X-Secret", secret), http.StatusOK, "<Id>i-1</Id>")
		if e := l.entry(); e.Caller.Token != token || e.Status != http.StatusOK {
			t.Errorf("%q: the journal has %+v", secret, e)
		}
		// Neither needs it a role.
		l.want(l.ask(run, "Name=a", "X-Secret", secret), http.StatusOK, "<Id>i-2</Id>")
	}
}

// TestFaultsOfAnonymousCalls: rules match them as all others.
func TestFaultsOfAnonymousCalls(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.handler = l.edge.Handler(open{foreign{l.cloud}})
	l.add(`{"match": {"operation": "GetInstance"}, "effect": {"error": {"code": "unavailable", "message": "full"}}}`)
	l.want(l.ask(describe, "", "X-Secret", ""), http.StatusInternalServerError, "<Code>Fault.unavailable</Code><Message>full</Message>")
	if e := l.entry(); e.Fault != "fault-1" || e.Caller.Token != "" {
		t.Errorf("the journal has %+v", e)
	}
}

// TestCredentialsAreNeeded: without Anonymous the same requests are refused.
func TestCredentialsAreNeeded(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.add(`{"match": {"operation": "GetInstance"}, "effect": {"error": {"code": "unavailable"}}}`)
	l.want(l.ask(describe, "", "X-Secret", ""), http.StatusBadRequest, "<Code>Fault.unauthenticated</Code>")
	if e := l.entry(); e.Fault != "" {
		t.Errorf("the journal has %+v", e)
	}
}
