package existing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e/sweep"
)

// marking is an access that puts the mark on every object which it creates, be
// it by POST or by server-side apply. Whoever writes through it need not know. What is
// there already gets no mark, also when it is written to.
func marking(access *rest.Config, mark sweep.Mark) *rest.Config {
	access = rest.CopyConfig(access)
	access.Wrap(func(next http.RoundTripper) http.RoundTripper { return marker{next: next, mark: mark} })
	return access
}

type marker struct {
	next http.RoundTripper
	mark sweep.Mark
}

// RoundTrip marks what the request creates.
func (m marker) RoundTrip(req *http.Request) (*http.Response, error) {
	creates, err := m.creates(req)
	if err != nil {
		return nil, err
	}
	if creates {
		if req, err = m.marked(req); err != nil {
			return nil, fmt.Errorf("label what is created at %s: %w", req.URL.Path, err)
		}
	}
	return m.next.RoundTrip(req)
}

// creates reports whether a request makes an object.
func (m marker) creates(req *http.Request) (bool, error) {
	path := parsePath(req.URL.Path)
	switch {
	case path.sub != "" || req.Body == nil:
		return false, nil
	case req.Method == http.MethodPost:
		return path.name == "", nil
	case req.Method == http.MethodPatch && req.Header.Get("Content-Type") == string(types.ApplyPatchType):
		return m.absentOrOurs(req)
	}
	return false, nil
}

// absentOrOurs asks for the object that is to be applied. One that carries the
// mark has to keep it: what an apply leaves out is removed.
func (m marker) absentOrOurs(req *http.Request) (bool, error) {
	url := *req.URL
	url.RawQuery = ""
	get, err := http.NewRequestWithContext(req.Context(), http.MethodGet, url.String(), nil)
	if err != nil {
		return false, err
	}
	get.Header = req.Header.Clone()
	get.Header.Del("Content-Type")
	get.Header.Set("Accept", runtime.ContentTypeJSON)
	res, err := m.next.RoundTrip(get)
	if err != nil {
		return false, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusNotFound {
		return true, nil
	}
	var object unstructured.Unstructured
	if err := json.NewDecoder(res.Body).Decode(&object.Object); err != nil {
		return false, err
	}
	return m.mark.On(object.GetLabels()), nil
}

// marked returns the request with the mark on its object, which is in JSON then.
func (m marker) marked(req *http.Request) (*http.Request, error) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return req, err
	}
	if err := req.Body.Close(); err != nil {
		return req, err
	}
	object, err := decode(raw)
	if err != nil {
		return req, err
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return req, err
	}
	labels := accessor.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[m.mark.Key] = m.mark.Value
	accessor.SetLabels(labels)
	return withBody(req, object)
}

// decode reads an object of whatever kind: in protobuf it is one of Kubernetes' own.
func decode(raw []byte) (runtime.Object, error) {
	if json.Valid(raw) {
		object := &unstructured.Unstructured{}
		return object, json.Unmarshal(raw, &object.Object)
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	return object, err
}

func withBody(req *http.Request, object runtime.Object) (*http.Request, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return req, err
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(raw))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	req.ContentLength = int64(len(raw))
	if req.Method == http.MethodPost {
		req.Header.Set("Content-Type", runtime.ContentTypeJSON)
	}
	return req, nil
}

// objectPath is what a path of the API names.
type objectPath struct{ resource, name, sub string }

// parsePath reads /api/v1/… and /apis/GROUP/VERSION/…, with or without a namespace.
func parsePath(path string) objectPath {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, part := range parts {
		if part == "api" || part == "apis" { // what is before it is the path of a proxy
			parts = parts[min(len(parts), i+map[string]int{"api": 2, "apis": 3}[part]):]
			break
		}
	}
	if len(parts) > 2 && parts[0] == "namespaces" && parts[2] != "finalize" && parts[2] != "status" {
		parts = parts[2:]
	}
	parts = append(parts, "", "", "")
	return objectPath{resource: parts[0], name: parts[1], sub: parts[2]}
}
