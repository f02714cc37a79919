package fields_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// world is a cloud that speaks a dialect to a test, and stands still: what two requests leave behind differs by what they say alone.
type world struct {
	*testing.T
	dialect    dialect.Dialect
	operations map[string]dialect.Operation
	cloud      *sim.Cloud
	header     http.Header
	// views are the reads that show all that the dialect shows of the cloud.
	views []probe
	// decoded is the type of the last request that was decoded; nil for none.
	decoded atomic.Value
	// loaded is the state that was loaded last, and moved whether a request may have changed it since.
	loaded simcloud.ID
	moved  bool
}

// request is what a world remembers of one that was decoded.
type request struct{ of reflect.Type }

// start is the name of the state to which each request is sent.
const start = "start"

// open makes a cloud as a table wants it.
func open(t *testing.T, of table) *world {
	t.Helper()
	w := &world{T: t, operations: map[string]dialect.Operation{}, header: http.Header{"Simcloud-Request-Id": {"req-1"}}}
	for _, d := range sim.Dialects() {
		if d.Name == of.Dialect {
			w.dialect = d
		}
	}
	for _, o := range w.dialect.Operations {
		w.operations[o.Name] = o
	}
	ctx := dialect.WithDecoded(t.Context(), func(decoded any) { w.decoded.Store(request{reflect.TypeOf(decoded)}) })
	cloud, err := sim.Open(ctx, sim.Config{
		Ephemeral: true, Seed: 1, Limits: sim.Limits{Body: simtest.Patience, Answer: simtest.Patience}, Clock: simcloud.ClockSpec{Mode: simcloud.ClockManual},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("close the cloud: %v", err)
		}
	})
	w.cloud = cloud
	w.header.Set("Authorization", "Bearer "+cloud.Token())
	w.header.Set("X-Amz-Security-Token", cloud.Token())
	for _, p := range of.Start {
		w.begin(p)
	}
	must[simcloud.Snapshot](w)(cloud.Core().SaveSnapshot(t.Context(), simcloud.SnapshotSpec{Name: start}))
	w.views = of.Views
	for _, o := range w.dialect.Operations {
		if o.Method == http.MethodGet && o.Standing != dialect.Unsupported && !strings.Contains(o.Path, "{") && of.Dialect != "aws" {
			w.views = append(w.views, probe{Operation: o.Name})
		}
	}
	return w
}

// begin sends a call that makes the first state. A session that it opens is the one of all later requests.
func (w *world) begin(p probe) {
	w.Helper()
	got := w.send(p, p.Body)
	if got.status >= http.StatusBadRequest {
		w.Fatalf("start: %s: %d %s", p.Operation, got.status, got.body)
	}
	if session := got.header.Get("X-Subject-Token"); session != "" {
		w.header.Set("X-Auth-Token", session)
	}
}

// addressed is a body with what the cloud has chosen in place of {token} and {url}, and of names such as {public i-1} and {private i-1}.
func (w *world) addressed(body any) any {
	w.Helper()
	texts := []string{"{token}", w.cloud.Token(), "{url}", w.cloud.URL()}
	for _, i := range must[simcloud.Page[simcloud.Instance]](w)(w.cloud.Core().ListInstances(w.Context(), simcloud.ListOptions{})).Items {
		for _, a := range i.Addresses {
			texts = append(texts, "{"+string(a.Scope)+" "+string(i.ID)+"}", a.Address)
		}
	}
	for _, lb := range must[simcloud.Page[simcloud.LoadBalancer]](w)(w.cloud.Core().ListLoadBalancers(w.Context(), simcloud.ListOptions{})).Items {
		for _, vip := range lb.VIPs {
			if vip.Network == "" && !strings.Contains(vip.Address, ":") {
				texts = append(texts, "{public "+string(lb.ID)+"}", vip.Address)
			}
		}
	}
	texts = append(texts, w.members()...)
	var out any
	raw := must[[]byte](w)(json.Marshal(body))
	if err := json.Unmarshal([]byte(strings.NewReplacer(texts...).Replace(string(raw))), &out); err != nil {
		w.Fatal(err)
	}
	return out
}

// members are the ids of members of Octavia, which are made of their addresses, in place of names such as {member tg-1 0}.
func (w *world) members() []string {
	w.Helper()
	var texts []string
	for _, g := range must[simcloud.Page[simcloud.TargetGroup]](w)(w.cloud.Core().ListTargetGroups(w.Context(), simcloud.ListOptions{})).Items {
		for i, t := range g.Targets {
			uuid := service.NamedUUID("member", fmt.Sprintf("%s/%s/%d", g.ID, t.Options["address"], t.Port))
			texts = append(texts, fmt.Sprintf("{member %s %d}", g.ID, i), uuid)
		}
	}
	return texts
}

