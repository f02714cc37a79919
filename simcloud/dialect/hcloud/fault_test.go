package hcloud_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

func asActionError(err error, into *hcloud.ActionError) bool { return errors.As(err, into) }

// fault adds a rule for one operation of the cloud, with an effect as JSON.
func (w world) fault(operation, effect string) {
	w.Helper()
	var e fault.Effect
	if err := json.Unmarshal([]byte(effect), &e); err != nil {
		w.Fatal(err)
	}
	must[fault.Rule](w)(w.native.AddFault(w.Context(), fault.Rule{Match: fault.Match{Operation: operation}, Effect: e}))
}

// TestErrorsAreRendered: an error of a fault rule is the one that Hetzner has for it.
func TestErrorsAreRendered(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		operation, code string
		status          int
		want            hcloud.ErrorCode
	}{
		{"GetInstance", "invalid", 422, hcloud.ErrorCodeInvalidInput},
		{"GetInstance", "unauthenticated", 401, hcloud.ErrorCodeUnauthorized},
		{"GetInstance", "forbidden", 403, hcloud.ErrorCodeForbidden},
		{"CreateTarget", "forbidden", 403, hcloud.ErrorCodeForbidden},
		{"GetInstance", "conflict", 409, hcloud.ErrorCodeConflict},
		{"GetInstance", "rate_limited", 429, hcloud.ErrorCodeRateLimitExceeded},
		{"GetInstance", "unavailable", 503, "unavailable"},
		{"GetInstance", "timeout", 504, hcloud.ErrorCodeTimeout},
		{"GetInstance", "unimplemented", 422, hcloud.ErrorUnsupportedError},
		{"GetInstance", "internal", 500, hcloud.ErrorCodeServerError},
		{"CreateTarget", "locked", 423, hcloud.ErrorCodeLocked},
		{"CreateTarget", "protected", 423, hcloud.ErrorCodeProtected},
		{"CreateTarget", "in_use", 422, hcloud.ErrorCodeResourceInUse},
		{"CreateTarget", "quota_exceeded", 403, hcloud.ErrorCodeResourceLimitExceeded},
		{"CreateTarget", "capacity", 403, hcloud.ErrorCodeResourceLimitExceeded},
		{"CreateTarget", "already_exists", 422, hcloud.ErrorCodeTargetAlreadyDefined},
	} {
		t.Run(test.operation+"/"+test.code, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.fault(test.operation, `{"error": {"code": "`+test.code+`", "message": "because", "retryAfter": "2s"}}`)
			_, res, err := w.hetz.Server.GetByID(t.Context(), 1)
			if test.operation == "CreateTarget" {
				_, res, err = w.hetz.LoadBalancer.AddServerTarget(t.Context(), &hcloud.LoadBalancer{ID: 1}, serverTarget(1, false))
			}
			refused(t, err, test.want)
			if res.StatusCode != test.status || res.Header.Get("Retry-After") != "2" || !strings.Contains(err.Error(), "because") {
				t.Errorf("status %d, Retry-After %q: %v", res.StatusCode, res.Header.Get("Retry-After"), err)
			}
		})
	}
}

// TestNotFoundByFault: an injected not_found is as good as a true one.
func TestNotFoundByFault(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.fault("GetLoadBalancer", `{"error": {"code": "not_found"}}`)
	if got := got[*hcloud.LoadBalancer](t)(w.hetz.LoadBalancer.GetByID(t.Context(), lb.ID)); got != nil {
		t.Errorf("got %+v", got)
	}
}

