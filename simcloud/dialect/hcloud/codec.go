// Package hcloud is the wire format of Hetzner Cloud, version 1 of its API: it translates
// its requests to calls of the cloud, and the answers back.
//
// It keeps nothing: what the API of Hetzner knows and the cloud does not, such as the
// location of a load balancer, is a label of the resource with a prefix that Hetzner
// reserves for itself. Such labels are in no answer, and no request may set one.
package hcloud

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// name is what the dialect is called, and the first element of its paths.
const name = "hcloud"

// Codec translates hcloud.
type Codec struct {
	Cloud simcloud.API
	// Config reads how the cloud behaves: its classes of load balancers, and what is chosen of variants.
	Config Config
}

// Credential implements edge.Codec.
func (Codec) Credential(r *http.Request) (string, error) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || strings.TrimSpace(secret) == "" {
		return "", simcloud.Errorf(simcloud.Unauthenticated, "", "the header \"Authorization: Bearer <token>\" is missing")
	}
	return strings.TrimSpace(secret), nil
}

// WriteReply implements edge.Codec.
func (Codec) WriteReply(w http.ResponseWriter, reply edge.Reply) {
	writeHeaders(w.Header())
	body := reply.Body
	if list, ok := body.(listing); ok {
		w.Header().Set("Link", list.link)
		body = list.body
	}
	if body == nil {
		w.WriteHeader(reply.Status)
		return
	}
	dialect.WriteJSON(w, reply.Status, body)
}

// WriteProblem implements edge.Codec.
func (c Codec) WriteProblem(w http.ResponseWriter, p edge.Problem) {
	writeHeaders(w.Header())
	if p.Err.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(edge.Seconds(p.Err.RetryAfter)))
	}
	f := failureOf(p)
	if f.status == 0 {
		f.status = c.Config.refusalStatus(context.Background()) // only this cloud is read
	}
	dialect.WriteJSON(w, f.status, map[string]failure{"error": f})
}

// Garble implements edge.Codec.
func (Codec) Garble(body []byte, problem bool, text string) []byte {
	if problem {
		return edge.ReplaceTexts(body, "code", text)
	}
	return edge.ReplaceTexts(body, "status", text)
}

// writeHeaders gives an answer the header that each answer of Hetzner has.
func writeHeaders(header http.Header) {
	header.Set("X-Correlation-Id", header.Get("Simcloud-Request-Id"))
}

// WriteRate implements edge.RateWriter: Hetzner has the UNIX time at which all calls are there again.
func (Codec) WriteRate(header http.Header, a edge.Allowance) {
	header.Set("RateLimit-Limit", strconv.Itoa(a.Limit))
	header.Set("RateLimit-Remaining", strconv.Itoa(a.Remaining))
	header.Set("RateLimit-Reset", strconv.FormatInt(a.FullAt.Unix(), 10))
}

// Match implements edge.Codec.
func (c Codec) Match(r *http.Request) (edge.Operation, *http.Request) {
	path, text := shapeOf(strings.TrimPrefix(r.URL.Path, "/hcloud/v1/"))
	methods := table()[path]
	op, known := methods[r.Method]
	switch {
	case methods == nil:
		return elsewhere(unknownPath), r
	case !known:
		return notAllowed(methods), r
	case text == "":
		return op.edge(c, ""), r
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != text {
		refused := op.edge(c, "")
		refused.Handle = func(*http.Request) (edge.Reply, error) {
			return edge.Reply{}, simcloud.Errorf(simcloud.NotFound, "", "%q is not the id of a resource", text)
		}
		return refused, r
	}
	return op.edge(c, simcloud.ID(op.prefix+text)), r
}

// shapeOf returns the path with {id} in place of the id that it has, and that id.
func shapeOf(path string) (shape, id string) {
	parts := strings.Split(path, "/")
	if len(parts) < 2 || len(parts) > 2 && parts[1] == "actions" {
		return path, ""
	}
	id, parts[1] = parts[1], "{id}"
	return strings.Join(parts, "/"), id
}

// kinds are those of the prefixes of ids.
var kinds = map[string]simcloud.Kind{
	instancePrefix: simcloud.KindInstance, loadBalancerPrefix: simcloud.KindLoadBalancer,
	networkPrefix: simcloud.KindNetwork, operationPrefix: simcloud.KindOperation, documentPrefix: simcloud.KindDocument,
}

// edge is the operation as the edge serves it. The edge knows the resource that the path
// names when the operation of the cloud is about one of its kind.
func (o operation) edge(codec Codec, id simcloud.ID) edge.Operation {
	served := edge.Operation{Endpoint: o.endpoint(), Dialect: name, Name: o.name, Handle: func(r *http.Request) (edge.Reply, error) {
		c := call{cloud: codec.Cloud, config: codec.Config, r: r, id: id, prefix: o.prefix, command: cmp.Or(o.command, o.name)}
		switch {
		case o.method != http.MethodGet || o.prefix == operationPrefix:
			return o.handle(c)
		case strings.HasSuffix(o.path, "/{id}"):
			return c.remembered(o.handle)
		default:
			return c.viewed(o.handle)
		}
	}}
	switch kind, named := served.Endpoint.Kind(), kinds[o.prefix]; {
	case kind != "" && kind == named:
		served.ID = id
	case named != "" && id != "": // a network, of which the cloud changes a subnet or a route
		served.Whole = simcloud.Ref(named, id)
	}
	if served.Endpoint.Creates() {
		served.Subject = subjectOf
	}
	return served
}

// endpoint is what the operation stands for. What the cloud has no operation for is
// one of the kind that its prefix tells.
func (o operation) endpoint() simcloud.Endpoint {
	if endpoint, ok := simcloud.EndpointOf(o.core); ok {
		return endpoint
	}
	paths := map[string]string{"lb-": "load-balancers", "i-": "instances", "net-": "networks", "doc-": "documents"}
	return simcloud.Endpoint{Operation: cmp.Or(o.core, "Unknown"), Method: o.method, Path: "/v1/" + cmp.Or(paths[o.prefix], "hcloud/"+o.path)}
}

// elsewhere is the operation of a request that is for none of the table.
func elsewhere(handle edge.Handler) edge.Operation {
	return edge.Operation{Endpoint: simcloud.Endpoint{Operation: "Unknown", Method: http.MethodGet}, Dialect: name, Handle: handle}
}

func unknownPath(r *http.Request) (edge.Reply, error) {
	return edge.Reply{}, refuse(simcloud.Unimplemented, codeNotFound, "the API has no path %s", r.URL.Path)
}

// notAllowed is the operation of a path that has other methods.
func notAllowed(methods map[string]operation) edge.Operation {
	op := elsewhere(func(r *http.Request) (edge.Reply, error) {
		return edge.Reply{}, refuse(simcloud.Unimplemented, codeMethodNotAllowed, "the path does not have the method %s", r.Method)
	})
	op.Header = http.Header{"Allow": {strings.Join(sortedKeys(methods), ", ")}}
	return op
}
