package aws_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// The editions of the services.
const (
	ec2   = "2016-11-15"
	elb   = "2012-06-01"
	elbv2 = "2015-12-01"
)

// world is a cloud with a native client. Its requests are written by hand: that AWS' own client sends and
// reads the same is the matter of the module sdktest.
type world struct {
	*testing.T
	cloud  *sim.Cloud
	native *client.Client
}

func open(t *testing.T, opts ...simtest.Option) world {
	t.Helper()
	cloud, native := simtest.Open(t, opts...)
	return world{t, cloud, native}
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

// sent is the answer to a request.
type sent struct {
	t      *testing.T
	status int
	header http.Header
	body   string
	root   element
}

// element is an element of an answer.
type element struct {
	XMLName  xml.Name
	Text     string    `xml:",chardata"`
	Children []element `xml:",any"`
}

// elements are those at a path below the root, such as "zoneSet/item/zoneName".
func (s sent) elements(path string) []element {
	at := []element{s.root}
	for name := range strings.SplitSeq(path, "/") {
		var below []element
		for _, e := range at {
			for _, child := range e.Children {
				if child.XMLName.Local == name {
					below = append(below, child)
				}
			}
		}
		at = below
	}
	return at
}

// texts are those of all elements at a path.
func (s sent) texts(path string) []string {
	var texts []string
	for _, e := range s.elements(path) {
		texts = append(texts, e.Text)
	}
	return texts
}

// text is texts, joined.
func (s sent) text(path string) string { return strings.Join(s.texts(path), " ") }

// has fails the test unless the texts at paths are these: path and texts in turn.
func (s sent) has(pairs ...string) {
	s.t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		if got := s.text(pairs[i]); got != pairs[i+1] {
			s.t.Errorf("%s is %q, want %q in %s", pairs[i], got, pairs[i+1], s.body)
		}
	}
}

// code is that of an error; empty for none.
func (s sent) code() string { return s.text("Errors/Error/Code") + s.text("Error/Code") }

// form is the body of a request: an edition, an action, and names and values in turn.
func form(version, action string, fields ...string) string {
	values := url.Values{"Version": {version}, "Action": {action}}
	for i := 0; i+1 < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return values.Encode()
}

// ask sends a request with the token of an admin.
func (w world) ask(version, action string, fields ...string) sent {
	w.Helper()
	return w.post(form(version, action, fields...), "X-Amz-Security-Token", w.cloud.Token())
}

// does is ask for what must succeed.
func (w world) does(version, action string, fields ...string) sent {
	w.Helper()
	answer := w.ask(version, action, fields...)
	if answer.status != http.StatusOK || answer.root.XMLName.Local != action+"Response" {
		w.Fatalf("%s %v: %d %s", action, fields, answer.status, answer.body)
	}
	return answer
}

// refused is ask for what must fail with a code.
func (w world) refused(code string, status int, version, action string, fields ...string) sent {
	w.Helper()
	answer := w.ask(version, action, fields...)
	if answer.code() != code || answer.status != status {
		w.Errorf("%s %v: %d %s, want %d %s", action, fields, answer.status, answer.body, status, code)
	}
	return answer
}

// post sends a body with headers, names and values in turn.
func (w world) post(body string, header ...string) sent {
	w.Helper()
	return w.send(http.MethodPost, "/aws", body, header...)
}

func (w world) send(method, path, body string, header ...string) sent {
	w.Helper()
	r := must[*http.Request](w)(http.NewRequestWithContext(w.Context(), method, w.cloud.URL()+path, strings.NewReader(body)))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer := sent{t: w.T, status: res.StatusCode, header: res.Header, body: string(must[[]byte](w)(io.ReadAll(res.Body)))}
	_ = xml.Unmarshal([]byte(answer.body), &answer.root) // what is no XML has no elements
	return answer
}

// instance makes an instance.
func (w world) instance(spec simcloud.InstanceSpec) simcloud.Instance {
	w.Helper()
	return must[simcloud.Result[simcloud.Instance]](w)(w.native.CreateInstance(w.Context(), spec)).Resource
}

// table makes a route table of the first network.
func (w world) table(spec simcloud.RouteTableSpec) simcloud.RouteTable {
	w.Helper()
	return must[simcloud.Result[simcloud.RouteTable]](w)(w.native.CreateRouteTable(w.Context(), spec)).Resource
}

// fault adds a rule for one operation, with an effect as JSON.
func (w world) fault(operation, effect string) {
	w.Helper()
	var e fault.Effect
	if err := json.Unmarshal([]byte(effect), &e); err != nil {
		w.Fatal(err)
	}
	must[fault.Rule](w)(w.native.AddFault(w.Context(), fault.Rule{Match: fault.Match{Operation: operation}, Effect: e}))
}

func (w world) clearFaults() {
	w.Helper()
	if err := w.native.ClearFaults(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// journal is what the journal has of an operation.
func (w world) journal(operation string) []simcloud.JournalEntry {
	w.Helper()
	return must[[]simcloud.JournalEntry](w)(w.native.ListJournal(w.Context(), simcloud.JournalFilter{Operation: operation}))
}