// TestGarbledAnswers: what comes in place of an answer is no error of Hetzner's, and no 404 of its own.
func TestGarbledAnswers(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	for effect, check := range map[string]func(s *hcloud.Server, err error) bool{
		`{"garble": {"body": "html"}}`:      func(_ *hcloud.Server, err error) bool { return errors.Is(err, hcloud.ErrStatusCode) },
		`{"garble": {"body": "bare-404"}}`:  func(_ *hcloud.Server, err error) bool { return errors.Is(err, hcloud.ErrStatusCode) },
		`{"garble": {"body": "empty"}}`:     func(_ *hcloud.Server, err error) bool { return err != nil && !isTyped(err) },
		`{"garble": {"body": "truncated"}}`: func(_ *hcloud.Server, err error) bool { return err != nil && !isTyped(err) },
		`{"garble": {"body": "null"}}`:      func(s *hcloud.Server, err error) bool { return err == nil && s != nil && s.ID == 0 },
		`{"garble": {"body": "unknown-enum"}}`: func(s *hcloud.Server, err error) bool {
			return err == nil && s.Status == "unheard-of" && s.Name == "node-1"
		},
		`{"reset": {"when": "before"}}`: func(_ *hcloud.Server, err error) bool { return err != nil && !isTyped(err) },
	} {
		w.fault("GetInstance", effect)
		s, _, err := w.hetz.Server.GetByID(t.Context(), 1)
		if !check(s, err) {
			t.Errorf("%s: got %+v, %v", effect, s, err)
		}
		if err := w.native.ClearFaults(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func isTyped(err error) bool {
	var e hcloud.Error
	return asError(err, &e)
}

// TestGarbledCode: an error may have a code that no client knows.
func TestGarbledCode(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.fault("GetInstance", `{"garble": {"body": "unknown-enum"}}`)
	_, res, err := w.hetz.Server.GetByID(t.Context(), 9)
	if !hcloud.IsError(err, "unheard-of") || res.StatusCode != 404 {
		t.Errorf("got %v", err)
	}
}

// TestStaleLists: a list may be behind, a look-up by id is not.
func TestStaleLists(t *testing.T) {
	t.Parallel()
	for _, effect := range []string{`{"stale": {"by": "1h"}}`, `{"hide": {"for": "1h"}}`} {
		w := open(t)
		w.fault("ListLoadBalancers", effect)
		lb := w.balancer("a")
		if lbs := must[[]*hcloud.LoadBalancer](t)(w.hetz.LoadBalancer.All(t.Context())); len(lbs) != 0 {
			t.Errorf("%s: the list has %+v", effect, lbs)
		}
		if now := w.balancerNow(lb.ID); now.Name != "a" {
			t.Errorf("%s: by id it is %+v", effect, now)
		}
	}
}

// TestPagesLie: a list of 60 servers whose pages are wrong.
func TestPagesLie(t *testing.T) {
	t.Parallel()
	w := open(t)
	for i := range 60 {
		w.instance(simcloud.InstanceSpec{Name: fmt.Sprintf("node-%d", i)})
	}
	for effect, want := range map[string]struct{ all, distinct int }{
		`{"page": {"lie": "short"}}`:           {25, 25},
		`{"page": {"lie": "drop"}}`:            {58, 58},
		`{"page": {"lie": "duplicate"}}`:       {61, 60},
		`{"page": {"lie": "shift"}}`:           {59, 59},
		`{"page": {"lie": "size", "size": 7}}`: {60, 60},
	} {
		w.fault("ListInstances", effect)
		ids := idsOf(must[[]*hcloud.Server](t)(w.hetz.Server.All(t.Context())), func(s *hcloud.Server) int64 { return s.ID })
		all := len(ids)
		if distinct := len(slices.Compact(ids)); all != want.all || distinct != want.distinct {
			t.Errorf("%s: %d servers, %d of them distinct; want %+v", effect, all, distinct, want)
		}
		if err := w.native.ClearFaults(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLockedByFault: a lock refuses changes and lets reads go on.
func TestLockedByFault(t *testing.T) {
	t.Parallel()
	w := open(t)
	lb := w.balancer("a")
	w.fault("GetLoadBalancer", `{"lock": {"for": "1h"}}`)
	w.balancerNow(lb.ID)
	_, _, err := w.hetz.LoadBalancer.AddService(t.Context(), lb, hcloud.LoadBalancerAddServiceOpts{Protocol: "http"})
	refused(t, err, hcloud.ErrorCodeLocked)
	w.balancerNow(lb.ID)
}

// TestLockedNetwork: a lock keeps a network busy, whichever part of it is to change, also before its first route.
func TestLockedNetwork(t *testing.T) {
	t.Parallel()
	for operation, refusedCall := range map[string]func(world, *hcloud.Network) error{
		"hcloud:add_route": func(w world, n *hcloud.Network) error { return w.routed(n, "10.100.0.0/24", "10.9.0.5") },
		"CreateSubnet": func(w world, n *hcloud.Network) error {
			return lastOfThree(w.hetz.Network.AddSubnet(w.Context(), n, hcloud.NetworkAddSubnetOpts{
				Subnet: hcloud.NetworkSubnet{Type: hcloud.NetworkSubnetTypeCloud, NetworkZone: "region-1"},
			}))
		},
		"GetNetwork": func(w world, n *hcloud.Network) error { // a read succeeds, and locks all the same
			got[*hcloud.Network](w)(w.hetz.Network.GetByID(w.Context(), n.ID))
			return hcloud.Error{Code: hcloud.ErrorCodeLocked}
		},
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			w := open(t, simtest.ManualClock())
			n, other := w.bare("a", "10.9.0.0/16"), w.bare("b", "10.10.0.0/16")
			must[fault.Rule](t)(w.native.AddFault(t.Context(), fault.Rule{
				Match: fault.Match{Operation: operation}, When: fault.When{Times: 1}, Effect: fault.Effect{Lock: &fault.Lock{For: simcloud.Duration(time.Minute)}},
			}))
			refused(t, refusedCall(w, n), hcloud.ErrorCodeLocked)
			refused(t, w.routed(n, "10.100.1.0/24", "10.9.0.6"), hcloud.ErrorCodeLocked)
			refused(t, lastOfThree(w.hetz.Network.Update(t.Context(), n, hcloud.NetworkUpdateOpts{Name: "c"})), hcloud.ErrorCodeLocked)
			if now := got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), n.ID)); now.Name != "a" || len(now.Routes) != 0 || len(now.Subnets) != 0 {
				t.Errorf("while it is locked it is %+v", now)
			}
			if err := w.routed(other, "10.101.0.0/24", "10.10.0.5"); err != nil {
				t.Errorf("a route of the other network: %v", err)
			}
			must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Minute)))
			if err := w.routed(n, "10.100.1.0/24", "10.9.0.6"); err != nil {
				t.Errorf("a route once the lock is over: %v", err)
			}
		})
	}
}

