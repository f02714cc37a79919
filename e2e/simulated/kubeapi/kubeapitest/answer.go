package kubeapitest

import (
	"encoding/json"
	"mime"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Answers are those of all cases, by topic/case.
type Answers map[string]CaseAnswers

// CaseAnswers are the answers to the steps of a case, in order.
type CaseAnswers []Answer

// Answer is what a server said to a step. It has tokens in place of what differs
// from run to run:
//
//	uid-1                     the first UID of the case, wherever it occurs
//	rv-2                      the second version of an object: a higher number is a later one
//	at least rv-2             the version of a list or a bookmark
//	<now>, <later>, <earlier> a time that no request has sent: 10 s after the answer, or more, is later
//	<ip4-1>, <nodePort-1>     what the server has allocated
//	name-<generated-1>        a generated name
type Answer struct {
	// Step repeats the request, for readers.
	Step   string            `json:"step,omitempty" yaml:"step,omitempty"`
	Status int               `json:"status,omitempty" yaml:"status,omitempty"`
	Header map[string]string `json:"header,omitempty" yaml:"header,omitempty"`
	Body   any               `json:"body,omitempty" yaml:"body,omitempty"`
	// Text is a body that is no JSON.
	Text   string `json:"text,omitempty" yaml:"text,omitempty"`
	Events []any  `json:"events,omitempty" yaml:"events,omitempty"`
	// Error is why there is no answer.
	Error string `json:"error,omitempty" yaml:"error,omitempty"`

	at time.Time // of its arrival
}

// shownHeaders are the headers of an answer that clients act on.
var shownHeaders = []string{"Warning", "Retry-After", "Location", "Www-Authenticate", "Allow"}

func newAnswer(resp *http.Response, raw []byte) (Answer, error) {
	a := Answer{Status: resp.StatusCode, Header: headers(resp.Header)}
	var err error
	switch media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); {
	case len(raw) == 0:
	case media == runtime.ContentTypeProtobuf:
		a.Body, err = fromProtobuf(raw)
	case media == runtime.ContentTypeYAML:
		err = yaml.Unmarshal(raw, &a.Body)
	case json.Unmarshal(raw, &a.Body) != nil:
		a.Text = string(raw)
	}
	return a, err
}

// headers returns what an answer shows of its headers. A Content-Type of plain JSON is not shown.
func headers(all http.Header) map[string]string {
	shown := map[string]string{}
	for _, name := range shownHeaders {
		for i, value := range all.Values(name) {
			if i > 0 {
				value = shown[name] + "\n" + value
			}
			shown[name] = value
		}
	}
	if media := all.Get("Content-Type"); media != runtime.ContentTypeJSON && media != "" {
		shown["Content-Type"] = media
	}
	if len(shown) == 0 {
		return nil
	}
	return shown
}
