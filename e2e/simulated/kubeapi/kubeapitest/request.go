package kubeapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// mediaTypes has the short names of media types.
var mediaTypes = map[string]string{
	"":              "application/json",
	"json":          "application/json",
	"yaml":          "application/yaml",
	"protobuf":      runtime.ContentTypeProtobuf,
	"merge":         "application/merge-patch+json",
	"jsonpatch":     "application/json-patch+json",
	"strategic":     "application/strategic-merge-patch+json",
	"apply":         "application/apply-patch+yaml",
	"metadata":      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
	"metadatalist":  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
	"discovery":     "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
	"protobufornot": runtime.ContentTypeProtobuf + ",application/json",
	"metadataornot": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
}

func mediaType(name string) string {
	if full, ok := mediaTypes[name]; ok {
		return full
	}
	return name
}

// newRequest builds the request of a step.
func (s *session) newRequest(ctx context.Context, method, path string, r request) (*http.Request, error) {
	body, err := s.body(r)
	if err != nil {
		return nil, err
	}
	path, err = s.vars.expandPath(path)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, s.server.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", mediaType(r.Type))
	}
	req.Header.Set("Accept", mediaType(r.Accept))
	req.Header.Set("User-Agent", "kubeapitest")
	return req, s.identify(req, r.Token)
}

// identify sets the bearer token of a request, if it has one.
func (s *session) identify(req *http.Request, token string) error {
	if token == "" || token == noToken {
		return nil
	}
	token, err := s.vars.expand(token)
	req.Header.Set("Authorization", "Bearer "+token)
	return err
}

// body returns the body in its media type, nil for none.
func (s *session) body(r request) ([]byte, error) {
	content, err := s.content(r)
	if content == nil || err != nil {
		return nil, err
	}
	if text, ok := content.(string); ok {
		return []byte(text), nil
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	switch r.Type {
	case "yaml", "apply":
		return yaml.JSONToYAML(raw)
	case "protobuf":
		return toProtobuf(raw)
	}
	return raw, nil
}

// content returns the body of a step with the values of earlier answers in their places.
func (s *session) content(r request) (any, error) {
	content, err := s.vars.expandAll(r.Body)
	if err != nil || r.From == "" {
		return content, err
	}
	earlier, err := s.vars.get(r.From)
	if err != nil {
		return nil, err
	}
	return merged(earlier, content), nil
}

// merged returns base with a merge patch (RFC 7386) applied; base stays as it is.
func merged(base, patch any) any {
	change, ok := patch.(map[string]any)
	if !ok {
		if patch == nil {
			return base
		}
		return patch
	}
	old, _ := base.(map[string]any)
	result := maps.Clone(old)
	if result == nil {
		result = map[string]any{}
	}
	for key, value := range change {
		if value == nil {
			delete(result, key)
			continue
		}
		result[key] = merged(result[key], value)
	}
	return result
}

// send sends a request and returns its answer, raw.
func (s *session) send(ctx context.Context, step Step) (Answer, error) {
	method, path, ok := strings.Cut(step.Do, " ")
	if !ok {
		return Answer{}, fmt.Errorf("step %q: must be a method and a path", step.Do)
	}
	req, err := s.newRequest(ctx, method, path, step.request)
	if err != nil {
		return Answer{}, err
	}
	resp, err := s.server.client(step.Token).Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, err
	}
	return newAnswer(resp, raw)
}
