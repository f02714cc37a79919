package query_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
)

// answer has a field of each type.
type answer struct {
	Text    string    `aws:"text"`
	Absent  string    `aws:"absent"`
	Number  int       `aws:"number"`
	On      bool      `aws:"on"`
	Made    time.Time `aws:"made"`
	Never   time.Time `aws:"never"`
	Inner   inner     `aws:"inner"`
	Pointer *inner    `aws:"pointer"`
	Missing *inner    `aws:"missing"`
	Texts   []string  `aws:"texts"`
	Inners  []inner   `aws:"inners"`
	Empty   []inner   `aws:"empty"`
	Left    []inner   `aws:"left,omitempty"`
	hidden  string    // as Text
}

type inner struct {
	State string `aws:"state"`
}

// elements are the names of the elements of a document in their order, with the texts that they have. It ends the test when
// the document is not well-formed.
func elements(t *testing.T, body []byte) string {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(body))
	var all []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(all, " ")
		}
		if err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		switch token := token.(type) {
		case xml.StartElement:
			all = append(all, token.Name.Local)
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1] += "=" + string(token)
			}
		}
	}
}

var full = answer{
	Text: `<&"`, Number: 0, Made: time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.FixedZone("x", 3600)), Inner: inner{"on"}, Pointer: &inner{},
	Texts: []string{"a", ""}, Inners: []inner{{"off"}}, hidden: "x",
}

func TestReply(t *testing.T) {
	t.Parallel()
	const content = `text=<&" number=0 on=false made=2026-01-02T02:04:05.006Z inner state=on pointer texts ITEM=a ITEM inners ITEM state=off empty`
	for item, c := range map[string]struct {
		protocol     query.Protocol
		before, then string
	}{
		"item":   {query.EC2Query, "DoResponse requestId=req-1 ", ""},
		"member": {query.AWSQuery, "DoResponse DoResult ", " ResponseMetadata RequestId=req-1"},
	} {
		body := c.protocol.Reply("urn:x", "Do", "req-1", full)
		want := c.before + strings.ReplaceAll(content, "ITEM", item) + c.then
		if got := elements(t, body); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if !bytes.Contains(body, []byte(`<DoResponse xmlns="urn:x">`)) {
			t.Errorf("the namespace is not in %s", body)
		}
	}
}

func TestProblem(t *testing.T) {
	t.Parallel()
	for want, body := range map[string][]byte{
		"Response Errors Error Code=A.B Message=a<b RequestID=req-1":         query.EC2Query.Problem("urn:x", "A.B", "a<b", "req-1", true),
		"ErrorResponse Error Type=Sender Code=A Message=b RequestId=req-1":   query.AWSQuery.Problem("urn:x", "A", "b", "req-1", false),
		"ErrorResponse Error Type=Receiver Code=A Message=b RequestId=req-1": query.AWSQuery.Problem("urn:x", "A", "b", "req-1", true),
	} {
		if got := elements(t, body); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestGarble: states are replaced, and nothing else.
func TestGarble(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body    string
		problem bool
		want    string
	}{
		{`<a><instanceState><code>16</code><name>running</name></instanceState><name>n</name></a>`, false,
			`<a><instanceState><code>16</code><name>&lt;x</name></instanceState><name>n</name></a>`},
		{`<a><item><state>active</state></item><zoneState>available</zoneState><Code>c</Code></a>`, false,
			`<a><item><state>&lt;x</state></item><zoneState>&lt;x</zoneState><Code>c</Code></a>`},
		{`<a><State><Code>active</Code></State><TargetHealth><State>healthy</State></TargetHealth></a>`, false,
			`<a><State><Code>&lt;x</Code></State><TargetHealth><State>&lt;x</State></TargetHealth></a>`},
		{`<a><Error><Code>No</Code><Message>state</Message></Error></a>`, true, `<a><Error><Code>&lt;x</Code><Message>state</Message></Error></a>`},
		{`no XML`, false, `no XML`},
		{`<a><state>on</sta`, false, `<a><state>&lt;x</sta`},
		{``, true, ``},
	} {
		if got := string(query.Garble([]byte(c.body), c.problem, "<x")); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestEncoded: what is encoded before is the same answer.
func TestEncoded(t *testing.T) {
	t.Parallel()
	for _, p := range []query.Protocol{query.EC2Query, query.AWSQuery} {
		if once, before := p.Reply("urn:x", "Do", "req-1", full), p.Reply("urn:x", "Do", "req-1", p.Encode(full)); !bytes.Equal(once, before) {
			t.Errorf("got  %s\nwant %s", before, once)
		}
	}
}
