package edge_test

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"regexp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// machines is what the foreign format asks of a cloud.
type machines interface {
	GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error)
	CreateInstance(ctx context.Context, spec simcloud.InstanceSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error)
}

// foreign is a wire format that has nothing in common with the cloud's own: one
// path, the operation and its arguments in a form, the secret in a header of its
// own, answers and errors in XML. A dialect is written like it: it imports the model and the edge.
type foreign struct{ cloud machines }

// machine is an instance, and refusal an error, in the foreign format.
type (
	machine struct {
		XMLName xml.Name `xml:"Machine"`
		ID      string   `xml:"Id"`
		Name    string   `xml:"Name"`
		State   string   `xml:"State"`
	}
	refusal struct {
		XMLName xml.Name `xml:"Error"`
		Code    string   `xml:"Code"`
		Message string   `xml:"Message"`
		Request string   `xml:"RequestId"`
	}
)

func (f foreign) Match(r *http.Request) (edge.Operation, *http.Request) {
	args := r.URL.Query()
	switch args.Get("Action") {
	case "DescribeMachine":
		id := simcloud.ID(args.Get("MachineId"))
		return edge.Operation{Endpoint: endpoint("GetInstance"), ID: id, Handle: f.describe}, r
	case "RunMachine":
		return edge.Operation{Endpoint: endpoint("CreateInstance"), Handle: f.run, Subject: subject}, r
	default:
		return edge.Operation{Endpoint: simcloud.Endpoint{Operation: "Unknown", Method: http.MethodGet}, Handle: unknown}, r
	}
}

func endpoint(operation string) simcloud.Endpoint {
	e, _ := simcloud.EndpointOf(operation)
	return e
}

func (foreign) Credential(r *http.Request) (string, error) {
	if secret := r.Header.Get("X-Secret"); secret != "" {
		return secret, nil
	}
	return "", simcloud.Errorf(simcloud.Unauthenticated, "", "the header X-Secret is missing")
}

func (foreign) WriteReply(w http.ResponseWriter, reply edge.Reply) {
	instance := reply.Body.(simcloud.Instance)
	writeXML(w, reply.Status, machine{ID: string(instance.ID), Name: instance.Name, State: string(instance.State)})
}

func (foreign) WriteProblem(w http.ResponseWriter, p edge.Problem) {
	status := http.StatusBadRequest // this cloud knows no other but for what it has no words for
	if p.Err.Code == simcloud.Internal || p.Err.Code == simcloud.Unavailable {
		status = http.StatusInternalServerError
	}
	code := map[simcloud.Code]string{simcloud.NotFound: "NoSuchMachine", simcloud.RateLimited: "SlowDown"}[p.Err.Code]
	if code == "" {
		code = "Fault." + string(p.Err.Code)
	}
	writeXML(w, status, refusal{Code: code, Message: p.Err.Message, Request: p.RequestID})
}

var (
	stateElement = regexp.MustCompile(`<State>[^<]*</State>`)
	codeElement  = regexp.MustCompile(`<Code>[^<]*</Code>`)
)

func (foreign) Garble(body []byte, problem bool, text string) []byte {
	if problem {
		return codeElement.ReplaceAll(body, []byte("<Code>"+text+"</Code>"))
	}
	return stateElement.ReplaceAll(body, []byte("<State>"+text+"</State>"))
}

func writeXML(w http.ResponseWriter, status int, v any) {
	body, err := xml.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "text/xml")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (f foreign) describe(r *http.Request) (edge.Reply, error) {
	instance, err := f.cloud.GetInstance(r.Context(), simcloud.ID(r.URL.Query().Get("MachineId")))
	return edge.Reply{Status: http.StatusOK, Body: instance, Meta: &instance.Meta}, err
}

func (f foreign) run(r *http.Request) (edge.Reply, error) {
	if err := r.ParseForm(); err != nil {
		return edge.Reply{}, edge.StatusError{Status: http.StatusBadRequest, Err: simcloud.Errorf(simcloud.Invalid, "", "read the form: %w", err)}
	}
	made, err := f.cloud.CreateInstance(r.Context(), simcloud.InstanceSpec{Name: r.PostForm.Get("Name")})
	return edge.Reply{Status: http.StatusOK, Body: made.Resource, Meta: &made.Resource.Meta, Operation: made.Operation.ID}, err
}

func unknown(r *http.Request) (edge.Reply, error) {
	return edge.Reply{}, fmt.Errorf("action %q: %w", r.URL.Query().Get("Action"),
		simcloud.Errorf(simcloud.Unimplemented, "", "no such action"))
}

// subject is the name in the form of a creation.
func subject(body []byte) fault.Subject {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return fault.Subject{}
	}
	return fault.Subject{Name: form.Get("Name")}
}
