package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// request is one call, whatever number of attempts it takes.
type request struct {
	endpoint simcloud.Endpoint
	path     string // escaped
	query    url.Values
	body     []byte
	opts     simcloud.CallOptions
	// patient is whether the answer may take as long as the context allows.
	patient bool
}

// newRequest fills the ids into the path of an operation. An empty id is
// Invalid: without it the path would be another operation's.
func newRequest(operation string, ids []simcloud.ID) (*request, error) {
	endpoint, ok := simcloud.EndpointOf(operation)
	if !ok {
		return nil, simcloud.Errorf(simcloud.Invalid, "", "unknown operation %q", operation)
	}
	req := &request{endpoint: endpoint}
	rest := endpoint.Path
	for _, id := range ids {
		before, after, _ := strings.Cut(rest, "{")
		name, after, _ := strings.Cut(after, "}")
		if id == "" {
			return nil, simcloud.InvalidFields("", []simcloud.FieldError{{Field: name, Detail: "must not be empty"}})
		}
		req.path += before + url.PathEscape(string(id))
		rest = after
	}
	req.path += rest
	return req, nil
}

// setBody makes v the body.
func (r *request) setBody(v any) error {
	raw, err := json.Marshal(emptied(v))
	if err != nil {
		return simcloud.Errorf(simcloud.Invalid, "", "the body of %s: %w", r.endpoint.Operation, err)
	}
	r.body = raw
	return nil
}

// emptied returns v with what its fields point to made empty where it is nil:
// a pointer to nil labels asks for none, while null on the wire asks for nothing.
func emptied(v any) any {
	given := reflect.ValueOf(v)
	if given.Kind() != reflect.Struct {
		return v
	}
	body := reflect.New(given.Type()).Elem()
	body.Set(given)
	for i := range body.NumField() {
		field := body.Field(i)
		if field.Kind() != reflect.Pointer || field.IsNil() {
			continue
		}
		switch is := field.Elem(); {
		case is.Kind() == reflect.Map && is.IsNil():
			field.Set(reflect.New(is.Type()))
			field.Elem().Set(reflect.MakeMap(is.Type()))
		case is.Kind() == reflect.Slice && is.IsNil():
			field.Set(reflect.New(is.Type()))
			field.Elem().Set(reflect.MakeSlice(is.Type(), 0, 0))
		}
	}
	return body.Interface()
}

// identify gives a deletion a key of its own, so that the cloud knows its
// second attempt when the answer to the first was lost, and does not say that
// there is nothing to delete. The simulator's own deletions know no keys.
func (r *request) identify() {
	if r.endpoint.Method == http.MethodDelete && strings.HasPrefix(r.endpoint.Path, "/v1/") && r.opts.IdempotencyKey == "" {
		r.opts.IdempotencyKey = rand.Text()
	}
}

// repeatable reports whether the request may reach the cloud twice.
func (r *request) repeatable() bool {
	switch r.endpoint.Method {
	case http.MethodGet, http.MethodDelete:
		return true
	case http.MethodPost:
		return r.opts.IdempotencyKey != ""
	default:
		return false
	}
}

// attempt returns the HTTP request for one attempt with this secret.
func (c *Client) attempt(ctx context.Context, r *request, secret string) (*http.Request, error) {
	target := c.base.String() + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.endpoint.Method, target, body)
	if err != nil {
		return nil, simcloud.Errorf(simcloud.Invalid, "", "%s: %w", r.endpoint.Operation, err)
	}
	req.Header.Set("User-Agent", c.userAgent)
	if c.strong && r.endpoint.Method == http.MethodGet {
		req.Header.Set("Simcloud-Consistency", "strong")
	}
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.opts.IfVersion != 0 {
		req.Header.Set("If-Match", `"`+strconv.FormatUint(r.opts.IfVersion, 10)+`"`)
	}
	if r.opts.IdempotencyKey != "" {
		req.Header.Set("Idempotency-Key", r.opts.IdempotencyKey)
	}
	return req, nil
}