// answer is what a request got.
type answer struct {
	status int
	header http.Header
	body   string
	// asked is what the request was decoded into, and seen what the dialect shows of the cloud after it; only of a base request.
	asked reflect.Type
	seen  string
}

// send sends a request of a probe with a body.
func (w *world) send(p probe, with any) answer {
	w.Helper()
	filled, _ := w.addressed([]any{p.ID, p.Part, with}).([]any)
	id, part, body := fmt.Sprint(filled[0]), fmt.Sprint(filled[1]), filled[2]
	method, path, native := strings.Cut(p.Operation, " ")
	var raw []byte
	media := "application/json"
	switch o, ok := w.operations[p.Operation]; {
	case native:
		raw = must[[]byte](w)(json.Marshal(body))
	case !ok:
		w.Fatalf("%s is no operation of the dialect %s", p.Operation, w.dialect.Name)
	case w.dialect.Name == "aws":
		method, path, media = o.Method, strings.TrimSuffix(w.dialect.Path+o.Path, "/"), "application/x-www-form-urlencoded"
		raw = []byte(w.form(p.Operation, body))
	default:
		method, path = o.Method, w.dialect.Path+strings.NewReplacer("{id}", id, "{part}", part).Replace(o.Path)
		if body != nil {
			raw = must[[]byte](w)(json.Marshal(body))
		}
	}
	r := must[*http.Request](w)(http.NewRequestWithContext(w.Context(), method, w.cloud.URL()+path, bytes.NewReader(raw)))
	r.Header = w.header.Clone()
	r.Header.Set("Content-Type", media)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	core := w.operations[p.Operation].Core
	if res.StatusCode < http.StatusBadRequest && !strings.HasPrefix(core, "List") && !strings.HasPrefix(core, "Get") {
		w.moved = true
	}
	text := string(must[[]byte](w)(io.ReadAll(res.Body)))
	text = revision.ReplaceAllString(text, "")
	text = sessionToken.ReplaceAllString(expiration.ReplaceAllStringFunc(text, fromNow), "")
	return answer{status: res.StatusCode, header: res.Header, body: text}
}

// revision is how often a resource of Neutron has changed: a state that is loaded counts as a change.
var revision = regexp.MustCompile(`"revision_number":[0-9]+`)

// What the credentials of AWS have of the real clock: when they end, which their token has too.
var (
	expiration   = regexp.MustCompile(`<Expiration>[^<]*<`)
	sessionToken = regexp.MustCompile(`<SessionToken>[^<]*<`)
)

// fromNow is how far an expiration is from now: that does not change while the test runs.
func fromNow(element string) string {
	end, err := time.Parse(time.RFC3339, strings.Trim(strings.TrimPrefix(element, "<Expiration>"), "<"))
	if err != nil {
		return element
	}
	return time.Until(end).Round(time.Minute).String()
}

// editions are those of the services of AWS.
var editions = map[string]string{"ec2": "2016-11-15", "elb": "2012-06-01", "elbv2": "2015-12-01", "sts": "2011-06-15"}

func (w *world) form(operation string, body any) string {
	of, action, _ := strings.Cut(operation, ":")
	member := "member."
	if of == "ec2" {
		member = ""
	}
	values := url.Values{"Action": {action}, "Version": {editions[of]}}
	if body != nil {
		form(values, "", body, member)
	}
	return values.Encode()
}

// seen is all that the dialect shows of the cloud.
func (w *world) seen() string {
	w.Helper()
	var all strings.Builder
	for _, p := range w.views {
		all.WriteString(w.send(p, p.Body).body)
	}
	return all.String()
}

// load brings back a state of the cloud, unless that is the one that it has.
func (w *world) load(name simcloud.ID) {
	w.Helper()
	if w.loaded == name && !w.moved {
		return
	}
	w.loaded, w.moved = name, false
	must[simcloud.Snapshot](w)(w.cloud.Core().LoadSnapshot(w.Context(), name))
}

// keep keeps the state of the cloud, in place of one of that name.
func (w *world) keep(name string) {
	w.Helper()
	_ = w.cloud.Core().DeleteSnapshot(w.Context(), simcloud.ID(name)) // there may be none
	must[simcloud.Snapshot](w)(w.cloud.Core().SaveSnapshot(w.Context(), simcloud.SnapshotSpec{Name: name}))
}

// code is that of the last call in the journal: what simcloud calls the refusal, whatever the dialect does.
func (w *world) code() simcloud.Code {
	w.Helper()
	entries := must[[]simcloud.JournalEntry](w)(w.cloud.Journal().ListJournal(w.Context(), simcloud.JournalFilter{}))
	return entries[len(entries)-1].Code
}

// must returns v, and ends the test when there is an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