// bare makes a network that has nothing, not even a route table.
func (w world) bare(name, cidr string) *hcloud.Network {
	w.Helper()
	made := must[simcloud.Result[simcloud.Network]](w)(w.native.CreateNetwork(w.Context(), simcloud.NetworkSpec{Name: name, CIDRs: []string{cidr}})).Resource
	return &hcloud.Network{ID: must[int64](w)(strconv.ParseInt(number(made.ID), 10, 64))}
}

// routed adds a route to a network.
func (w world) routed(n *hcloud.Network, destination, gateway string) error {
	w.Helper()
	return lastOfThree(w.hetz.Network.AddRoute(w.Context(), n, hcloud.NetworkAddRouteOpts{
		Route: hcloud.NetworkRoute{Destination: cidr(w.T, destination), Gateway: net.ParseIP(gateway)},
	}))
}

// TestAnswerIsLost: a change stays when its answer does not arrive.
func TestAnswerIsLost(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.fault("CreateLoadBalancer", `{"reset": {"when": "after"}}`)
	_, _, err := w.hetz.LoadBalancer.Create(t.Context(), hcloud.LoadBalancerCreateOpts{
		Name: "a", LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"}, Location: &hcloud.Location{Name: "zone-a"},
	})
	if err == nil || isTyped(err) {
		t.Errorf("got %v", err)
	}
	if lbs := must[[]*hcloud.LoadBalancer](t)(w.hetz.LoadBalancer.All(t.Context())); len(lbs) != 1 {
		t.Errorf("there are %d load balancers", len(lbs))
	}
}

// TestDelayAndHang: an answer comes late, or not before the client gives up.
func TestDelayAndHang(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.fault("ListZones", `{"delay": {"duration": "10ms"}}`)
	if all := must[[]*hcloud.Location](t)(w.hetz.Location.All(t.Context())); len(all) != 3 {
		t.Errorf("there are %d locations", len(all))
	}
	w.fault("ListNetworks", `{"hang": {}}`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := w.hetz.Network.All(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestRates: a fourth call of three is refused, and the headers say until when.
func TestRates(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	rates := []simcloud.Rate{{Class: "ListZones", PerSecond: 1, Burst: 3}}
	must[simcloud.Config](t)(w.native.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Rates: &rates}))
	begun := time.Now()
	for i := range 3 {
		_, res, err := w.hetz.Location.List(t.Context(), hcloud.LocationListOpts{})
		if limit := res.Meta.Ratelimit; err != nil || limit.Limit != 3 || limit.Remaining != 2-i || limit.Reset.Before(begun) || limit.Reset.After(begun.Add(time.Hour)) {
			t.Errorf("call %d: %+v, %v", i, limit, err)
		}
	}
	_, res, err := w.hetz.Location.List(t.Context(), hcloud.LocationListOpts{})
	refused(t, err, hcloud.ErrorCodeRateLimitExceeded)
	if res.StatusCode != 429 || res.Header.Get("Retry-After") == "" || res.Meta.Ratelimit.Remaining != 0 {
		t.Errorf("the fourth: %d, %v", res.StatusCode, res.Header)
	}
}
